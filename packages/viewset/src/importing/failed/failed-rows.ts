import type { ImportOptions } from '../options.ts'
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
