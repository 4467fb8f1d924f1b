import { Readable } from 'node:stream'
import { TabularError } from './errors.ts'
import type { CellRow, RowBatches, TabularColumn } from './table.ts'

/** Something a file could not show as it is. */
export interface TabularWarning {
  readonly code: 'missing_glyphs' | 'text_cut'
  /** One English sentence. */
  readonly message: string
  /** The characters that no font has, for `missing_glyphs`; at most 1,000. */
  readonly characters?: readonly string[]
}

/** What all writers take. */
export interface WriteOptions {
  /** Name of the sheet in XLSX, heading of the document in PDF. */
  readonly title?: string
  /** More rows than this are an error, `too_many_rows`. Default: no limit. */
  readonly maxRows?: number
  /** Aborting it destroys the stream, as `stream.destroy()` does. */
  readonly signal?: AbortSignal
  /** Called while the file is written, at most once for each code. */
  readonly onWarning?: (warning: TabularWarning) => void
}

/**
 * Writes one file format from rows (CONTRACT, "Export").
 *
 * The stream reads the rows as it is read itself: memory does not grow with them (PDF excepted, which is built whole
 * before its first byte), and `destroy()` closes their iterator. An error of the rows is an error of the stream. The
 * first bytes come after the first rows, so an error before them can still be answered with a status.
 *
 * @example
 * const file = csvWriter().write([{ header: 'Name', kind: 'text' }], [[['Oslo'], ['Kyiv']]])
 * await pipeline(file, createWriteStream('cities.csv'))
 */
export interface TabularWriter {
  readonly format: 'csv' | 'xlsx' | 'pdf'
  /** For `Content-Type`. */
  readonly contentType: string
  /** Of a file name, without the dot. */
  readonly extension: string
  /** npm packages that this format needs and that are not installed: with any, `write` fails (`missing_package`). */
  missingPackages(): readonly string[]
  write(columns: readonly TabularColumn[], rows: RowBatches, options?: WriteOptions): Readable
}

/** Characters of text that make a chunk: large enough for few chunks, small enough to let other requests in between. */
export const CHUNK_LENGTH = 64 * 1024

/** A byte stream over `chunks`, which starts with the first read and ends them when it is destroyed. */
export function byteStream(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): Readable {
  const options = { objectMode: false, highWaterMark: CHUNK_LENGTH }
  return Readable.from(chunks, signal ? { ...options, signal } : options)
}

/** Excel's limit for the text of a cell, in UTF-16 units; a longer one makes a workbook "corrupt". */
const LONGEST = 32_767

/** Stands at the end of a text that was cut. */
const CUT = '… [cut]'

/** `text`, cut to the length that a cell can hold. Calls `onCut` if it was longer. */
export function fitCell(text: string, onCut: () => void): string {
  if (text.length <= LONGEST) return text
  onCut()
  return text.slice(0, LONGEST - CUT.length).toWellFormed() + CUT
}

/** What there is to say about cells that were cut. */
export function cutWarning(cuts: number): TabularWarning {
  const message =
    cuts === 1
      ? '1 cell had more than 32,767 characters and was cut.'
      : `${cuts} cells had more than 32,767 characters and were cut.`
  return { code: 'text_cut', message }
}

/**
 * The same batches, ending in an error as soon as they hold more than `maxRows` rows.
 *
 * @throws TabularError `too_many_rows`
 */
export async function* limitRows(
  rows: RowBatches,
  maxRows = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly CellRow[]> {
  let count = 0
  for await (const batch of rows) {
    count += batch.length
    if (count > maxRows) throw new TabularError('too_many_rows', `There are more than ${maxRows} rows.`)
    yield batch
  }
}
