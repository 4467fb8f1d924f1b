import type { SheetError, SheetMoment, SheetNumber } from './read/file.ts'

/** A value of a table. Decimals, dates and timestamps are text; `null` is an empty cell. */
export type Cell = PlainCell | WrongCell | GreyCell

/** A {@link Cell} without a color of its own. */
export type PlainCell = string | number | bigint | boolean | SheetNumber | SheetMoment | SheetError | null

/** A cell that XLSX shows in red. It has the type of its value, as in a `mixed` column. CSV has no colors. */
export class WrongCell {
  readonly value: PlainCell

  constructor(value: PlainCell) {
    this.value = value
  }

  toString(): string {
    return String(this.value ?? '')
  }
}

/** A cell that XLSX shows in grey, since it needs no change. Otherwise like a {@link WrongCell}. */
export class GreyCell {
  readonly value: PlainCell

  constructor(value: PlainCell) {
    this.value = value
  }

  toString(): string {
    return String(this.value ?? '')
  }
}

export function isColored(cell: Cell): cell is WrongCell | GreyCell {
  return cell instanceof WrongCell || cell instanceof GreyCell
}

/** A cell for each column. Missing cells are empty. In CSV and XLSX, further cells follow the columns. */
export type CellRow = readonly Cell[]

/**
 * Rows in batches of any size, read once and only as fast as the file is taken. Must hold no resources before the first
 * read.
 */
export type RowBatches = AsyncIterable<readonly CellRow[]> | Iterable<readonly CellRow[]>

/**
 * How the values of a column are typed and shown. A value of another kind is written as text. In a `mixed` column, each
 * cell has the type of its value, as in a file that was read, and none is cut.
 */
export type TabularKind = 'text' | 'integer' | 'decimal' | 'float' | 'boolean' | 'date' | 'timestamp' | 'mixed'

/** Writes a value of a column in another form than the file's own. */
export type CellForm = (value: string | number | bigint | boolean) => string

export const ALIGNMENTS = ['left', 'center', 'right'] as const
/** The alignment of a column's cells. */
export type Alignment = (typeof ALIGNMENTS)[number]

/** A column of a table to write. */
export interface TabularColumn {
  readonly header: string
  readonly kind: TabularKind
  /**
   * In characters, 1 to 255. Default: as wide as the header and nearly all of the first rows, and narrower if many columns
   * share a page. CSV has no widths.
   */
  readonly width?: number
  /** Default: numbers are right-aligned, in XLSX also dates and times. CSV has no alignment. */
  readonly align?: Alignment
  /** Decimal places, for the number format in XLSX. */
  readonly scale?: number
  /** In XLSX: marks the header as required. */
  readonly required?: boolean
  /** In XLSX: a note on the header. */
  readonly note?: string
  /** In XLSX: shows its cells in grey, since they are not to be changed. */
  readonly isLocked?: boolean
  /** In XLSX: writes a longer text smaller, so that it stays on one line of a narrow column. */
  readonly isShrunk?: boolean
  /** In XLSX: the values of a drop-down list. Other values may be typed after a warning. */
  readonly choices?: readonly string[]
}
