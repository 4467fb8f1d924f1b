import type { ColumnInfo, ModelInfo, TableInfo } from '../../model/model-info.ts'
import type { RawRow } from '../connection/driver.ts'
import type { Bound } from '../sql-value.ts'

/** Values of a record by the names of its fields; an absent field is left to its default. */
export type Values = Readonly<Record<string, unknown>>

/** Which values a column fills in by itself: those of new rows, or those of changed ones. */
export type Automatic = keyof Pick<ColumnInfo, 'createValue' | 'updateValue'>

/** What a write returns of its rows: their keys, or their keys and all columns. */
export type Returning = 'keys' | 'rows'

/**
 * What a stored row must hold to be written, by the names of its fields: a client that has read version 5 writes to
 * version 5, or not at all (optimistic concurrency).
 */
export type Guard = Values

/** A row that is written, by its key. */
export interface WrittenRow {
  readonly key: unknown
  readonly guard?: Guard | undefined
}

/** Values for the row with `key`. */
export interface RowUpdate extends WrittenRow {
  readonly values: Values
}

/** New rows. They may give different fields. */
export interface InsertPlan {
  readonly kind: 'insert'
  readonly model: TableInfo
  readonly rows: readonly Values[]
  readonly returning?: Returning
}

/** Changes to rows. They may give different fields. */
export interface UpdatePlan {
  readonly kind: 'update'
  readonly model: ModelInfo
  readonly rows: readonly RowUpdate[]
  /** Values that all rows get, unless they give their own. */
  readonly shared?: Values
  /** Whether automatic fields are filled, such as that of the last change. Default true. */
  readonly fill?: boolean
  readonly returning?: Returning
  /** The only row of the plan as it was, where the caller has it: it is not read for those who listen. */
  readonly before?: RawRow
}

/** Rows to delete, by their keys. */
export interface DeletePlan {
  readonly kind: 'delete'
  readonly model: ModelInfo
  readonly rows: readonly WrittenRow[]
}

/** Rows to delete, by a condition; `undefined` is all of them. */
export interface DeleteWherePlan {
  readonly kind: 'delete'
  readonly model: TableInfo
  readonly where: (bound: Bound) => string | undefined
}

/** A write as data. `executeWrite` is the one place where it becomes statements. */
export type WritePlan = InsertPlan | UpdatePlan | DeletePlan | DeleteWherePlan

/** What came of a write, as the database tells it. */
export interface WriteResult {
  /** Rows inserted, updated or deleted. */
  readonly changes: number
  /** The rows that were written, in the order of the plan, where it returns `rows`: all columns in the model's order. */
  readonly rows: readonly RawRow[]
  /** Their keys, where the plan returns `keys` or `rows`. */
  readonly keys: readonly unknown[]
  /** The rows of the plan, by index, that are there and did not meet their guard. */
  readonly outdated: readonly number[]
}
