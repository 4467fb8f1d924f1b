import { errorCode, Message, message, type Text } from '../../core/messages/message.ts'
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
  const { header, isSensitive = false } = columns.find(column => column.field === field) ?? {}
  return {
    row,
    field,
    ...(header !== undefined && { column: header }),
    message: String(isSensitive && mayQuote(text) ? message('invalid.sensitive') : text),
    code: errorCode(text),
    model: reader.plan.key,
  }
}

/** Messages that name fields and rows, and no cell. */
const ABOUT_FIELDS: readonly string[] = ['required', 'unique', 'repeated_row', 'does_not_exist.row', 'ambiguous.row']

/** Whether a message may quote a cell. A text of the application is its own affair. */
function mayQuote(text: Text): boolean {
  if (!(text instanceof Message) || ABOUT_FIELDS.includes(text.name) || ABOUT_FIELDS.includes(text.code)) return false
  return Object.values(text.params ?? {}).some(param => typeof param !== 'number')
}

export function isLeft(row: ImportRow): boolean {
  return !hasFailed(row) && !row.isSkipped
}

export function hasFailed({ errors }: ImportRow): boolean {
  return errors.length > 0
}
