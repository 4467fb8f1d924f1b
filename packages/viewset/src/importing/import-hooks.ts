import type { User } from '../core/context.ts'
import type { ApiRequest } from '../core/request.ts'
import type { ApiSettings } from '../core/settings.ts'
import type { Model } from '../model/kit.ts'
import type { CheckScope } from '../records/check-scope.ts'
import type { ModelRecord } from '../records/record.ts'
import type { RecordList } from '../records/record-list.ts'
import type { Database } from '../store/database.ts'
import type { Values } from '../store/write.ts'

/** A stored record and what a row wants to write to it. */
export interface RecordChange {
  readonly record: ModelRecord<Model>
  readonly values: Values
}

/**
 * What a resource has to say of the records of its own model, in an import as in every other write. Without hooks, an
 * import stores what a file says.
 */
export interface ImportHooks {
  /** What `prepareRow` is told of the request. */
  readonly view?: ImportView
  /** Written to every new record, whatever the file says, and kept when a row updates it. */
  readonly fixedValues?: Values
  /** What must be among the records that the import may update once it is written. Default `'never'`. */
  readonly checkScope?: CheckScope
  /**
   * Asked about every record that a row would update or a replace would delete. An `ApiError` that it throws is the
   * row's error, or ends the replace.
   */
  readonly checkRecord?: (record: ModelRecord<Model>) => Promise<void>
  /** Stores new records, where a statement for all of them will not do. */
  readonly create?: (values: readonly Values[]) => Promise<RecordList>
  /** As `create`, for changes to records, which are locked. */
  readonly update?: (changes: readonly RecordChange[]) => Promise<RecordList>
  /** As `create`, for the records that a replace deletes, which are locked; returns how many there were. */
  readonly delete?: (records: RecordList) => Promise<number>
}

/**
 * A cell as the functions of an application receive it: text in CSV, and what the cell holds in a workbook, where a date
 * is its ISO text and an error its name, such as `#N/A`. An empty cell is `null`. `prepareRow` may replace an
 * error; otherwise the row fails.
 */
export type ImportCell = string | number | boolean | null

/**
 * The cells of a row by header, as the file has it, those that no field reads included. What feeds a field stands there
 * by the field's own header, too, whatever the file calls it.
 */
export type ImportCells = Record<string, ImportCell>

/** The view of the request that imports: of the resource whose import it is. */
export interface ImportView {
  readonly user: User | null
  readonly action: string
  readonly request: ApiRequest
  readonly settings: ApiSettings
  readonly database: Database
}

/** What {@link PrepareRow} gets beside the row. */
export interface RowContext {
  /** As a person sees it: the header is row 1. */
  readonly rowNumber: number
  /** The name of the sheet; `''` for CSV. */
  readonly sheet: string
  /** The view of the request, where the import has one. */
  readonly view: ImportView | undefined
}

/** What {@link PrepareRow} returns for a row that is left out: it counts as `skipped`, and nothing of it is written. */
export const skipRow: unique symbol = Symbol('skipRow')

/** The cells of a row by header: of the file's columns, and of others that it does not have. */
export type PreparedRow = Readonly<Record<string, unknown>>

/**
 * Sees each row before it is split among the models. Returns its cells, which are read as if they had stood in the file,
 * or {@link skipRow}. A `ValidationError` that it throws is the row's error; the text of any other error stays out of the
 * report. Rows come one after the other, inside of the import's transaction, and may come again when that is repeated.
 */
export type PrepareRow = (
  row: ImportCells,
  context: RowContext,
) => PreparedRow | typeof skipRow | Promise<PreparedRow | typeof skipRow>

/** Computes a field from the cells of its row, behind {@link PrepareRow}. What it returns is read as if it stood in the file. */
export type ComputedField = (row: Readonly<ImportCells>) => unknown
