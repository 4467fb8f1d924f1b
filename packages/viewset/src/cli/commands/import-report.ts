import type { Reply } from '../../viewset/answer/reply.ts'
import type { ImportData } from '../../viewset/files/import-reply.ts'
import { grouped } from './progress.ts'

/** The terminal shows so many errors. The file of failed rows has all. */
const SHOWN = 20
const WIDEST = 30

export function importReport(filename: string, { data, message }: Reply<ImportData>, failedRows?: string): string {
  const { processed, errors, errors_truncated, warnings = [], warnings_truncated } = data
  const { ignored_columns, ignored_sheets = [], dry_run, unmatched = {} } = data
  const counted = Object.entries(data).filter(([name, value]) => typeof value === 'number' && name !== 'processed')
  const counts = counted.map(([name, value]) => `${grouped(Number(value))} ${name.replaceAll('_', ' ')}`)
  const rows = `${grouped(processed)} ${processed === 1 ? 'row' : 'rows'}`
  return [
    `${filename}: ${rows}: ${counts.join(', ')}.`,
    ...(message === '' && dry_run ? ['This was a dry run: nothing was stored.'] : []),
    ...(message === '' ? [] : [message]),
    ...(ignored_columns.length > 0 ? [`Columns that nothing reads: ${ignored_columns.join(', ')}`] : []),
    ...(ignored_sheets.length > 0 ? [`Sheets that nothing reads: ${ignored_sheets.join(', ')}`] : []),
    ...(errors.length > 0 ? ['', ...problemTable('What is wrong', errors, errors_truncated)] : []),
    ...(warnings.length > 0 ? ['', ...problemTable('Warning', warnings, warnings_truncated)] : []),
    ...unmatchedTexts(unmatched),
    ...(failedRows === undefined ? [] : ['', `To be put right and imported again: ${failedRows}`]),
  ].join('\n')
}

function unmatchedTexts(unmatched: NonNullable<ImportData['unmatched']>): string[] {
  return Object.entries(unmatched).flatMap(([header, texts]) => {
    const shown = texts.slice(0, SHOWN).map(({ text, suggestions: [first] }) => {
      const quoted = `"${oneLine(text)}"`
      return first === undefined ? quoted : `${quoted} ("${oneLine(first)}"?)`
    })
    const others = texts.length > SHOWN ? ', ...' : ''
    return ['', `Texts of ${fit(header)} that match nothing: ${shown.join(', ')}${others}`]
  })
}

type Problems = ImportData['errors'] | NonNullable<ImportData['warnings']>

function problemTable(title: string, problems: Problems, isTruncated = false): string[] {
  const shown = problems.slice(0, SHOWN)
  const header = ['Row', 'Column', title]
  const lines = shown.map(({ row, column = '', message }) => [String(row ?? ''), fit(column), oneLine(message)])
  const [rowWidth, columnWidth] = [0, 1].map(at =>
    Math.max(...[header, ...lines].map(line => line[at]?.length ?? 0)),
  ) as [number, number]
  const table = [header, ...lines].map(([row = '', column = '', message = '']) =>
    `${row.padStart(rowWidth)}  ${column.padEnd(columnWidth)}  ${message}`.trimEnd(),
  )
  const more = problems.length - shown.length
  const others = `... and ${isTruncated ? 'more than ' : ''}${grouped(more)} others`
  return more > 0 ? [...table, others] : table
}

function fit(column: string): string {
  const name = oneLine(column)
  return name.length > WIDEST ? `${name.slice(0, WIDEST - 3).toWellFormed()}...` : name
}

/** A cell of a file may contain control sequences for the terminal. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}
