import { currentContext } from '../../core/context.ts'
import { english } from '../../core/messages/english.ts'
import { message } from '../../core/messages/message.ts'
import type { ExportService } from '../../exporting/export-service.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { QuerySet } from '../../store/queryset.ts'
import type { ImportOptions, ReadingOptions } from '../options.ts'
import { type HeaderAliases, headerKey } from '../plan/headers.ts'
import type { ImportPlan } from '../plan/plan.ts'
import type { ImportRowError } from '../result.ts'

/** The errors of a sheet with these models, in the order of the file. */
export type RowErrors = (models: readonly string[]) => AsyncIterable<ImportRowError> | Iterable<ImportRowError>

export function ofModels(parts: () => AsyncIterable<readonly ImportRowError[]>): RowErrors {
  return async function* (models) {
    for await (const part of parts()) yield* part.filter(({ model }) => models.includes(model))
  }
}

/**
 * The rows of an upload to send again. `failed`: the others are stored. `all`: nothing is stored. `undone`: nothing is
 * stored since rows failed, so the correct rows failed only because of others. A workbook shows these in grey.
 */
export type KeptRows = 'failed' | 'all' | 'undone'

/** Options of a file of failed rows. It has the cells of the upload, so there are no `values`. */
export interface FailedRowsOptions
  extends Omit<ReadingOptions, 'values'>,
    Pick<ImportOptions, 'settings' | 'signal' | 'onConflict'> {
  readonly errors: RowErrors
  /** The records whose present values the file of an edited one may have. Default: all. */
  readonly queryset?: QuerySet
  /** The export whose columns are for reading only in the file of an edited one. */
  readonly readOnly?: ExportService<ModelSerializer> | undefined
  /** Default `failed`. */
  readonly kept?: KeptRows
}

/** The result of writing a file of failed rows. */
export interface WrittenFile {
  readonly contentType: string
  readonly extension: 'csv' | 'xlsx'
}

const NAMES = ['failed_rows.errors', 'failed_rows.import_errors'] as const

function isErrorsColumn(header: string): boolean {
  const { all } = currentContext().language
  const names = NAMES.flatMap(name => [...all, english].map(texts => texts[name]))
  return names.some(name => name !== undefined && headerKey(name) === headerKey(header))
}

/**
 * The position of our column of errors in a header: the first, or the last in a file of an older version. -1 if it has
 * none. Other columns of that name are those of people.
 */
export function errorsColumnAt(header: readonly string[]): number {
  if (isErrorsColumn(header[0] ?? '')) return 0
  return isErrorsColumn(header.at(-1) ?? '') ? header.length - 1 : -1
}

/**
 * The number of columns of errors with which a header begins. They do not count in the places of columns, so a column
 * has the same place in an upload and in the file of its failed rows. An upload may begin with such a column itself.
 */
export function leadingErrors(header: readonly string[]): number {
  const first = header.findIndex(text => !isErrorsColumn(text))
  return first === -1 ? header.length : first
}

/** The name of the error column, for files of a plan with further headers that are `read`. */
export function errorsHeader({ models }: ImportPlan, aliases: HeaderAliases, read: readonly string[]): string {
  const columns = models.flatMap(model => model.columns)
  const others = [...aliases.values()].flatMap(({ label = '', paths }) => [label, ...paths])
  const taken = [
    ...columns.flatMap(({ header, flatHeader, spellings }) => [header, flatHeader, ...spellings]),
    ...others,
    ...read,
  ]
  const keys = new Set(taken.map(headerKey))
  const free = NAMES.find(name => !keys.has(headerKey(String(message(name)))))
  return String(message(free ?? NAMES[0]))
}
