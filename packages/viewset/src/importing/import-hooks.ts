import type { User } from '../core/context.ts'
import type { Text } from '../core/messages/message.ts'
import type { ApiRequest } from '../core/request.ts'
import type { ApiSettings } from '../core/settings.ts'
import type { ExportService } from '../exporting/export-service.ts'
import type { Model } from '../model/kit.ts'
import type { ModelRecord } from '../records/record.ts'
import type { RecordList } from '../records/record-list.ts'
import type { CheckScope } from '../records/write-records.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import type { Database } from '../store/connection/database.ts'
import type { QuerySet } from '../store/queryset.ts'
import type { Values } from '../store/write/write.ts'

/** The rules of a resource for records that an edited file deletes. */
export interface MarkedDeletions {
  /** The records that the user may delete. */
  readonly queryset: QuerySet
  /** Called for each record. An `ApiError` that it throws is the row's error. */
  readonly checkRecord?: (record: ModelRecord<Model>) => Promise<void>
  /** The export whose columns are for reading only in the file. A record that has changed in one is a conflict. */
  readonly readOnly?: ExportService<ModelSerializer> | undefined
}

/** A stored record and the values that an import changes in it. */
export interface RecordChange {
  readonly record: ModelRecord<Model>
  readonly values: Values
}

/**
 * A resource's rules for records of its own model, the same in an import as in other writes. Without hooks, an import
 * stores the file's values.
 */
export interface ImportHooks {
  /** The request's view, for `prepareRow`. */
  readonly view?: ImportView
  /** Written to every new record in place of the file's values, and kept on updates. */
  readonly fixedValues?: Values
  /** Fields of written records that the resource's queryset must still match. Default `'never'`. */
  readonly checkScope?: CheckScope
  /**
   * Called for every record that a row would update or a replace would delete. An `ApiError` that it throws is the
   * row's error, or ends the replace.
   */
  readonly checkRecord?: (record: ModelRecord<Model>) => Promise<void>
  /** Stores new records, if a single statement for all is not enough. */
  readonly create?: (values: readonly Values[]) => Promise<RecordList>
  /** Like `create`, for changes to locked records. */
  readonly update?: (changes: readonly RecordChange[]) => Promise<RecordList>
  /** Like `create`, for the locked records that a replace deletes. Returns their number. */
  readonly delete?: (records: RecordList) => Promise<number>
  /**
   * The records that marked rows of an edited file may delete. Called once for a file with such rows, with the header of
   * the marks. An `ApiError` that it throws ends the import. Default: the records that rows may update.
   */
  readonly deletions?: (mark: string) => Promise<MarkedDeletions>
}

/**
 * A cell as functions of the application get it: text in CSV. In a workbook, a date is its ISO text and an error is its
 * name, such as `#N/A`. An empty cell is `null`. `prepareRow` may replace an error; otherwise the row fails.
 */
export type ImportCell = string | number | boolean | null

/**
 * The cells of a row by header, including unread columns. A column that feeds a field also stands under the field's own
 * header.
 */
export type ImportCells = Record<string, ImportCell>

/** The view of the importing request. */
export interface ImportView {
  readonly user: User | null
  readonly action: string
  readonly request: ApiRequest
  readonly settings: ApiSettings
  readonly database: Database
}

/** The second argument of {@link PrepareRow} and {@link ComputedField}. */
export interface RowContext {
  /** As a spreadsheet program shows it, which counts the header and titles above it. */
  readonly rowNumber: number
  /** The name of the sheet; `''` for CSV. */
  readonly sheet: string
  /** The request's view, if the import has one. */
  readonly view: ImportView | undefined
  /**
   * Adds a warning to the row, which is stored all the same. The field is a field or a header. With `failOnWarnings`,
   * it is an error of the row. A row has at most 100 warnings.
   *
   * @example
   * if (Number(row.price) > 10_000) warn('price', 'This price is unusually high.')
   */
  readonly warn: (field: string, text: Text) => void
}

/** The result of {@link PrepareRow} for a row to skip. It counts as `skipped`, and nothing of it is stored. */
export const skipRow: unique symbol = Symbol('skipRow')

/** The cells of a row by header, of the file's columns and of added ones. */
export type PreparedRow = Readonly<Record<string, unknown>>

/**
 * Sees each row before it is split among the models. Returns its cells, which are read like cells of the file, or
 * {@link skipRow}. A `ValidationError` that it throws is the row's error; the text of other errors is not reported.
 * Rows come in sequence within the import's transaction, and again if it is repeated.
 */
export type PrepareRow = (
  row: ImportCells,
  context: RowContext,
) => PreparedRow | typeof skipRow | Promise<PreparedRow | typeof skipRow>

/** Computes a field from the cells of its row, after {@link PrepareRow}. The result is read like a cell. */
export type ComputedField = (row: Readonly<ImportCells>, context: RowContext) => unknown
