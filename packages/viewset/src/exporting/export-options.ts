import type { Alignment } from '../tabular/table.ts'
import type { TabularWarning } from '../tabular/writer.ts'
import type { ExportFormat } from './formats.ts'

/** How a column looks; what is null is as it would be anyway. */
export interface ExportColumnSettings {
  /** In characters, 1 to 255. */
  readonly width?: number | null | undefined
  readonly header?: string | null | undefined
  /** Where its cells stand, in XLSX and PDF. */
  readonly align?: Alignment | null | undefined
}

/** What an export is told, beside its rows. */
export interface ExportOptions {
  readonly fileType: ExportFormat
  /** The columns, in their order, by the names of code or of the wire. Default: those of `exportFieldConfig`. */
  readonly includes?: readonly string[]
  /** How some columns look. */
  readonly columnConfig?: Readonly<Record<string, ExportColumnSettings>>
  /** Name of the file; its extension is added. Default: the table's name and the time. */
  readonly filename?: string
  /** Heading of a PDF and name of a sheet. Default: the table's name. */
  readonly title?: string
  /** More rows than this are an error. Default for a PDF the setting `EXPORT_PDF_MAX_ROWS`, else none. */
  readonly maxRows?: number
  /** Ends the export and gives its connection back. */
  readonly signal?: AbortSignal | undefined
  /** Told after each batch how many rows were read so far. */
  readonly onProgress?: ((rows: number) => void) | undefined
  /** Told what a file could not show as it is, while it is written. */
  readonly onWarning?: (warning: TabularWarning) => void
}
