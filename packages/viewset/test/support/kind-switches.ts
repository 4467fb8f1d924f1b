import { parseAst } from 'vitest/node'
import type { KindName } from '../../src/kinds/kind.ts'

/** Kinds whose names nothing else has that code decides by, such as `typeof`. */
const NAMES: readonly KindName[] = ['enumeration', 'decimal', 'float', 'timestamp', 'date', 'time', 'uuid', 'json']

/** The cases of `switch` statements that are kinds, in a text of TypeScript. */
export function kindCases(text: string): readonly string[] {
  const cases: string[] = []
  // The parse's JSON form is walked, so that no kind of node has to be known but the one that is looked for.
  JSON.stringify(parseAst(text, { lang: 'ts' }), (_key, node) => {
    const name = node?.type === 'SwitchCase' ? node.test?.value : undefined
    if (NAMES.includes(name)) cases.push(name)
    return typeof node === 'bigint' ? `${node}n` : node
  })
  return cases
}
