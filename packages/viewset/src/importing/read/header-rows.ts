import { ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import type { ReadSheet } from '../../tabular/read/file.ts'
import type { ReadingOptions } from '../options.ts'
import { headerKey } from '../plan/headers.ts'
import { hintOf, isRecord, OFFERED, shorten } from './sheet-mapping.ts'

/** The rows of the headers that a client sets. */
export type HeaderRows = NonNullable<ReadingOptions['headerRow']>

const LAST_ROW = 9_999_999

/** Whether a value is the number of a row, or an object with the number of each sheet. */
export function isHeaderRows(value: unknown): value is HeaderRows {
  return isRow(value) || (isRecord(value) && Object.values(value).every(isRow))
}

function isRow(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LAST_ROW
}

/** The row of the header of a sheet; `undefined` if it is to be found. */
export function headerRowOf(rows: HeaderRows | undefined, { name }: Pick<ReadSheet, 'name'>): number | undefined {
  if (rows === undefined || typeof rows === 'number') return rows
  const key = headerKey(name)
  return Object.entries(rows).find(([sheet]) => headerKey(sheet) === key)?.[1]
}

/** Whether a sheet lacks the row that should be its header. Saved headers are sheets without rows. */
export function lacksHeaderRow(rows: HeaderRows | undefined, sheet: Pick<ReadSheet, 'name' | 'top'>): boolean {
  const row = headerRowOf(rows, sheet)
  return row !== undefined && sheet.top.length > 0 && !sheet.top.some(top => top.row === row)
}

/** The positions of the sheets that the client names. @throws ValidationError for a sheet that the file lacks */
export function sheetsWithHeaderRow(
  rows: HeaderRows | undefined,
  sheets: readonly Pick<ReadSheet, 'name'>[],
): readonly number[] {
  if (rows === undefined || typeof rows === 'number') return []
  return Object.keys(rows).map(name => {
    const key = headerKey(name)
    const position = sheets.findIndex(sheet => sheet.name !== '' && headerKey(sheet.name) === key)
    if (position === -1) throw unknownSheet(shorten(name), sheets)
    return position
  })
}

function unknownSheet(sheet: string, sheets: readonly Pick<ReadSheet, 'name'>[]): ValidationError {
  const known = sheets.filter(({ name }) => name !== '').slice(0, OFFERED)
  if (known.length === 0) return wrongRow(message('invalid_header_row.csv_sheet', { sheet }))
  const names = known.map(({ name }) => name)
  return wrongRow(message('invalid_header_row.unknown_sheet', { sheet, hint: hintOf(sheet, names) }))
}

/**
 * Checks the sheets that the import reads. Others may lack the row.
 *
 * @throws ValidationError for a row that cannot be the header, or that of a sheet that is not imported
 */
export function checkHeaderRows(
  rows: HeaderRows | undefined,
  sheets: readonly ReadSheet[],
  chosen: readonly ReadSheet[],
): void {
  const unread = sheetsWithHeaderRow(rows, sheets).find(position => !chosen.includes(sheets[position]!))
  if (unread !== undefined) {
    const hint = message('hint.names', { names: chosen.map(({ name }) => name) })
    throw wrongRow(message('invalid_header_row.unread_sheet', { sheet: sheets[unread]!.name, hint }))
  }
  const problems = chosen
    .filter(sheet => lacksHeaderRow(rows, sheet))
    .map(sheet => message('invalid_header_row', { row: headerRowOf(rows, sheet) ?? 0, sheet: sheet.name }))
  if (problems.length > 0) throw wrongRow(...problems)
}

function wrongRow(...problems: readonly ReturnType<typeof message>[]): ValidationError {
  return new ValidationError({ header_row: [...problems] })
}
