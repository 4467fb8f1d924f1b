import type { ImportFormat } from '../../tabular/read/file.ts'
import type { ImportCell } from '../import-hooks.ts'
import type { ImportRowError } from '../result.ts'

/**
 * The reason for a column's field: the client's mapping (`mapping`), the field's name (`exact`, or except for `case` or
 * `separators`), a configured header (`configured`), or a similar name (`near`).
 */
export type HeaderReason = 'mapping' | 'exact' | 'case' | 'separators' | 'configured' | 'near'

/** A column of a file and its field in an import. */
export interface PreviewHeader {
  /** As in the file; `(column 3)` for a column without one. */
  readonly header: string
  /** The field or fields that it feeds; `null` for none. Together they are a valid mapping for an import. */
  readonly field: string | readonly string[] | null
  /** `null` if it feeds no field. */
  readonly reason: HeaderReason | null
}

/** A field without a column. */
export interface PreviewField {
  readonly field: string
  /** Whether an import requires it. */
  readonly required: boolean
}

/** One of the first rows of a sheet. */
export interface PreviewRow {
  /** The header is row 1. */
  readonly row: number
  /** The cells in the order of columns. Long texts are cut. */
  readonly cells: readonly ImportCell[]
  /** The values read from it, by field: lookup values of foreign keys, and no entry for invalid cells and defaults. */
  readonly values: Readonly<Record<string, unknown>>
  /** The errors of its cells, found without the database. */
  readonly problems: readonly ImportRowError[]
}

/** A sheet of a file as an import would read it. */
export interface PreviewSheet {
  /** As in the workbook; `''` for CSV. */
  readonly name: string
  /** The model of its rows; `null` if each row becomes records of several. */
  readonly model: string | null
  readonly headers: readonly PreviewHeader[]
  readonly missing: readonly PreviewField[]
  /** The first 20 rows that are not blank. */
  readonly rows: readonly PreviewRow[]
  /** The reasons why the sheet cannot be imported yet. */
  readonly problems: readonly string[]
}

/** The result of `ImportService.preview`. */
export interface ImportPreview {
  readonly format: ImportFormat
  /** The encoding of a CSV file, such as `utf-8`; `null` for a workbook. */
  readonly encoding: string | null
  /** The delimiter of a CSV file; `null` for a workbook. */
  readonly delimiter: string | null
  /** The sheets that an import would read, or could read with a mapping. */
  readonly sheets: readonly PreviewSheet[]
  /** Names of sheets that an import would skip. */
  readonly ignoredSheets: readonly string[]
  /** The reasons why the choice of sheets is unclear. */
  readonly problems: readonly string[]
}
