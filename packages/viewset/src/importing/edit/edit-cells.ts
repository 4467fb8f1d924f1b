import { createHash } from 'node:crypto'
import { clientCellOf, listCell } from '../../exporting/cells.ts'
import type { ReadContext } from '../../kinds/kind.ts'
import { localMoment } from '../../kinds/timestamp.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import { isVersionColumn } from '../../model/version-column.ts'
import { type ReadCell, type ReadRow, SheetError, SheetMoment, SheetNumber } from '../../tabular/read/file.ts'
import type { PlainCell } from '../../tabular/table.ts'
import { LONGEST_CELL, type WriteOptions } from '../../tabular/writer.ts'
import type { ImportColumn } from '../plan/plan.ts'
import type { SeenRecord } from '../write/diff.ts'

/** The length of a {@link stateOf}. */
export const STATE = 8
/** The state of a cell that does not have its whole value. It is no text of {@link stateOf}. */
export const NOT_WHOLE = '!'.repeat(STATE)

/** A short text that differs for other values. */
export function stateOf(value: unknown): string {
  return createHash('sha1')
    .update(JSON.stringify(value ?? null))
    .digest('base64url')
    .slice(0, STATE)
}

/** The state of a record's cell. That of a relation is the key, since the related record may be renamed. */
export function stateIn(column: ImportColumn, { shown, values }: SeenRecord): string {
  const { lookup, links } = column
  return stateOf(lookup && !links ? String(values[column.column.key] ?? '') : shown.get(column))
}

/** The state of a record's version, in a list; empty if its model has no version. */
export function versionStates({ columns }: ModelInfo, { values }: SeenRecord): readonly string[] {
  const version = columns.find(isVersionColumn)
  return version ? [stateOf(String(values[version.key]))] : []
}

/** A timestamp as local time in the API's zone, as an import reads a cell. In an hour that occurs twice, it has its offset. */
export function timeCell(timestamp: string, { timeZone }: ReadContext): string {
  return localMoment(timestamp, timeZone) ?? timestamp
}

/** How a workbook writes {@link timeCell}s: one with an offset stays text. */
export const AS_TIME_CELLS: Pick<WriteOptions, 'localTime'> = { localTime: () => undefined }

/** A stored value as the cell that people edit. */
export function editCell({ column, lookup, links }: ImportColumn, value: unknown, context: ReadContext): PlainCell {
  if (links) return listCell(value, { separator: links.separator }) || null
  const stored = lookup?.by ?? column
  const isTime = stored.kind === 'timestamp' && typeof value === 'string'
  return isTime ? timeCell(value, context) : clientCellOf(stored)(value)
}

/** Whether a cell has its whole text: a spreadsheet program cuts a longer one. */
export function isWhole(cell: PlainCell): boolean {
  return typeof cell !== 'string' || cell.length <= LONGEST_CELL
}

/** Whether two cells of a file show the same: a spreadsheet program may have trimmed a text or changed its line ends. */
export function isSameCell(a: ReadCell | undefined, b: ReadCell | undefined): boolean {
  return plainCellOf(a) === plainCellOf(b)
}

/** The content of a cell, without a difference that a spreadsheet program makes. */
function plainCellOf(cell: ReadCell | undefined): string | number | boolean | null {
  if (cell === null || cell === undefined) return null
  if (cell instanceof SheetNumber) return cell.value
  if (cell instanceof SheetMoment || cell instanceof SheetError) return cell.toString()
  if (typeof cell !== 'string') return cell
  const text = cell.replace(/\r\n?/g, '\n').trim()
  return text === '' ? null : text
}

/** The text of a record's key in a file. A number that has lost digits is the text of no key. */
export function keyText(cell: ReadCell | undefined): string {
  const plain = plainCellOf(cell)
  const isRounded = typeof plain === 'number' && Number.isInteger(plain) && !Number.isSafeInteger(plain)
  return isRounded ? `${plain}…` : String(plain ?? '')
}

export function isEmptyCell(cell: ReadCell | undefined): boolean {
  return plainCellOf(cell) === null
}

/** A short text that differs for rows with other cells. */
export function rowState({ cells }: ReadRow): string {
  return stateOf(cells.map(plainCellOf))
}
