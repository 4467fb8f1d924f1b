import { CellProblem } from './cells.ts'
import type { ValueInfo } from './kind.ts'
import { kindOf } from './kinds.ts'

/** Values that a column may have, as JSON has them, those that tell most of it first. */
export function exampleValues(info: ValueInfo): readonly unknown[] {
  const kind = kindOf(info)
  return kind.examples(info).flatMap(cell => {
    const value = typeof cell === 'bigint' ? String(cell) : cell
    const read = kind.readCell ? kind.readCell(value, info) : value
    return read === null || read instanceof CellProblem ? [] : [read]
  })
}
