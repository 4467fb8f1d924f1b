import type { ApiSettingsInput } from '../core/settings.ts'
import type { ExportService } from '../exporting/export-service.ts'
import type { Model } from '../model/kit.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import type { Database } from '../store/connection/database.ts'
import type { QuerySet } from '../store/queryset.ts'
import type { ReadLimits } from '../tabular/read/limits.ts'
import type { ImportTransforms } from './config.ts'
import type { OnConflict } from './edit/on-conflict.ts'
import type { ImportHooks } from './import-hooks.ts'
import type { ImportResult, ImportRowError, ImportRowProblem } from './result.ts'
import type { ImportTally } from './tally.ts'

/** Called after each batch of rows; with `chunkSize`, after each committed chunk. */
export type ImportProgress = (
  /** Rows read so far. */
  processed: number,
  /** Rows of the file. Counting takes a pass of its own, which runs only with this callback. */
  total: number,
  /** The errors so far. */
  errors: readonly ImportRowError[],
) => void | Promise<void>

/**
 * Called after each batch of rows with all their errors. `from` is the number of rows before the batch: if a
 * transaction is repeated, earlier reports from that row on are obsolete.
 */
export type OnRowErrors = (errors: readonly ImportRowError[], from: number) => void | Promise<void>

/** The settings of an {@link ImportService}. */
export interface ImportServiceOptions<F extends string = string> {
  /** The database. Default: that of the running request. */
  readonly database?: Database
  /** Changes cells before they are read. */
  readonly transforms?: ImportTransforms<F>
  /**
   * The model that a replace deletes from, and that `queryset` and `serializer` belong to. Default: the last of
   * `order`.
   */
  readonly model?: Model
  /** Its `refine` and `validate` rules and its relations' querysets apply to the model's rows. */
  readonly serializer?: ModelSerializer
  /** Whether {@link ImportHooks} will have fixed values of the model, which files then may omit. */
  readonly hasFixedValues?: boolean
  /**
   * Labels of the model's columns by field path, such as an `exportFieldConfig`: `{ country__iso2: 'Country' }`. An import
   * reads them, and its files have them as headers. A label that is also a header of another column is not used.
   */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /**
   * Whether a field of the model, or a path such as `author__email`, is hidden from the user. Files cannot fill it.
   */
  readonly isHidden?: (path: string) => boolean
  readonly limits?: Partial<ReadLimits>
  /**
   * Settings outside of a request, completed by the environment. `COMMON.TIME_ZONE` is the zone of datetimes without an
   * offset.
   */
  readonly settings?: ApiSettingsInput
  readonly onProgress?: ImportProgress
  /** The name of the configuration in messages. */
  readonly subject?: string
}

/** Fields by their names in JSON (`countries.name` if two models have the name); `null` for none. */
export type MappedField = string | readonly string[] | null

/**
 * The fields of each column, by the column's header. Takes precedence over configured headers; other columns are found
 * as usual. For a workbook with a sheet for each model, the columns stand under the sheet's name. With a mapping, the
 * file may omit columns that are not required.
 *
 * @example
 * const mapping: ImportMapping = { 'Airport code': 'iata', Remarks: null }
 * const bySheet: ImportMapping = { cities: { Town: 'name' }, countries: { Country: ['name', 'label'] } }
 */
export type ImportMapping = Readonly<Record<string, MappedField | Readonly<Record<string, MappedField>>>>

/**
 * Other values for cells, by header and by the text in the file: `{ Country: { Norge: 'NO', 'n/a': null } }`. Blanks
 * around a text do not count. `null` empties the cell; the text `''` stands for empty cells. Applies before everything
 * else reads the row.
 */
export type ImportValues = Readonly<Record<string, Readonly<Record<string, string | number | boolean | null>>>>

/** How the cells of a file are found and read. */
export interface ReadingOptions {
  /** The fields of each column, if the headers do not name them. */
  readonly mapping?: ImportMapping
  /**
   * The number of the header's row, as in a spreadsheet program, or that of each sheet of a workbook by its name:
   * `{ Prices: 4 }`. Default: the configuration's, or it is found.
   */
  readonly headerRow?: number | Readonly<Record<string, number>>
  /** Other values for cells. */
  readonly values?: ImportValues
  /** The language of texts with numbers, dates and booleans, such as `de-DE`. Default: the configuration's. */
  readonly locale?: string
  /** The encoding of a CSV file, such as `windows-1251`. A byte order mark still counts. Default: it is found. */
  readonly encoding?: string
}

/** Options of one import. */
export interface ImportOptions extends ReadingOptions {
  /** `true` merges with the stored records; `false` deletes the model's records first. */
  readonly append: boolean
  /** Reports the result and stores nothing. */
  readonly dryRun?: boolean
  /**
   * Adds `diff` to the result: the changes, or those of a dry run. Records are read before and after they are written,
   * which takes about twice as long.
   */
  readonly diff?: boolean
  /**
   * What counts for a cell that was changed in an edited file and in the database since: `yours` is the file, `theirs` the
   * database. Default `fail`: the row fails.
   */
  readonly onConflict?: OnConflict
  /**
   * Whether rows of an edited file that are marked for deletion delete their records. Default false: a file with such rows
   * is refused.
   */
  readonly deleteMarked?: boolean
  /**
   * Whether nothing is stored if a row fails. The import is then one transaction. Default: the configuration's. False
   * does not override a configuration of true.
   */
  readonly allOrNothing?: boolean
  /** Whether rows with warnings fail. Default false. */
  readonly failOnWarnings?: boolean
  /** The records of the model that may be updated and, by a replace, deleted. Default: all. */
  readonly queryset?: QuerySet
  /** Further rules for the model's records. */
  readonly hooks?: ImportHooks
  /** Completed by the environment. Default: the settings of the running request, or else of the service. */
  readonly settings?: ApiSettingsInput
  /** Ends the import between two batches. Uncommitted rows are not stored. */
  readonly signal?: AbortSignal
  readonly onProgress?: ImportProgress
  /** Resumes and saves progress, for imports that survive their process. */
  readonly checkpoint?: ImportCheckpoint
  /** Stores progress and result with the rows. Default: the checkpoint. */
  readonly recorder?: ImportRecorder
  /** Called with all errors of rows, within their transaction. */
  readonly onRowErrors?: OnRowErrors
}

/** A choice that was saved for the headers of a file. */
export interface StoredMapping {
  readonly id: string
  readonly name: string
  /** Whether it is for all users. */
  readonly everyone: boolean
  readonly savedAt: string
  readonly fingerprint: string
  readonly reading: ReadingOptions
}

/** Finds the saved mappings for headers: those of the user before those of everyone. */
export type FindMappings = (fingerprints: readonly string[]) => Promise<readonly StoredMapping[]>

/** Options of `ImportService.exportForEditing`. */
export interface EditExportOptions extends Pick<ImportOptions, 'settings' | 'signal' | 'hooks'> {
  /** Whether the file has a column `Delete?`, which marks rows for deletion. Default false. */
  readonly deletable?: boolean
  /** An export of the records: columns that it shows and the import does not write are in the file, in grey. */
  readonly readOnly?: ExportService<ModelSerializer>
}

/** Options of `ImportService.preview`. */
export interface PreviewOptions
  extends ReadingOptions,
    Pick<ImportOptions, 'queryset' | 'hooks' | 'settings' | 'signal'> {
  /** @internal Finds saved mappings. */
  readonly findMappings?: FindMappings
}

/** Stores what an import has done in the transactions that store its rows. An error undoes both. */
export interface ImportRecorder {
  /**
   * Called in the transaction of each chunk.
   *
   * @param problems the errors and warnings of the rows since the last time
   */
  save(tally: ImportTally, problems: readonly ImportRowProblem[]): Promise<void>
  /** Called instead of `save` for an import in a single transaction. */
  end(result: ImportResult): Promise<void>
}

/**
 * Lets an interrupted import continue, with each row stored and counted once. It starts after the stored rows, and
 * `save` runs in the transaction that stores further rows.
 */
export interface ImportCheckpoint extends ImportRecorder {
  /** The result before the interruption. */
  readonly from: ImportTally
  /** What `save` got before the interruption, in that order. Without it, the result has later errors only. */
  problems?(): AsyncIterable<readonly ImportRowProblem[]>
  /** Rows of the file, if counted before. */
  readonly total: number | null
  /** Saves the number of rows. */
  count(total: number): Promise<void>
  /** Rows of a chunk, if the configuration sets none: an import continues at a chunk. */
  readonly chunkSize: number
  /** Shows the progress. Lost with the process if not saved. */
  show(tally: ImportTally): void
}
