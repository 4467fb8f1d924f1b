import { message } from '../core/messages/message.ts'
import { CellProblem } from '../kinds/cells.ts'
import { kindOf } from '../kinds/kinds.ts'
import type { ColumnInfo } from './model-info.ts'

export const EMPTY_CELL = message('required.cell')

/** The value of an empty cell: null, or the column's default if it has one. `undefined` leaves it to the database. */
export function emptyCellValue(column: ColumnInfo): unknown {
  const { nullable, hasDefault, createValue, hasPlainDefault } = column
  // A constant default also applies to updates; a generated one only to new records.
  if (hasPlainDefault) return createValue?.()
  if (hasDefault || createValue) return undefined
  if (nullable) return null
  const { emptyCell } = kindOf(column)
  return emptyCell ? emptyCell() : new CellProblem(EMPTY_CELL)
}
