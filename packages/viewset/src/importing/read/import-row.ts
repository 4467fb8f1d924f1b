import { NON_FIELD_ERRORS } from '../../core/errors.ts'
import { errorCode, Message, message, type Text } from '../../core/messages/message.ts'
import type { ImportRowProblem } from '../result.ts'
import type { ModelReader } from './model-reader.ts'
import type { SheetColumn, SheetModel } from './sheet-layout.ts'

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
  const column = columns.find(column => column.field === field) ?? listOf(columns, field)
  const { header, isSensitive = false } = column ?? {}
  const shown = column && column.field !== field ? inEntry(field, text) : text
  return {
    row,
    field: column?.field ?? field,
    ...(header !== undefined && { column: header }),
    message: String(isSensitive && mayQuote(shown) ? message('invalid.sensitive') : shown),
    code: errorCode(text),
    model: reader.plan.key,
  }
}

/** The column of the list to which a path such as `lines.0.quantity` leads. */
function listOf(columns: readonly SheetColumn[], path: string): SheetColumn | undefined {
  const [name] = path.split('.')
  return path === name ? undefined : columns.find(({ plan }) => plan.list?.wire === name)
}

/** Counts entries from 1, as people do: `lines.0.boxes.1.label` is `1, boxes 2, label`. */
function inEntry(path: string, problem: Text): Message {
  const [, ...parts] = path.split('.').filter(part => part !== NON_FIELD_ERRORS)
  const place = parts.map(part => (/^\d+$/.test(part) ? String(Number(part) + 1) : part))
  const isEntry = (at: number) => at > 0 && /^\d+$/.test(parts[at] ?? '')
  const shown = place.map((part, at) => (at === 0 ? part : `${isEntry(at) ? ' ' : ', '}${part}`)).join('')
  return message('invalid.entry', { place: shown, path, problem })
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
