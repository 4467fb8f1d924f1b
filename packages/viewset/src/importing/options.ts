import type { ApiSettingsInput } from '../core/settings.ts'
import type { Model } from '../model/kit.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import type { Database } from '../store/database.ts'
import type { QuerySet } from '../store/queryset.ts'
import type { ReadLimits } from '../tabular/read/limits.ts'
import type { ImportTransforms } from './config.ts'
import type { ImportHooks } from './import-hooks.ts'
import type { ImportResult, ImportRowError } from './result.ts'
import type { ImportTally } from './tally.ts'

/** Told after each batch of rows; with `chunkSize`, after each chunk that is committed (SPEC, "Import configuration"). */
export type ImportProgress = (
  /** Rows read so far. */
  processed: number,
  /** Rows of the file. They are counted beforehand, in a pass of their own, when somebody wants to know. */
  total: number,
  /** The errors so far. */
  errors: readonly ImportRowError[],
) => void | Promise<void>

/**
 * Told after each batch of rows of all that is wrong with them. `from` is the number of rows before the batch: a
 * transaction may have to be tried again, and then what was told of rows from there on counts no more.
 */
export type OnRowErrors = (errors: readonly ImportRowError[], from: number) => void | Promise<void>

/** The settings of an {@link ImportService}. */
export interface ImportServiceOptions<F extends string = string> {
  /** Where to import; by default, the database of the running request. */
  readonly database?: Database
  /** Changes cells before they are read. */
  readonly transforms?: ImportTransforms<F>
  /** The model that a replace deletes records of, and that `queryset` and `serializer` are of. Default: the last of `order`. */
  readonly model?: Model
  /** Its `refine` and `validate` rules and the scopes of its relation fields hold for the model's rows too. */
  readonly serializer?: ModelSerializer
  /** Whether {@link ImportHooks} will have fixed values of the model, which a file then need not have. */
  readonly hasFixedValues?: boolean
  /** Further headers for the columns of the model, by field path, such as an `exportFieldConfig`: `{ country__iso2: 'Country' }`. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** What a file may cost; `maxBytes` is 50 MB unless told. */
  readonly limits?: Partial<ReadLimits>
  /** Settings outside of a request, completed by the environment: `COMMON.TIME_ZONE` is where datetimes without an offset are read. */
  readonly settings?: ApiSettingsInput
  readonly onProgress?: ImportProgress
  /** Whose configuration it is, for messages. */
  readonly subject?: string
}

/** Fields by their names on the wire (`countries.name` where two models have the name); `null` is none. */
export type MappedField = string | readonly string[] | null

/**
 * Which column of a file feeds which fields, by the header of the column. It goes over the headers of the configuration;
 * columns that it does not name are found as ever. Of a workbook with a sheet for each model, the columns are by the
 * name of their sheet. With a mapping, what is not required need not be in the file.
 *
 * @example
 * const mapping: ImportMapping = { 'Airport code': 'iata', Remarks: null }
 * const bySheet: ImportMapping = { cities: { Town: 'name' }, countries: { Country: ['name', 'label'] } }
 */
export type ImportMapping = Readonly<Record<string, MappedField | Readonly<Record<string, MappedField>>>>

/** How one file is imported. */
export interface ImportOptions {
  /** `true` merges with what is stored; `false` deletes the model's records before it writes. */
  readonly append: boolean
  /** Does everything, reports what would happen and stores nothing. */
  readonly dryRun?: boolean
  /**
   * Tells what changes as well, or, in a dry run, what would: `diff` of the result. Records are read before and after
   * they are written, which takes about as long again.
   */
  readonly diff?: boolean
  /** Which column feeds which field, where the headers of the file do not say it. */
  readonly mapping?: ImportMapping
  /** The records of the model that may be updated and, by a replace, deleted. Default: all of them. */
  readonly queryset?: QuerySet
  /** What else holds for the records of the model, such as who may write them. */
  readonly hooks?: ImportHooks
  /** Completed by the environment. Default: those of the running request, else those of the service. */
  readonly settings?: ApiSettingsInput
  /** Ends the import between two batches; what is not committed by then is not stored. */
  readonly signal?: AbortSignal
  readonly onProgress?: ImportProgress
  /** Where the import goes on, and who takes note of what is stored: for work that survives its process. */
  readonly checkpoint?: ImportCheckpoint
  /** Told of all that is wrong with rows, within the transaction that these belong to. */
  readonly onRowErrors?: OnRowErrors
}

/** How a file is looked at (see `ImportService.preview`). */
export type PreviewOptions = Pick<ImportOptions, 'mapping' | 'hooks' | 'settings' | 'signal'>

/**
 * What makes an import go on after whatever has interrupted it, each row stored and counted once: it begins behind the
 * rows that are stored, and `save` runs in the transaction that stores further ones.
 */
export interface ImportCheckpoint {
  /** What was stored before. */
  readonly from: ImportTally
  /** Rows of the file, where they were counted before. */
  readonly total: number | null
  /** Takes note of the number of rows. */
  count(total: number): Promise<void>
  /** Rows of a chunk, where the configuration names no number: without chunks there is nowhere to go on. */
  readonly chunkSize: number
  /** Shows how far it is; what was not saved by then is lost with its process. */
  show(tally: ImportTally): void
  /**
   * Takes note of what is stored once the transaction that it is called in is committed. What it throws undoes that.
   *
   * @param errors of the rows since the last time
   */
  save(tally: ImportTally, errors: readonly ImportRowError[]): Promise<void>
  /** As `save`, for an import that is one transaction: its result is stored together with its rows, or neither is. */
  end(result: ImportResult): Promise<void>
}
