import { errorCode, type Text } from '../../core/messages/message.ts'
import type { ImportRowProblem } from '../result.ts'
import type { ModelReader } from './model-reader.ts'
import type { SheetModel } from './sheet-layout.ts'

export interface ImportRow {
  readonly number: number
  /** Its values and lookup values, by the positions of the sheet's models and their columns. */
  readonly cells: readonly unknown[][]
  /** A row with errors is not imported: nothing of it is stored. */
  readonly errors: ImportRowProblem[]
  /** Reported if the row does not fail. */
  readonly warnings: ImportRowProblem[]
  isSkipped: boolean
}

/** Whether a row only deletes its record, which is of the last model of its sheet. */
export function isDeletion({ deletion }: ModelReader, cells: readonly unknown[]): boolean {
  return deletion !== -1 && cells[deletion] === true
}

export function rowError(
  { reader, columns }: SheetModel,
  { number: row }: Pick<ImportRow, 'number'>,
  field: string,
  text: Text,
): ImportRowProblem {
  const header = columns.find(column => column.field === field)?.header
  return {
    row,
    field,
    ...(header !== undefined && { column: header }),
    message: String(text),
    code: errorCode(text),
    model: reader.plan.key,
  }
}

export function isLeft(row: ImportRow): boolean {
  return !hasFailed(row) && !row.isSkipped
}

export function hasFailed({ errors }: ImportRow): boolean {
  return errors.length > 0
}
