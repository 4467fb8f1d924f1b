import { Readable } from 'node:stream'
import { inEnglish, message, type Text } from '../core/messages/message.ts'
import { TabularError } from './errors.ts'
import type { CellForm, CellRow, RowBatches, TabularColumn } from './table.ts'

/** A value that a file could not show fully. */
export interface TabularWarning {
  readonly code: 'missing_glyphs' | 'text_cut'
  /** One English sentence. */
  readonly message: string
  /** The same for a client. */
  readonly text: Text
  /** Characters without a glyph, for `missing_glyphs`; at most 1,000. */
  readonly characters?: readonly string[]
}

/** Options of all writers. */
export interface WriteOptions {
  /** Name of the sheet in XLSX, heading of the document in PDF. */
  readonly title?: string
  /** In PDF: what the rows are limited to, for the footer. */
  readonly filters?: string
  /** In CSV: one character. Default: the one of the writer. */
  readonly delimiter?: string
  /** In CSV: the forms of the columns' values. Default: numbers with a point, and ISO 8601. */
  readonly forms?: readonly (CellForm | undefined)[]
  /**
   * In XLSX, whose cells have no time zone: the local time of a timestamp with an offset. `undefined` leaves the timestamp
   * as text. Default: UTC.
   */
  readonly localTime?: (timestamp: string) => string | undefined
  /** More rows are an error, `too_many_rows`. Default: no limit. */
  readonly maxRows?: number
  /** Aborting destroys the stream, as `stream.destroy()` does. */
  readonly signal?: AbortSignal
  /** Called while the file is written, at most once for each code. */
  readonly onWarning?: (warning: TabularWarning) => void
}

/**
 * Writes one file format.
 *
 * The stream reads the rows only as fast as it is read itself, so memory does not grow with them. Only PDF is built
 * completely before its first byte. `destroy()` closes the rows' iterator, and an error of the rows is an error of the
 * stream. The first bytes follow the first rows, so an earlier error can still become a status.
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
  /** Missing npm packages of this format. With any, `write` fails (`missing_package`). */
  missingPackages(): readonly string[]
  write(columns: readonly TabularColumn[], rows: RowBatches, options?: WriteOptions): Readable
}

/** Large enough for few chunks, and small enough for other requests to run in between. */
export const CHUNK_LENGTH = 64 * 1024

/** It starts at the first read. Destroying it ends `chunks`. */
export function byteStream(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): Readable {
  const options = { objectMode: false, highWaterMark: CHUNK_LENGTH }
  return Readable.from(chunks, signal ? { ...options, signal } : options)
}

/** Excel's limit in UTF-16 units. It reports a longer cell as corrupt. */
export const LONGEST_CELL = 32_767

/** The end of a text that was cut. */
export const CUT = '… [cut]'

/** Calls `onCut` if the text is longer than a cell may be. */
export function fitCell(text: string, onCut: () => void): string {
  if (text.length <= LONGEST_CELL) return text
  onCut()
  return text.slice(0, LONGEST_CELL - CUT.length).toWellFormed() + CUT
}

export function cutWarning(cuts: number): TabularWarning {
  const text = message('text_cut', { cells: cuts })
  return { code: 'text_cut', message: inEnglish(text), text }
}

/**
 * The same batches, with an error after `maxRows` rows.
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
    if (count > maxRows) throw new TabularError('too_many_rows', message('too_large.rows', { max: maxRows }))
    yield batch
  }
}
