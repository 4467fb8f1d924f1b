import type { ImportOptions } from '../options.ts'
import { type HeaderAliases, headerKey } from '../plan/headers.ts'
import type { ImportPlan } from '../plan/plan.ts'
import type { ImportRowError } from '../result.ts'

/** What is wrong with the rows of a sheet, which has these models, by their keys: in the order of the file. */
export type RowErrors = (models: readonly string[]) => AsyncIterable<ImportRowError> | Iterable<ImportRowError>

/** Errors of all sheets, read in parts each time that those of a sheet are wanted. */
export function ofModels(parts: () => AsyncIterable<readonly ImportRowError[]>): RowErrors {
  return async function* (models) {
    for await (const part of parts()) yield* part.filter(({ model }) => models.includes(model))
  }
}

/** Which rows of an upload are to be sent again: those that failed or, where nothing is stored, all. */
export type KeptRows = 'failed' | 'all'

/** How a file of failed rows is made. */
export interface FailedRowsOptions extends Pick<ImportOptions, 'mapping' | 'settings' | 'signal'> {
  readonly errors: RowErrors
  /** Default `'failed'`. */
  readonly kept?: KeptRows
}

/** What sort of file was written. */
export interface WrittenFile {
  readonly contentType: string
  /** Without the dot. */
  readonly extension: 'csv' | 'xlsx'
}

/** What the column with the errors is called: the first of these that no model has. */
const NAMES = ['Errors', 'Import errors'] as const
const KEYS: ReadonlySet<string> = new Set(NAMES.map(headerKey))

/** Whether a column that no model reads is that of an earlier file of failed rows. */
export function isErrorsColumn(header: string): boolean {
  return KEYS.has(headerKey(header))
}

/** The name of the column with the errors, in files of a plan and with further columns that are `read`. */
export function errorsHeader({ models }: ImportPlan, aliases: HeaderAliases, read: readonly string[]): string {
  const columns = models.flatMap(model => model.columns)
  const others = [...aliases.values()].flatMap(({ label = '', paths }) => [label, ...paths])
  const taken = [
    ...columns.flatMap(({ header, flatHeader, spellings }) => [header, flatHeader, ...spellings]),
    ...others,
    ...read,
  ]
  const keys = new Set(taken.map(headerKey))
  return NAMES.find(name => !keys.has(headerKey(name))) ?? NAMES[0]
}
