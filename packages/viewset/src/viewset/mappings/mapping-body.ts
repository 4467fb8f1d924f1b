import { type FieldErrors, NON_FIELD_ERRORS, ValidationError } from '../../core/errors.ts'
import { type Message, message } from '../../core/messages/message.ts'
import { shownValue } from '../../core/text.ts'
import type { ReadingOptions } from '../../importing/options.ts'
import { isImportValues } from '../../importing/read/cell-values.ts'
import { isHeaderRows } from '../../importing/read/header-rows.ts'
import { unknownEncoding } from '../../importing/read/open-file.ts'
import { isMapping, isRecord } from '../../importing/read/sheet-mapping.ts'
import type { FileHeaders } from '../../importing/saved/check-choice.ts'
import { formsOfLocale, LocaleFault } from '../../kinds/locale/locale-forms.ts'
import { encodingNamed } from '../../tabular/read/csv-encoding.ts'
import { DEFAULT_LIMITS } from '../../tabular/read/limits.ts'
import type { KnownParameters } from '../endpoints/known-parameters.ts'
import { readingOf } from '../files/import-request.ts'

/** A mapping that a client wants to save. */
export interface MappingBody {
  readonly name: string
  readonly everyone: boolean
  readonly headers: FileHeaders
  readonly reading: ReadingOptions
}

type Headers = readonly string[] | FileHeaders

const LONGEST_NAME = 100
const MOST_SHEETS = 100
/** Bytes of a choice as JSON. Its import must be able to run as a job. */
const MOST_BYTES = 50_000

/** @throws ValidationError with the problems of all fields */
export function readMappingBody(body: unknown, parameters: KnownParameters | undefined): MappingBody {
  if (!isRecord(body)) throw new ValidationError({ [NON_FIELD_ERRORS]: [message('not_an_object.here')] })
  parameters?.checkBody(Object.keys(body))
  const errors: FieldErrors = {}
  const read = <T>(name: string, isRight: (value: unknown) => value is T, problem: (value: unknown) => Message) => {
    const value = body[name]
    if (value === undefined || isRight(value)) return value
    errors[name] = [problem(value)]
    return undefined
  }
  const name = read('name', isText, value => message('invalid_text', { value: shownValue(value) }))?.trim() ?? ''
  const everyone = read('everyone', isBoolean, value => message('invalid_boolean', { value: shownValue(value) }))
  const headers = read('headers', isHeaders, () => message('invalid_headers'))
  const mapping = read('mapping', isMapping, () => message('invalid_mapping'))
  const row = read('header_row', isHeaderRows, () =>
    message('invalid_parameter', { expected: message('expected.row') }),
  )
  const values = read('values', isImportValues, () => message('invalid_values'))
  // As in a form, an empty text is none.
  const locale = read('locale', isText, value => message('invalid_text', { value: shownValue(value) })) || undefined
  const forms = locale === undefined ? undefined : formsOfLocale(locale)
  if (forms instanceof LocaleFault) errors.locale = [forms.text]
  const label = read('encoding', isText, value => message('invalid_text', { value: shownValue(value) })) || undefined
  const encoding = label === undefined ? undefined : encodingNamed(label)
  if (label !== undefined && encoding === undefined) errors.encoding = [unknownEncoding(label)]
  if (name.length > LONGEST_NAME) errors.name = [message('max_length', { max: LONGEST_NAME })]
  if (headers === undefined) errors.headers ??= [message('required')]
  const sheets = headers && sheetsOf(headers)
  const excess = sheets && excessOf(sheets)
  if (excess !== undefined) errors.headers = [message('max_length.items', { max: excess })]
  const isEmpty = [mapping, row, values, locale, encoding].every(part => part === undefined)
  if (isEmpty && Object.keys(errors).length === 0) errors.mapping = [message('required')]
  const sizes = Object.entries({ mapping, header_row: row, values }).map(([part, value]) => ({
    part,
    size: sizeOf(value),
  }))
  if (sizes.reduce((sum, { size }) => sum + size, 0) > MOST_BYTES) {
    const largest = sizes.reduce((one, other) => (other.size > one.size ? other : one))
    errors[largest.part] = [message('max_length.bytes', { max: MOST_BYTES })]
  }
  if (!sheets || Object.keys(errors).length > 0) throw new ValidationError(errors)
  return {
    name,
    everyone: everyone ?? false,
    headers: sheets,
    reading: readingOf({ mapping, headerRow: row, values, locale, encoding }),
  }
}

/** A list is the header of a CSV file, whose sheet has no name. */
function sheetsOf(headers: Headers): FileHeaders {
  return isTexts(headers) ? { '': headers } : headers
}

/** The limit that the headers exceed. No import reads such a file. */
function excessOf(sheets: FileHeaders): number | undefined {
  if (Object.keys(sheets).length > MOST_SHEETS) return MOST_SHEETS
  const isWide = Object.values(sheets).some(({ length }) => length > DEFAULT_LIMITS.maxColumns)
  return isWide ? DEFAULT_LIMITS.maxColumns : undefined
}

function sizeOf(value: object | number | undefined): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value))
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

function isHeaders(value: unknown): value is Headers {
  if (!isRecord(value)) return isTexts(value)
  const sheets = Object.values(value)
  return sheets.length > 0 && sheets.every(isTexts)
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isText)
}
