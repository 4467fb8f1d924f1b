import { StringDecoder } from 'node:string_decoder'
import { message } from '../../core/messages/message.ts'
import { restoreFormula } from '../csv/formula.ts'
import { TabularError } from '../errors.ts'
import {
  detectEncoding,
  type EncodingChoice,
  isDecodable,
  type TextEncoding,
  textBeforeFault,
  textChunks,
} from './csv-encoding.ts'
import { MOST_TOP_ROWS, type ReadFile } from './file.ts'
import { type FoundRow, rowMaker, topRow } from './found-row.ts'
import type { ReadLimits } from './limits.ts'
import { RowBatches } from './row-batches.ts'

const SNIFFED = 64 * 1024

export interface CsvOptions extends EncodingChoice {
  readonly limits: ReadLimits
  readonly signal?: AbortSignal | undefined
}

/**
 * Opens a CSV file of any usual encoding, delimiter and line end.
 *
 * @param head the first bytes of the file
 */
export async function openCsv(path: string, head: Buffer, options: CsvOptions): Promise<ReadFile> {
  const { limits, signal } = options
  const encoding = await detectEncoding(path, head, options, signal)
  // An import may store the first rows before it reads the last.
  if (!encoding.isChecked && !(await isDecodable(path, encoding, signal))) {
    throw await undecodable(path, encoding, limits)
  }
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
    const { name, bom, isGuessed } = encoding
    const csv = { ...found, encoding: name, isGuessed, isPlainUtf8: name === 'utf-8' && bom === 0 }
    return { format: 'csv', csv, sheets: [{ name: '', header: first.texts, top, rows }], close }
  } catch (error) {
    await batches.return()
    throw error
  }
}

/** Names the row of the first bytes that are no text. */
async function undecodable(path: string, encoding: TextEncoding, limits: ReadLimits): Promise<TabularError> {
  let records: CsvRecords | undefined
  for await (const text of textBeforeFault(path, encoding)) {
    const start = records ? 0 : styleOf(text).length
    records ??= new CsvRecords(await import('csv-parse/sync'), styleOf(text).delimiter, limits)
    records.read(text.slice(start))
  }
  const row = (records?.count ?? 0) + 1
  return new TabularError('unreadable', message('unreadable.bytes', { row, encoding: encoding.name }))
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
    const { delimiter, length } = styleOf(chunk.toString())
    found.delimiter = delimiter
    records = new CsvRecords(await import('csv-parse/sync'), delimiter, limits)
    // The line is ASCII, so bytes and characters are equal.
    yield* records.read(typeof chunk === 'string' ? chunk.slice(length) : chunk.subarray(length))
  }
  if (records) yield* records.end()
}

/** The delimiter, and the length of a line that says it. */
function styleOf(text: string): { readonly delimiter: string; readonly length: number } {
  const head = text.slice(0, SNIFFED)
  return readSeparatorLine(head) ?? { delimiter: sniffDelimiter(head), length: 0 }
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

  /** The records that are read. */
  get count(): number {
    return this.#count
  }

  read(chunk: Buffer | string): FoundRow[][] {
    const text = this.#rest + (typeof chunk === 'string' ? chunk : this.#decoder.write(chunk))
    this.#rest = text.includes('"') ? this.#parse(text, false) : this.#split(text)
    if (this.#rest.length > this.#limits.maxRecordBytes) throw this.#tooLong()
    return this.#batches.takeAll()
  }

  end(): FoundRow[][] {
    const whole = this.#rest + this.#decoder.end()
    const text = whole.endsWith(END_OF_FILE) ? whole.slice(0, -1) : whole
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
    const marked = markQuotes(Buffer.from(bytes), this.#delimiter, isEnd)
    const first = this.#count + 1
    const repaired = new Set([...marked.repaired].map(record => first + record))
    try {
      this.#library.parse(marked.bytes.subarray(0, marked.end), {
        delimiter: this.#delimiter,
        // Listed explicitly, because an edited file may mix them.
        record_delimiter: ['\r\n', '\n', '\r'],
        relax_column_count: true,
        max_record_size: this.#limits.maxRecordBytes,
        on_record: (record: string[]) => this.#add(record.map(restoreQuotes), repaired),
      })
    } catch (error) {
      throw this.#describe(error)
    }
    return bytes.toString('utf8', marked.end)
  }

  #add(record: readonly string[], repaired?: ReadonlySet<number>): undefined {
    const row = ++this.#count
    const cells = record.map(text => restoreFormula(text) || null)
    this.#batches.add(row, cells, undefined, repaired?.has(row) ? TEXT_BEHIND_QUOTE : undefined)
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
/** Programs of DOS end a file with it. */
const END_OF_FILE = '\u001A'
const TEXT_BEHIND_QUOTE = message('text_behind_quote')

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

interface MarkedQuotes {
  readonly bytes: Buffer
  /** The end of the last whole record. */
  readonly end: number
  /** The records, from 0, with text behind a closing quote. */
  readonly repaired: ReadonlySet<number>
}

/**
 * Makes quotes strict, since the parser knows only quotes around cells. Spreadsheets read quotes inside a cell (`5" nail`)
 * as text: they are marked. They read text behind a closing quote (`"A" 1`) as the rest of the cell: the quote is moved to
 * its end. If the cell has several lines, the parser refuses it: a quote of another row is missing.
 *
 * @param bytes are changed
 */
function markQuotes(bytes: Buffer, delimiter: string, isEnd: boolean): MarkedQuotes {
  const separator = delimiter.charCodeAt(0)
  const repaired = new Set<number>()
  let state: 'start' | 'cell' | 'quoted' | 'closed' | 'behind' = 'start'
  let end = 0
  let closing = 0
  let hasLineEnd = false
  let record = 0
  const endCell = (at: number) => {
    if (state !== 'behind') return
    bytes.copyWithin(closing, closing + 1, at)
    bytes[at - 1] = QUOTE
    repaired.add(record)
  }
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      if (state === 'cell' || state === 'behind') bytes[at] = MARK.charCodeAt(0)
      else {
        if (state === 'quoted') closing = at
        else if (state === 'start') hasLineEnd = false
        state = state === 'quoted' ? 'closed' : 'quoted'
      }
    } else if (state === 'quoted') hasLineEnd ||= byte === NEWLINE || byte === RETURN
    else {
      const isLineEnd = byte === NEWLINE || byte === RETURN
      if (isLineEnd || byte === separator) {
        endCell(at)
        state = 'start'
      } else if (state === 'closed') state = hasLineEnd ? 'cell' : 'behind'
      else if (state === 'start') state = 'cell'
      if (!isLineEnd) continue
      if (byte === RETURN || bytes[at - 1] !== RETURN) record++
      // A line feed may follow a carriage return in the next chunk.
      if (byte === NEWLINE || at < bytes.length - 1) end = at + 1
    }
  }
  if (!isEnd) return { bytes, end, repaired }
  endCell(bytes.length)
  return { bytes, end: bytes.length, repaired }
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
