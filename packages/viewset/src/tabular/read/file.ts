import type { Text } from '../../core/messages/message.ts'

/** The formats that an import can read. */
export type ImportFormat = 'csv' | 'xls' | 'xlsx'

/** A date, or a date and time, in a workbook's cell, without a time zone. The reader of the cell chooses the zone. */
export class SheetMoment {
  /** `2026-01-15` without a time of day, otherwise `2026-01-15T10:30:00` or `2026-01-15T10:30:00.123456`. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

/** An error in a workbook's cell, such as `#N/A` or `#REF!`. */
export class SheetError {
  readonly error: string

  constructor(error: string) {
    this.error = error
  }

  toString(): string {
    return this.error
  }
}

/**
 * A number in a workbook's cell whose format shows more than the number: a code such as `00501` or `INV-0042`, or a
 * duration such as `8:30`, which is 0.354 days.
 */
export class SheetNumber {
  readonly value: number
  /** The text in the cell; `undefined` if only a spreadsheet program knows it. */
  readonly shown: string | undefined
  /** Whether the format pads a whole number or adds text to it, as people do for codes. */
  readonly isCode: boolean

  constructor(value: number, shown: string | undefined, isCode: boolean) {
    this.value = value
    this.shown = shown
    this.isCode = isCode
  }

  toString(): string {
    return this.shown ?? String(this.value)
  }
}

/** The error of a formula that no program has calculated. */
export const NO_RESULT = '#NO RESULT'

/**
 * A cell of a file. CSV has only text, without the `'` of a neutralised formula. A workbook has text, numbers
 * (also in a format that shows more), booleans, moments and errors. `null` is an empty cell; no cell is `''`.
 */
export type ReadCell = string | number | boolean | SheetNumber | SheetMoment | SheetError | null

/** A row that is not blank. */
export interface ReadRow {
  /** The row number as in a spreadsheet program, which counts titles and blank rows. */
  readonly row: number
  /**
   * The requested columns. Otherwise all cells of the row: fewer than the header if the last ones are empty, more if
   * the row is wider.
   */
  readonly cells: readonly ReadCell[]
  /** Whether a cell after the header's last column is not blank. */
  readonly isWider: boolean
  /** About the text of the row, which could be read in another way. */
  readonly warning?: Text
}

/** A row that may be the header, as text without outer blanks. */
export interface HeaderRow {
  /** As in {@link ReadRow}. */
  readonly row: number
  readonly texts: readonly string[]
}

/** What a spreadsheet program shows of a sheet, and its cells do not say. */
export interface SheetRemarks {
  /** Rows that are hidden, perhaps by a filter. */
  readonly hiddenRows: number
  /** The positions of hidden columns. */
  readonly hiddenColumns: readonly number[]
  readonly mergedAreas: number
  /** Cells that are empty because another cell of their merged area has the value. */
  readonly mergedCells: number
}

/** Most rows among which a header is looked for. */
export const MOST_TOP_ROWS = 30

/** A table of a file. */
export interface ReadSheet {
  /** As in the workbook; `''` for CSV. */
  readonly name: string
  /** Whether people do not see the sheet in their program. */
  readonly isHidden?: boolean
  /** The first row that is not blank, as text without outer blanks; `[]` for an empty sheet. */
  readonly header: readonly string[]
  /** The first rows that are not blank, at most 30. The header is the first of them. */
  readonly top: readonly HeaderRow[]
  /** The number of the header's row, if it is another one. */
  readonly headerRow?: number
  /** In a template: the texts of its example row, by header. */
  readonly example?: ReadonlyMap<string, string>
  /**
   * The rows below the header, read once and only as fast as they are taken. Blank rows are skipped but counted.
   *
   * @param columns distinct positions, from 0, of the wanted cells; default: all
   * @param header one of {@link ReadSheet.top}; default: the first
   * @throws TabularError while reading a damaged or too large file
   */
  rows(columns?: readonly number[], header?: HeaderRow): AsyncIterable<readonly ReadRow[]>
  /** About the rows that were read, in the wanted columns; `undefined` before the last, and for CSV. */
  readonly remarks?: () => SheetRemarks | undefined
}

/** The detected form of a CSV file. */
export interface CsvStyle {
  readonly delimiter: string
  /** Such as `utf-8` or `windows-1252`. */
  readonly encoding: string
  /** Whether the bytes allow other encodings, and nothing names this one. */
  readonly isGuessed: boolean
  /** Whether it is UTF-8 without a byte order mark. */
  readonly isPlainUtf8: boolean
}

/** An open file. Its sheets can be read in any order. */
export interface ReadFile {
  readonly format: ImportFormat
  /** The form of a CSV file; `undefined` for other formats. */
  readonly csv?: CsvStyle
  /** All sheets in the order of the workbook, also hidden ones. CSV has one. */
  readonly sheets: readonly ReadSheet[]
  /** Ends reading and frees resources. Call it for every opened file. */
  close(): Promise<void>
}
