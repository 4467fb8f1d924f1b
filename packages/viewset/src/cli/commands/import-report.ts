import type { Reply } from '../../viewset/answer/reply.ts'
import type { ImportData } from '../../viewset/files/import-reply.ts'
import { grouped } from './progress.ts'

/** The terminal shows so many errors. The file of failed rows has all. */
const SHOWN = 20
const WIDEST = 30

export function importReport(filename: string, { data, message }: Reply<ImportData>, failedRows?: string): string {
  const { processed, errors, ignored_columns, ignored_sheets = [], dry_run } = data
  const counted = Object.entries(data).filter(([name, value]) => typeof value === 'number' && name !== 'processed')
  const counts = counted.map(([name, value]) => `${grouped(Number(value))} ${name.replaceAll('_', ' ')}`)
  const rows = `${grouped(processed)} ${processed === 1 ? 'row' : 'rows'}`
  return [
    `${filename}: ${rows}: ${counts.join(', ')}.`,
    ...(message === '' && dry_run ? ['This was a dry run: nothing was stored.'] : []),
    ...(message === '' ? [] : [message]),
    ...(ignored_columns.length > 0 ? [`Columns that nothing reads: ${ignored_columns.join(', ')}`] : []),
    ...(ignored_sheets.length > 0 ? [`Sheets that nothing reads: ${ignored_sheets.join(', ')}`] : []),
    ...(errors.length > 0 ? ['', ...errorTable(data)] : []),
    ...(failedRows === undefined ? [] : ['', `To be put right and imported again: ${failedRows}`]),
  ].join('\n')
}

function errorTable({ errors, errors_truncated }: ImportData): string[] {
  const shown = errors.slice(0, SHOWN)
  const lines = shown.map(({ row, column = '', message }) => [String(row), fit(column), oneLine(message)])
  const [rowWidth, columnWidth] = [0, 1].map(at =>
    Math.max(...[HEADER, ...lines].map(line => line[at]?.length ?? 0)),
  ) as [number, number]
  const table = [HEADER, ...lines].map(([row = '', column = '', message = '']) =>
    `${row.padStart(rowWidth)}  ${column.padEnd(columnWidth)}  ${message}`.trimEnd(),
  )
  const more = errors.length - shown.length
  const others = `... and ${errors_truncated ? 'more than ' : ''}${grouped(more)} other errors`
  return more > 0 ? [...table, others] : table
}

const HEADER = ['Row', 'Column', 'What is wrong']

function fit(column: string): string {
  const name = oneLine(column)
  return name.length > WIDEST ? `${name.slice(0, WIDEST - 3).toWellFormed()}...` : name
}

/** A cell of a file may contain control sequences for the terminal. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}
