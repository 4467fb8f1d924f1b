import type { SheetModel } from '../read/sheet-layout.ts'
import { comparable } from './comparable.ts'

/** Text that is equal for rows of one record. The text of a cell contains no NUL. */
export function keyOf(
  { reader: { columns } }: SheetModel,
  positions: readonly number[],
  cells: readonly unknown[],
  ignoreCase: boolean,
): string {
  let key = ''
  for (const at of positions) {
    const { column, lookup } = columns[at]!.plan
    key += comparable(cells[at], lookup?.by ?? column, lookup ? lookup.ignoreCase : ignoreCase)
  }
  return key
}
