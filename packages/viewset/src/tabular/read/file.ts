/** The formats that an import reads. */
export type ImportFormat = 'csv' | 'xls' | 'xlsx'

/**
 * A date, or a date and time, as the cell of a workbook has it: without a time zone. Which one is meant is for the
 * reader of the cell to know.
 */
export class SheetMoment {
  /** `2026-01-15` where it has no time of day, else `2026-01-15T10:30:00` or `2026-01-15T10:30:00.123456`. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

/** A cell of a workbook that shows an error instead of a value, such as `#N/A` or `#REF!`. */
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
 * A cell as the file has it. CSV has only text, from which the `'` of a neutralised formula is already taken; a
 * workbook has text, numbers, booleans, moments and errors. `null` is an empty cell: no cell has the text `''`.
 */
export type ReadCell = string | number | boolean | SheetMoment | SheetError | null

/** A row that is not blank. */
export interface ReadRow {
  /** The number that a person sees in the sheet, or would see if the CSV were opened in one: the header's is 1. */
  readonly row: number
  /**
   * Those of the columns that were asked for. Else as many as the row has: fewer than the header where the last ones are
   * empty, more where it has too many.
   */
  readonly cells: readonly ReadCell[]
  /** Whether a cell that is not blank stands beyond the header. */
  readonly isWider: boolean
}

/** A table of a file. */
export interface ReadSheet {
  /** As the workbook shows it; `''` for CSV. */
  readonly name: string
  /** The text of the cells of the first row that is not blank, without outer blanks; `[]` for an empty sheet. */
  readonly header: readonly string[]
  /**
   * The rows below the header, read once and only as fast as they are taken. Blank rows are left out, but counted.
   *
   * @param columns positions, from 0, of the cells that are wanted, each once; all by default
   * @throws TabularError while reading, when the file turns out to be damaged or too large
   */
  rows(columns?: readonly number[]): AsyncIterable<readonly ReadRow[]>
}

/** How a CSV file is written, as its reader has found out. */
export interface CsvStyle {
  readonly delimiter: string
  /** Such as `utf-8` or `windows-1252`. */
  readonly encoding: string
  /** Whether it is UTF-8 without a byte order mark, as programs write it. */
  readonly isPlainUtf8: boolean
}

/** An open file, whose sheets can be read in any order. */
export interface ReadFile {
  readonly format: ImportFormat
  /** How a CSV file is written; other formats have none. */
  readonly csv?: CsvStyle
  /** The visible and the hidden ones, in the order of the workbook; CSV has one. */
  readonly sheets: readonly ReadSheet[]
  /** Frees what the file holds; reading ends. To be called once the file was opened, whatever happened to it. */
  close(): Promise<void>
}
