import { isDeepStrictEqual } from 'node:util'
import { type FieldErrors, ValidationError } from '../../core/errors.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import { type Message, message } from '../../core/messages/message.ts'
import { type ApiRequest, queryValue } from '../../core/request.ts'
import { ON_CONFLICT, type OnConflict } from '../../importing/edit/on-conflict.ts'
import type { ReadingOptions } from '../../importing/options.ts'
import type { ImportPlan } from '../../importing/plan/plan.ts'
import { isImportValues } from '../../importing/read/cell-values.ts'
import { isHeaderRows } from '../../importing/read/header-rows.ts'
import { unknownEncoding } from '../../importing/read/open-file.ts'
import { isMapping } from '../../importing/read/sheet-mapping.ts'
import { type TemplateFormat, templateFormats } from '../../importing/template/template.ts'
import { readBoolean } from '../../kinds/boolean.ts'
import { formsOfLocale, LocaleFault } from '../../kinds/locale/locale-forms.ts'
import { choiceMessage } from '../../kinds/schema-parts.ts'
import { encodingNamed } from '../../tabular/read/csv-encoding.ts'
import type { FilePart, Parts } from './read-parts.ts'

/** The options of an import. They are plain values, so that a job can store them. */
export interface ImportRequest extends ReadingOptions {
  readonly file: FilePart
  /** True merges with the stored records, false replaces them. */
  readonly append: boolean
  /** Whether nothing is stored in the end. */
  readonly dryRun: boolean
  /** Whether a dry run reports old and new values. */
  readonly diff: boolean
  /** Whether nothing is stored if a row fails. */
  readonly allOrNothing: boolean
  /** Whether rows with warnings fail. */
  readonly failOnWarnings: boolean
  /** Whether the answer is a file of the failed rows, if there are any. */
  readonly failedRows: boolean
  /** What happens to a cell that was changed in an edited file and in the database. */
  readonly onConflict?: OnConflict
  /** Whether rows of an edited file that are marked for deletion delete their records. */
  readonly deleteMarked: boolean
  /** Whether a job runs the import after the answer. */
  readonly background: boolean
}

export function readImportRequest({ file, fields }: Parts, request: ApiRequest): ImportRequest {
  const options = new RequestOptionsReader(fields, request)
  const { errors } = options
  const problem = fileProblem(file)
  if (problem !== undefined) errors.file = [problem]
  // Replacing deletes records, so there is no default, and a shared address cannot choose it.
  const append = options.booleanOfForm('append_data', APPEND_MISSING) ?? false
  const dryRun = options.boolean('dry_run') ?? false
  const diff = options.boolean('diff') ?? false
  const allOrNothing = options.boolean('all_or_nothing') ?? false
  const failOnWarnings = options.boolean('fail_on_warnings') ?? false
  const failedRows = options.boolean('failed_rows') ?? false
  const deleteMarked = options.boolean('delete_marked') ?? false
  const background = options.boolean('background') ?? false
  const onConflict = options.onConflict()
  const reading = options.reading()
  if (diff && !dryRun && errors.dry_run === undefined) {
    errors.diff = [message('dry_run_only')]
  }
  if (!file || Object.keys(errors).length > 0) throw new ValidationError(errors)
  return {
    file,
    append,
    dryRun,
    diff,
    allOrNothing,
    failOnWarnings,
    failedRows,
    deleteMarked,
    background,
    ...(onConflict && { onConflict }),
    ...reading,
  }
}

const APPEND_MISSING = message('required.append')

/** The options of a preview. */
export interface PreviewRequest extends ReadingOptions {
  readonly file: FilePart
}

type OrUndefined<T> = { readonly [K in keyof T]: T[K] | undefined }

/** How a file is read, without the options that are not given. */
export function readingOf({
  mapping,
  headerRow,
  values,
  locale,
  encoding,
}: OrUndefined<ReadingOptions>): ReadingOptions {
  return {
    ...(mapping && { mapping }),
    ...(headerRow && { headerRow }),
    ...(values && { values }),
    ...(locale && { locale }),
    ...(encoding && { encoding }),
  }
}

/** How the file of an import's failed rows is made. */
export function failedRowsReading({
  onConflict,
  ...request
}: ImportRequest): ReadingOptions & Pick<ImportRequest, 'onConflict'> {
  return { ...readingOf(request), ...(onConflict && { onConflict }) }
}

export function readPreviewRequest({ file, fields }: Parts, request: ApiRequest): PreviewRequest {
  const options = new RequestOptionsReader(fields, request)
  const problem = fileProblem(file)
  if (problem !== undefined) options.errors.file = [problem]
  const reading = options.reading()
  if (!file || Object.keys(options.errors).length > 0) throw new ValidationError(options.errors)
  return { file, ...reading }
}

function fileProblem(file: FilePart | undefined): Message | undefined {
  if (!file) return message('no_file')
  return file.size === 0 ? message('no_file.empty') : undefined
}

type Reading<T> = { readonly value: T } | { readonly problem: Message }

/** Collects all problems, so that one answer reports them. */
export class RequestOptionsReader {
  readonly errors: FieldErrors = {}
  readonly #fields: ReadonlyMap<string, string>
  readonly #request: ApiRequest

  constructor(fields: ReadonlyMap<string, string>, request: ApiRequest) {
    this.#fields = fields
    this.#request = request
  }

  /** `undefined` if it is missing or invalid. */
  boolean(name: string): boolean | undefined {
    return this.#read(name, booleanIn)
  }

  onConflict(): OnConflict | undefined {
    return this.#read('on_conflict', conflictIn)
  }

  /** How the file is read. */
  reading(): ReadingOptions {
    return readingOf({
      mapping: this.#read('mapping', mappingIn),
      headerRow: this.#read('header_row', headerRowIn),
      values: this.#read('values', valuesIn),
      locale: this.#read('locale', localeIn),
      encoding: this.#read('encoding', encodingIn),
    })
  }

  booleanOfForm(name: string, missing: Message): boolean | undefined {
    const value = this.boolean(name)
    if (this.errors[name] !== undefined || this.#fields.has(name)) return value
    this.errors[name] = [value === undefined ? missing : message('misplaced')]
    return undefined
  }

  #read<T>(name: string, read: (text: string) => Reading<T>): T | undefined {
    const texts = [this.#fields.get(name), queryValue(this.#request, name)].filter(text => text !== undefined)
    const values: T[] = []
    for (const text of texts) {
      const reading = read(text.trim())
      if ('problem' in reading) {
        this.errors[name] = [reading.problem]
        return undefined
      }
      values.push(reading.value)
    }
    const [value, other = value] = values
    if (isDeepStrictEqual(value, other)) return value
    this.errors[name] = [message('repeated.differently')]
    return undefined
  }
}

function booleanIn(text: string): Reading<boolean> {
  const value = readBoolean(text)
  return value === undefined
    ? { problem: message('invalid_parameter', { expected: message('expected.boolean') }) }
    : { value }
}

function conflictIn(text: string): Reading<OnConflict | undefined> {
  if (text === '') return { value: undefined }
  const value = ON_CONFLICT.find(choice => choice === text)
  return value === undefined ? { problem: choiceMessage(text, ON_CONFLICT) } : { value }
}

function localeIn(text: string): Reading<string | undefined> {
  if (text === '') return { value: undefined }
  const forms = formsOfLocale(text)
  return forms instanceof LocaleFault ? { problem: forms.text } : { value: text }
}

function encodingIn(text: string): Reading<string | undefined> {
  if (text === '') return { value: undefined }
  const value = encodingNamed(text)
  return value === undefined ? { problem: unknownEncoding(text) } : { value }
}

const headerRowIn = jsonIn(isHeaderRows, message('invalid_parameter', { expected: message('expected.row') }))
const mappingIn = jsonIn(isMapping, message('invalid_mapping'))
const valuesIn = jsonIn(isImportValues, message('invalid_values'))

function jsonIn<T>(isRight: (value: unknown) => value is T, problem: Message) {
  return (text: string): Reading<T | undefined> => {
    // An empty field of a form means no value.
    if (text === '') return { value: undefined }
    try {
      const value = parseJson(text)
      if (isRight(value)) return { value }
    } catch {}
    return { problem }
  }
}

export function readTemplateFormat(request: ApiRequest, plan: ImportPlan): TemplateFormat {
  const requested = queryValue(request, 'file_type')
  const formats = templateFormats(plan)
  if (requested === undefined) return formats[0]
  const format = formats.find(candidate => candidate === requested)
  if (format !== undefined) return format
  throw new ValidationError({ file_type: [choiceMessage(requested, formats)] })
}
