import type { ImportFormat } from '../../tabular/read/file.ts'
import type { ImportCell } from '../import-hooks.ts'
import type { ImportRowError } from '../result.ts'

/**
 * Why a column is taken for a field: the client's mapping says so, the header is the field's name (`exact`, or but for
 * `case` or `separators`), the configuration calls the field so, or its name is near.
 */
export type HeaderReason = 'mapping' | 'exact' | 'case' | 'separators' | 'configured' | 'near'

/** A column of a file and what an import would take it for. */
export interface PreviewHeader {
  /** As the file has it; `(column 3)` for a column without one. */
  readonly header: string
  /** The field that it feeds, or the fields; `null` for none. Together they are a mapping that imports take. */
  readonly field: string | readonly string[] | null
  /** `null` where it feeds nothing. */
  readonly reason: HeaderReason | null
}

/** A field that no column feeds. */
export interface PreviewField {
  readonly field: string
  /** Whether an import cannot do without it. */
  readonly required: boolean
}

/** One of the first rows of a sheet. */
export interface PreviewRow {
  /** As a person counts: the header is row 1. */
  readonly row: number
  /** What stands in the file, column by column. Long texts are cut. */
  readonly cells: readonly ImportCell[]
  /** What is read from it, by field: what foreign keys are looked up by, and nothing for what is wrong or left to its default. */
  readonly values: Readonly<Record<string, unknown>>
  /** What is wrong with its cells; the database has not been asked. */
  readonly problems: readonly ImportRowError[]
}

/** A sheet of a file, as an import would read it. */
export interface PreviewSheet {
  /** As the workbook has it; `''` for CSV. */
  readonly name: string
  /** The model that its rows become; `null` where each row becomes records of several. */
  readonly model: string | null
  readonly headers: readonly PreviewHeader[]
  readonly missing: readonly PreviewField[]
  /** The first 20 rows that are not blank. */
  readonly rows: readonly PreviewRow[]
  /** Why the sheet could not be imported so. */
  readonly problems: readonly string[]
}

/** What an import would make of a file (see `ImportService.preview`). */
export interface ImportPreview {
  readonly format: ImportFormat
  /** Of the text of a CSV file, such as `utf-8`; `null` for a workbook. */
  readonly encoding: string | null
  /** Between the cells of a CSV file; `null` for a workbook. */
  readonly delimiter: string | null
  /** Those that an import would read, or that it might be told to. */
  readonly sheets: readonly PreviewSheet[]
  /** Names of sheets that an import would not read. */
  readonly ignoredSheets: readonly string[]
  /** Why it is not known which sheets are meant. */
  readonly problems: readonly string[]
}
