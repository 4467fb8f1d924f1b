import { ConfigError, type FieldErrors } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import { shownValue } from '../core/text.ts'
import { formOf, formsOfLocale, LocaleFault, type LocaleForm, type LocaleForms } from '../kinds/locale/locale-forms.ts'
import type { CellForm } from '../tabular/table.ts'
import type { WriteOptions } from '../tabular/writer.ts'
import type { ExportColumn } from './export-columns.ts'

export const CSV_DELIMITERS = [',', ';', '\t'] as const
/** The text between two cells of a CSV file. */
export type CsvDelimiter = (typeof CSV_DELIMITERS)[number]

/** The form of CSV files. `null` means the default. */
export interface CsvForm {
  readonly delimiter?: CsvDelimiter | null | undefined
  /** A language tag, such as `de-DE`. */
  readonly locale?: string | null | undefined
}

/** @throws ConfigError */
export function checkCsvForm(subject: string, { delimiter, locale }: CsvForm): void {
  if (delimiter !== undefined && !isDelimiter(delimiter)) {
    throw new ConfigError(subject, 'csvDelimiter', 'must be a comma, a semicolon or a tab')
  }
  const forms = locale === undefined ? undefined : formsOfLocale(locale)
  if (forms instanceof LocaleFault) throw new ConfigError(subject, 'csvLocale', forms.problem)
}

export function csvFormErrors({ delimiter, locale }: CsvForm): FieldErrors {
  const forms = locale === undefined || locale === null ? undefined : formsOfLocale(locale)
  const isUnknown = delimiter !== undefined && delimiter !== null && !isDelimiter(delimiter)
  return {
    ...(isUnknown && { delimiter: [message('invalid_delimiter', { value: shownValue(delimiter) })] }),
    ...(forms instanceof LocaleFault && { locale: [forms.text] }),
  }
}

function isDelimiter(value: unknown): value is CsvDelimiter {
  return CSV_DELIMITERS.some(known => known === value)
}

/** Where the comma is the decimal sign, programs expect semicolons between cells. */
export function csvWriteOptions(
  columns: readonly ExportColumn[],
  { delimiter, locale }: CsvForm,
  timeZone: string,
): Pick<WriteOptions, 'delimiter' | 'forms'> {
  const forms = locale ? formsOfLocale(locale) : undefined
  if (!forms || forms instanceof LocaleFault) return delimiter ? { delimiter } : {}
  const standard = forms.decimal?.write(0.5).includes(',') ? ';' : ','
  return { delimiter: delimiter ?? standard, forms: columns.map(column => cellForm(column, forms, timeZone)) }
}

/** As an import with the locale reads a column. It reads no column of a function. */
function cellForm({ source, kind }: ExportColumn, forms: LocaleForms, timeZone: string): CellForm | undefined {
  if (source.from === 'function')
    return value => (forms[typeof value === 'boolean' ? 'boolean' : 'float'] as LocaleForm).write(value)
  // The text of a version is the same in every locale.
  if (kind === 'text') return undefined
  const info = source.from === 'column' ? source.column : source.from === 'expression' ? source.field.value : undefined
  const form = info && formOf(info, forms)
  if (!form) return undefined
  return value => (form.writeIn ? form.writeIn(String(value), timeZone) : form.write(value))
}
