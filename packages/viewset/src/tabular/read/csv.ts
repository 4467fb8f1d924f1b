import { StringDecoder } from 'node:string_decoder'
import { message } from '../../core/messages/message.ts'
import { restoreFormula } from '../csv/formula.ts'
import { TabularError } from '../errors.ts'
import { detectEncoding, type TextEncoding, textChunks } from './csv-encoding.ts'
import { MOST_TOP_ROWS, type ReadFile } from './file.ts'
import { type FoundRow, rowMaker, topRow } from './found-row.ts'
import type { ReadLimits } from './limits.ts'
import { RowBatches } from './row-batches.ts'

const SNIFFED = 64 * 1024

/**
 * Opens a CSV file of any usual encoding, delimiter and line end.
 *
 * @param head the first bytes of the file
 */
export async function openCsv(path: string, head: Buffer, limits: ReadLimits, signal?: AbortSignal): Promise<ReadFile> {
  const encoding = await detectEncoding(path, head, signal)
  const found = { delimiter: ',' }
  const batches = rowBatches(path, encoding, limits, found, signal)
  try {
    // A batch has at least one row, and no blank ones.
    const { value: start = [] } = await batches.next()
    const top = start.slice(0, MOST_TOP_ROWS).map(topRow)
    const [first] = top
    if (!first) throw new TabularError('unreadable', message('unreadable'))
    const rows = async function* (columns?: readonly number[], header = first) {
      const make = rowMaker(header.texts.length, columns)
      const rest = start.filter(({ row }) => row > header.row)
      if (rest.length > 0) yield rest.map(make)
      for await (const batch of batches) yield batch.map(make)
    }
    const close = async () => void (await batches.return())
    const { name, bom } = encoding
    const csv = { ...found, encoding: name, isPlainUtf8: name === 'utf-8' && bom === 0 }
    return { format: 'csv', csv, sheets: [{ name: '', header: first.texts, top, rows }], close }
  } catch (error) {
    await batches.return()
    throw error
  }
}

async function* rowBatches(
  path: string,
  encoding: TextEncoding,
  limits: ReadLimits,
  found: { delimiter: string },
  signal: AbortSignal | undefined,
): AsyncGenerator<FoundRow[], void, void> {
  let records: CsvRecords | undefined
  for await (const chunk of textChunks(path, encoding, signal)) {
    if (records) {
      yield* records.read(chunk)
      continue
    }
    const head = chunk.toString().slice(0, SNIFFED)
    const { delimiter, length } = readSeparatorLine(head) ?? { delimiter: sniffDelimiter(head), length: 0 }
    found.delimiter = delimiter
    records = new CsvRecords(await import('csv-parse/sync'), delimiter, limits)
    // The line is ASCII, so bytes and characters are equal.
    yield* records.read(typeof chunk === 'string' ? chunk.slice(length) : chunk.subarray(length))
  }
  if (records) yield* records.end()
}

type CsvLibrary = typeof import('csv-parse/sync')

/**
 * Splits the text of a file into records. Text without a quote is split at its delimiters, which takes a third of the
 * parser's time. The parser reads the rest.
 */
class CsvRecords {
  readonly #library: CsvLibrary
  readonly #delimiter: string
  readonly #limits: ReadLimits
  readonly #batches: RowBatches
  readonly #decoder = new StringDecoder('utf8')
  #count = 0
  /** The text after the last whole record. */
  #rest = ''

  constructor(library: CsvLibrary, delimiter: string, limits: ReadLimits) {
    this.#library = library
    this.#delimiter = delimiter
    this.#limits = limits
    this.#batches = new RowBatches(limits)
  }

  read(chunk: Buffer | string): FoundRow[][] {
    const text = this.#rest + (typeof chunk === 'string' ? chunk : this.#decoder.write(chunk))
    this.#rest = text.includes('"') ? this.#parse(text, false) : this.#split(text)
    if (this.#rest.length > this.#limits.maxRecordBytes) throw this.#tooLong()
    return this.#batches.takeAll()
  }

  end(): FoundRow[][] {
    const text = this.#rest + this.#decoder.end()
    if (text.includes('"')) this.#parse(text, true)
    else if (text !== '') for (const record of text.split(LINE_END)) this.#add(record.split(this.#delimiter))
    return this.#batches.takeAll()
  }

  /** Reads the whole records of a text without quotes, and returns what follows them. */
  #split(text: string): string {
    // A line feed may follow a carriage return in the next chunk.
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r', text.length - 2)) + 1
    if (end === 0) return text
    const whole = text.slice(0, end)
    const records = whole.split(whole.includes('\r') ? LINE_END : '\n')
    // Nothing stands behind the last line end.
    for (let at = 0; at < records.length - 1; at++) this.#add((records[at] as string).split(this.#delimiter))
    return text.slice(end)
  }

  #parse(text: string, isEnd: boolean): string {
    const bytes = Buffer.from(text)
    const found = markInnerQuotes(bytes, this.#delimiter)
    const end = isEnd ? bytes.length : found
    try {
      this.#library.parse(bytes.subarray(0, end), {
        delimiter: this.#delimiter,
        // Listed explicitly, because an edited file may mix them.
        record_delimiter: ['\r\n', '\n', '\r'],
        relax_column_count: true,
        max_record_size: this.#limits.maxRecordBytes,
        on_record: (record: string[]) => this.#add(record.map(restoreQuotes)),
      })
    } catch (error) {
      throw this.#describe(error)
    }
    return restoreQuotes(bytes.toString('utf8', end))
  }

  #add(record: readonly string[]): undefined {
    this.#batches.add(
      ++this.#count,
      record.map(text => (text === '' ? null : restoreFormula(text))),
    )
  }

  #describe(error: unknown): unknown {
    if (!(error instanceof this.#library.CsvError)) return error
    const row = this.#count + 1
    switch (error.code) {
      case 'CSV_QUOTE_NOT_CLOSED':
        return new TabularError('unreadable', message('unreadable.open_quote', { row }), error)
      case 'CSV_MAX_RECORD_SIZE':
        return this.#tooLong(error)
      default:
        return new TabularError('unreadable', message('unreadable.quote', { row }), error)
    }
  }

  #tooLong(cause?: Error): TabularError {
    const text = message('too_large.record', { row: this.#count + 1, bytes: this.#limits.maxRecordBytes })
    return new TabularError('too_large', text, cause)
  }
}

const LINE_END = /\r\n|\n|\r/

const DELIMITERS = [',', ';', '\t', '|'] as const

/**
 * The delimiter of a CSV file, from two records outside of quotes: the first that has any delimiter, and the next. Both
 * have it equally often. Else it is the most frequent one of the first, or `,`.
 */
function sniffDelimiter(head: string): string {
  const records = firstRecords(head).slice(0, MOST_TOP_ROWS)
  const start = records.findIndex(record => DELIMITERS.some(delimiter => record.includes(delimiter)))
  const [header = '', first = ''] = records.slice(Math.max(start, 0))
  let best: { delimiter: string; isEven: boolean; count: number } = { delimiter: ',', isEven: false, count: 0 }
  for (const delimiter of DELIMITERS) {
    const count = occurrences(header, delimiter)
    const isEven = count > 0 && count === occurrences(first, delimiter)
    if (isEven === best.isEven ? count > best.count : isEven) best = { delimiter, isEven, count }
  }
  return best.delimiter
}

function firstRecords(head: string): string[] {
  const bare = head.replace(/(^|[,;\t|\r\n])"(?:[^"]|"")*(?:"|$)/g, '$1')
  return bare.split(/\r\n|\n|\r/).filter(record => record.trim() !== '')
}

function occurrences(text: string, character: string): number {
  return text.split(character).length - 1
}

const QUOTE = 0x22
const RETURN = 0x0d
const NEWLINE = 0x0a
/** Stands for a quote inside a cell. No accepted file contains this character. */
const MARK = '\0'

/**
 * Marks quotes inside unquoted cells (`5" nail`). Spreadsheets read them as text; the parser knows only quotes around
 * cells. Returns the end of the last whole record.
 */
function markInnerQuotes(bytes: Buffer, delimiter: string): number {
  const separator = delimiter.charCodeAt(0)
  let state: 'start' | 'cell' | 'quoted' | 'closed' = 'start'
  let end = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      if (state === 'cell') bytes[at] = MARK.charCodeAt(0)
      else state = state === 'quoted' ? 'closed' : 'quoted'
    } else if (state !== 'quoted') {
      const isEnd = byte === NEWLINE || byte === RETURN
      state = isEnd || byte === separator ? 'start' : 'cell'
      // A line feed may follow a carriage return in the next chunk.
      if (isEnd && (byte === NEWLINE || at < bytes.length - 1)) end = at + 1
    }
  }
  return end
}

function restoreQuotes(text: string): string {
  return text.includes(MARK) ? text.replaceAll(MARK, '"') : text
}

/** `sep=;`, perhaps in quotes: Excel reads it as the delimiter and does not show it. */
const SEPARATOR_LINE = /^("?)sep=([\t !#-~])\1(?:\r\n|\n|\r)/i

function readSeparatorLine(head: string): { readonly delimiter: string; readonly length: number } | undefined {
  const [line, , delimiter] = SEPARATOR_LINE.exec(head) ?? []
  return line === undefined || delimiter === undefined ? undefined : { delimiter, length: line.length }
}
