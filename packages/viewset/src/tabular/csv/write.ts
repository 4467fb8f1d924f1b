import { limitRows } from '../row-limit.ts'
import type { Cell, RowBatches, TabularColumn, TabularKind } from '../table.ts'
import { byteStream, CHUNK_LENGTH, type TabularWriter } from '../writer.ts'
import { neutraliseFormula } from './formula.ts'

/** How a CSV file is written. */
export interface CsvOptions {
  /** Default `,`. */
  readonly delimiter?: ',' | ';' | '\t' | '|'
  /** Starts the file with a byte order mark, by which Excel knows UTF-8. Default false. */
  readonly bom?: boolean
}

type FieldWriter = (cell: Cell) => string

/**
 * Writes CSV: RFC 4180, UTF-8, empty cells as nothing and empty text as `""`. Text that a spreadsheet would run as a
 * formula gets a leading `'` (see {@link neutraliseFormula}); numbers never do.
 *
 * @example
 * csvWriter({ bom: true }).write(columns, rows).pipe(response)
 */
export function csvWriter(options: CsvOptions = {}): TabularWriter {
  return {
    format: 'csv',
    contentType: 'text/csv; charset=utf-8',
    extension: 'csv',
    missingPackages: () => [],
    write: (columns, rows, { maxRows, signal } = {}) =>
      byteStream(csvChunks(columns, limitRows(rows, maxRows), options), signal),
  }
}

async function* csvChunks(columns: readonly TabularColumn[], rows: RowBatches, options: CsvOptions) {
  const { delimiter = ',', bom = false } = options
  const quote = quoting(delimiter)
  const writers = columns.map(column => fieldWriter(column.kind, quote))
  const fields: string[] = []
  let text = `${bom ? '\uFEFF' : ''}${headerLine(columns, delimiter, quote)}\r\n`
  for await (const batch of rows) {
    for (const row of batch) {
      for (let i = 0; i < writers.length; i++) fields[i] = writers[i]!(row[i] ?? null)
      text += fields.join(delimiter)
      // An empty line is no row to most readers.
      if (writers.length === 1 && (row[0] ?? null) === null) text += '""'
      text += '\r\n'
      if (text.length < CHUNK_LENGTH) continue
      yield Buffer.from(text)
      text = ''
    }
  }
  if (text !== '') yield Buffer.from(text)
}

function headerLine(columns: readonly TabularColumn[], delimiter: string, quote: (text: string) => string): string {
  const fields = columns.map(({ header }) => quote(neutraliseFormula(header)))
  // Excel takes a file that starts with the bare letters ID for SYLK and refuses it.
  if (fields[0]?.startsWith('ID')) fields[0] = `"${fields[0]}"`
  return fields.join(delimiter)
}

function fieldWriter(kind: TabularKind, quote: (text: string) => string): FieldWriter {
  const numeric = kind === 'integer' || kind === 'decimal' || kind === 'float'
  return cell => {
    if (cell === null) return ''
    if (typeof cell !== 'string') return String(cell)
    // What a client sends for a number column may be anything: only a whole number is left alone.
    if (numeric && isNumber(cell)) return cell
    return quote(neutraliseFormula(cell))
  }
}

function isNumber(text: string): boolean {
  return /^-?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|Infinity)$/.test(text)
}

function quoting(delimiter: string): (text: string) => string {
  const special = new RegExp(`["${delimiter}\\r\\n]|^\\s|\\s$|^$`)
  return text => (special.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
}
