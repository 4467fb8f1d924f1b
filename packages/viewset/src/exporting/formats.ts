import { ConfigError } from '../core/errors.ts'
import { suggestion } from '../core/suggestion.ts'
import { csvWriter } from '../tabular/csv/write.ts'
import { type PdfOptions, pdfWriter } from '../tabular/pdf/write.ts'
import type { Alignment } from '../tabular/table.ts'
import type { TabularWarning, TabularWriter } from '../tabular/writer.ts'
import { xlsxWriter } from '../tabular/xlsx/write.ts'
import type { CsvDelimiter, CsvForm } from './csv-form.ts'

const EXPORT_FORMATS = ['csv', 'xlsx', 'pdf'] as const
/** The formats of exported files. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Options of an export's files. */
export interface FormatSettings {
  /** The formats to offer. Default: all whose optional packages are installed. */
  readonly exportFormats?: readonly ExportFormat[]
  /** Starts CSV files with a byte order mark, so that Excel reads them as UTF-8. Default false. */
  readonly csvBom?: boolean
  /** What stands between the cells of CSV files. Default: a semicolon if `csvLocale` has decimal commas, else a comma. */
  readonly csvDelimiter?: CsvDelimiter
  /**
   * The form of numbers, dates and booleans in CSV files, as a language tag such as `de-DE`. An import with the same
   * `locale` reads it. Default: numbers with a point, ISO 8601, `true` and `false`.
   */
  readonly csvLocale?: string
  /** Page size, fonts and limits of PDF files. */
  readonly pdfOptions?: PdfOptions
}

export type Writers = ReadonlyMap<ExportFormat, TabularWriter>

/** @throws ConfigError for an unknown format, for a named format whose packages are missing, and for an empty list. */
export function writersOf(
  subject: string,
  { exportFormats: named, csvBom = false, pdfOptions }: FormatSettings,
): Writers {
  const exportFormats = named ?? EXPORT_FORMATS
  const isList: boolean = Array.isArray(exportFormats)
  if (!isList || exportFormats.length === 0) {
    throw new ConfigError(subject, 'exportFormats', `must name some of ${EXPORT_FORMATS.join(', ')}`)
  }
  const stranger = exportFormats.find(format => !EXPORT_FORMATS.includes(format))
  if (stranger !== undefined) {
    const problem = `unknown format "${stranger}"${suggestion(String(stranger), EXPORT_FORMATS)}`
    throw new ConfigError(subject, 'exportFormats', problem)
  }
  const make = {
    csv: () => csvWriter({ bom: csvBom }),
    xlsx: () => xlsxWriter(),
    pdf: () => pdfWriter(pdfOptions),
  }
  const writers: Writers = new Map(exportFormats.map(format => [format, make[format]()]))
  // If a package is missing, its format is left out. If the resource names that format, it is an error.
  for (const [format, writer] of named ? writers : []) {
    const missing = writer.missingPackages()
    if (missing.length === 0) continue
    const problem = `"${format}" needs packages that are not installed: npm install ${missing.join(' ')}`
    throw new ConfigError(subject, 'exportFormats', problem)
  }
  return writers
}

export function available(writers: Writers): readonly ExportFormat[] {
  return [...writers].flatMap(([format, writer]) => (writer.missingPackages().length === 0 ? [format] : []))
}

/** The look of a column. `null` means the default. */
export interface ExportColumnSettings {
  /** In characters, 1 to 255. */
  readonly width?: number | null | undefined
  readonly header?: string | null | undefined
  /** The alignment of its cells, in XLSX and PDF. */
  readonly align?: Alignment | null | undefined
}

/** Options of an export. */
export interface ExportOptions extends CsvForm {
  readonly fileType: ExportFormat
  /**
   * The columns in their order, by names of code or JSON. Default: those of `exportFieldConfig`. In a workbook, a list of
   * records that is named here gets a sheet of its own.
   */
  readonly includes?: readonly string[]
  /** The look of some columns. */
  readonly columnConfig?: Readonly<Record<string, ExportColumnSettings>>
  /** Name of the file without extension. Default: the table's name and the time. */
  readonly filename?: string
  /** Heading of a PDF and name of a sheet. Default: the table's name. */
  readonly title?: string
  /** What the rows are limited to, for the footer of a PDF. */
  readonly filters?: string
  /** More rows are an error. Default for a PDF: the setting `EXPORT_PDF_MAX_ROWS`; otherwise no limit. */
  readonly maxRows?: number
  /** Ends the export and releases its connection. */
  readonly signal?: AbortSignal | undefined
  /** Called after each batch with the number of rows so far. */
  readonly onProgress?: ((rows: number) => void) | undefined
  /** Called while the file is written, for each value that it cannot show fully. */
  readonly onWarning?: (warning: TabularWarning) => void
}
