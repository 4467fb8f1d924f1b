import type { KindName } from '../../src/kinds/kind.ts'
import { syntaxNodes } from './sources.ts'

/** Kinds whose names nothing else has that code decides by, such as `typeof`. */
const NAMES: readonly KindName[] = ['enumeration', 'decimal', 'float', 'timestamp', 'date', 'time', 'uuid', 'json']

/** The cases of `switch` statements that are kinds, in a text of TypeScript. */
export function kindCases(text: string): readonly string[] {
  return syntaxNodes(text).flatMap(({ type, test }) => {
    const name = NAMES.find(kind => kind === test?.value)
    return type === 'SwitchCase' && name !== undefined ? [name] : []
  })
}
