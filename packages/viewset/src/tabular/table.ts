import type { SheetError, SheetMoment } from './read/file.ts'

/** A value of a table. Decimals, dates and timestamps are text (DESIGN, rule 12); `null` is an empty cell. */
export type Cell = string | number | bigint | boolean | SheetMoment | SheetError | null

/** One cell for each column; cells that are not there are empty. In CSV and XLSX, further ones stand behind the columns. */
export type CellRow = readonly Cell[]

/** Rows in batches of any size, read once and only as fast as the file is taken. Must hold nothing before the first read. */
export type RowBatches = AsyncIterable<readonly CellRow[]> | Iterable<readonly CellRow[]>

/**
 * How the values of a column are shown and typed; a value that does not fit its kind is written as text. A `mixed` column
 * has cells as a file has them that was read: each is of the type of its value, and none is cut.
 */
export type TabularKind = 'text' | 'integer' | 'decimal' | 'float' | 'boolean' | 'date' | 'timestamp' | 'mixed'

export const ALIGNMENTS = ['left', 'center', 'right'] as const
/** Where the cells of a column stand in it. */
export type Alignment = (typeof ALIGNMENTS)[number]

/** A column of a table that is to be written. */
export interface TabularColumn {
  readonly header: string
  readonly kind: TabularKind
  /** In characters, 1 to 255; by default as wide as the header and the first rows need. CSV has no widths. */
  readonly width?: number
  /** By default numbers, and in XLSX dates and times, stand at the right. CSV shows nothing of it. */
  readonly align?: Alignment
  /** Digits behind the point of a decimal, for its number format in XLSX. */
  readonly scale?: number
  /** In XLSX: the header looks as one that must not be left out. */
  readonly required?: boolean
  /** In XLSX: what a person reads who points at the header. */
  readonly note?: string
}
