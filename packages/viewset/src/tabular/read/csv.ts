import type { Parser } from 'csv-parse'
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
      yield* await records.read(chunk)
      continue
    }
    const head = chunk.toString().slice(0, SNIFFED)
    const { delimiter, length } = readSeparatorLine(head) ?? { delimiter: sniffDelimiter(head), length: 0 }
    found.delimiter = delimiter
    records = new CsvRecords(await import('csv-parse'), delimiter, limits)
    // The line is ASCII, so bytes and characters are equal.
    yield* await records.read(typeof chunk === 'string' ? chunk.slice(length) : chunk.subarray(length))
  }
  if (records) yield* await records.end()
}

type CsvLibrary = typeof import('csv-parse')

class CsvRecords {
  readonly #library: CsvLibrary
  readonly #limits: ReadLimits
  readonly #parser: Parser
  readonly #quotes: InnerQuotes
  readonly #batches: RowBatches
  #count = 0
  /** Bytes since the last record, by chunk. */
  #unfinished = 0

  constructor(library: CsvLibrary, delimiter: string, limits: ReadLimits) {
    this.#library = library
    this.#limits = limits
    this.#batches = new RowBatches(limits)
    this.#quotes = new InnerQuotes(delimiter)
    this.#parser = library.parse({
      delimiter,
      // Listed explicitly, because an edited file may mix them.
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      max_record_size: limits.maxRecordBytes,
      on_record: (record: string[]) => this.#add(record),
    })
    this.#parser.on('error', () => {})
    this.#parser.resume()
  }

  async read(chunk: Buffer | string): Promise<FoundRow[][]> {
    const before = this.#count
    const bytes = Buffer.from(chunk)
    this.#quotes.mark(bytes)
    const batches = await this.#batchesAfter(done => this.#parser.write(bytes, done))
    // The parser's own limit does not count delimiters.
    this.#unfinished = this.#count === before ? this.#unfinished + chunk.length : 0
    if (this.#unfinished > this.#limits.maxRecordBytes) throw this.#tooLong()
    return batches
  }

  end(): Promise<FoundRow[][]> {
    return this.#batchesAfter(done => this.#parser.end(done))
  }

  #batchesAfter(feed: (done: (error?: Error | null) => void) => void): Promise<FoundRow[][]> {
    return new Promise((resolve, reject) => {
      feed(error => {
        if (error) reject(this.#describe(error))
        else resolve(this.#batches.takeAll())
      })
    })
  }

  #add(record: string[]): undefined {
    this.#batches.add(
      ++this.#count,
      record.map(text => (text === '' ? null : restoreFormula(restoreQuotes(text)))),
    )
  }

  #describe(error: Error): Error {
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
 * Finds quotes inside unquoted cells (`5" nail`). Spreadsheets read them as text; the parser knows only quotes around
 * cells.
 */
class InnerQuotes {
  readonly #delimiter: number
  #state: 'start' | 'cell' | 'quoted' | 'closed' = 'start'

  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0)
  }

  mark(chunk: Buffer): void {
    let state = this.#state
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte === QUOTE) {
        if (state === 'cell') chunk[at] = MARK.charCodeAt(0)
        else state = state === 'quoted' ? 'closed' : 'quoted'
      } else if (state !== 'quoted') {
        state = byte === this.#delimiter || byte === NEWLINE || byte === RETURN ? 'start' : 'cell'
      }
    }
    this.#state = state
  }
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
