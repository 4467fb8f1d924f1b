import type { Cell, CellForm, RowBatches, TabularColumn, TabularKind } from '../table.ts'
import { byteStream, CHUNK_LENGTH, limitRows, type TabularWriter } from '../writer.ts'
import { neutraliseFormula } from './formula.ts'

/** Options of a CSV file. */
export interface CsvOptions {
  /** One character. Default `,`. */
  readonly delimiter?: string
  /** Starts the file with a byte order mark, so that Excel reads UTF-8. Default false. */
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
    write: (columns, rows, { maxRows, signal, delimiter = options.delimiter ?? ',', forms = [] } = {}) =>
      byteStream(csvChunks(columns, limitRows(rows, maxRows), { ...options, delimiter, forms }), signal),
  }
}

interface CsvForms extends CsvOptions {
  readonly delimiter: string
  readonly forms: readonly (CellForm | undefined)[]
}

async function* csvChunks(columns: readonly TabularColumn[], rows: RowBatches, options: CsvForms) {
  const { delimiter, bom = false, forms } = options
  // Beside semicolons, a reader could take decimal commas for delimiters.
  const quote = quoting(delimiter === ',' ? delimiter : delimiter + DELIMITERS)
  const quoteMixed = quoting(delimiter + DELIMITERS)
  const quoteOf = ({ kind }: TabularColumn) => (kind === 'mixed' ? quoteMixed : quote)
  const writers = columns.map((column, index) => fieldWriter(column.kind, quoteOf(column), forms[index]))
  const writeBeyond = fieldWriter('mixed', quoteMixed)
  const fields: string[] = []
  let text = `${bom ? '\uFEFF' : ''}${headerLine(columns, delimiter, quoteOf)}\r\n`
  for await (const batch of rows) {
    for (const row of batch) {
      fields.length = writers.length
      for (let i = 0; i < writers.length; i++) fields[i] = writers[i]!(row[i] ?? null)
      for (let i = writers.length; i < row.length; i++) fields[i] = writeBeyond(row[i]!)
      text += fields.join(delimiter)
      // Most readers skip an empty line.
      if (writers.length === 1 && (row[0] ?? null) === null) text += '""'
      text += '\r\n'
      if (text.length < CHUNK_LENGTH) continue
      yield Buffer.from(text)
      text = ''
    }
  }
  if (text !== '') yield Buffer.from(text)
}

type Quote = (text: string) => string

/** Quotes cells with any usual delimiter, because readers guess the delimiter of such a file. */
const DELIMITERS = ',;\t|'

function headerLine(
  columns: readonly TabularColumn[],
  delimiter: string,
  quoteOf: (column: TabularColumn) => Quote,
): string {
  const fields = columns.map(column => quoteOf(column)(neutraliseFormula(column.header)))
  // Excel rejects a file that begins with the letters ID as damaged SYLK.
  if (fields[0]?.startsWith('ID')) fields[0] = `"${fields[0]}"`
  return fields.join(delimiter)
}

function fieldWriter(kind: TabularKind, quote: Quote, form?: CellForm): FieldWriter {
  const numeric = kind === 'integer' || kind === 'decimal' || kind === 'float' || kind === 'mixed'
  if (form) return formWriter(kind, quote, form, fieldWriter(kind, quote))
  return cell => {
    if (cell === null) return ''
    if (typeof cell === 'object') return quote(neutraliseFormula(String(cell)))
    if (typeof cell !== 'string') return String(cell)
    // A client's value for a number column may be any text.
    if (numeric && isNumber(cell)) return cell
    return quote(neutraliseFormula(cell))
  }
}

/** Values of other kinds are written as without a form. */
function formWriter(kind: TabularKind, quote: Quote, form: CellForm, plain: FieldWriter): FieldWriter {
  const isDay = kind === 'date' || kind === 'timestamp'
  const isTruth = kind === 'boolean'
  return cell => {
    switch (typeof cell) {
      case 'boolean':
        return isTruth || kind === 'text' ? quote(form(cell)) : plain(cell)
      case 'number':
      case 'bigint':
        return isTruth || isDay ? plain(cell) : quote(form(cell))
      case 'string':
        if (isDay) return quote(neutraliseFormula(form(cell)))
        return !isTruth && kind !== 'text' && isNumber(cell) ? quote(form(cell)) : plain(cell)
      default:
        return plain(cell)
    }
  }
}

function isNumber(text: string): boolean {
  return /^-?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|Infinity)$/.test(text)
}

function quoting(delimiters: string): Quote {
  const escaped = delimiters.replace(/[\\\]^-]/g, '\\$&')
  const special = new RegExp(`["${escaped}\\r\\n]|^\\s|\\s$|^$`)
  return text => (special.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
}
