import type { ColumnInfo, ModelInfo, TableInfo } from '../../model/model-info.ts'
import type { RawRow } from '../connection/driver.ts'
import type { Bound } from '../sql-value.ts'

/** Values of a record by field; absent fields get their defaults. */
export type Values = Readonly<Record<string, unknown>>

export type Automatic = keyof Pick<ColumnInfo, 'createValue' | 'updateValue'>

export type Returning = 'keys' | 'rows'

/**
 * Values that a row must still have to be written, by field. Optimistic concurrency: a client that read version 5
 * writes only to version 5.
 */
export type Guard = Values

export interface WrittenRow {
  readonly key: unknown
  readonly guard?: Guard | undefined
}

export interface RowUpdate extends WrittenRow {
  readonly values: Values
}

export interface InsertPlan {
  readonly kind: 'insert'
  readonly model: TableInfo
  readonly rows: readonly Values[]
  readonly returning?: Returning
}

export interface UpdatePlan {
  readonly kind: 'update'
  readonly model: ModelInfo
  readonly rows: readonly RowUpdate[]
  /** Values of all rows that do not set their own. */
  readonly shared?: Values
  /** Whether automatic fields are filled. Default true. */
  readonly fill?: boolean
  readonly returning?: Returning
  /** The plan's only row before the write, if known: it is then not read for listeners. */
  readonly before?: RawRow
}

export interface DeletePlan {
  readonly kind: 'delete'
  readonly model: ModelInfo
  readonly rows: readonly WrittenRow[]
}

/** Rows to delete, by a condition; `undefined` means all. */
export interface DeleteWherePlan {
  readonly kind: 'delete'
  readonly model: TableInfo
  readonly where: (bound: Bound) => string | undefined
}

/** A write as data. Only `executeWrite` turns it into statements. */
export type WritePlan = InsertPlan | UpdatePlan | DeletePlan | DeleteWherePlan

export interface WriteResult {
  readonly changes: number
  /** The written rows in the order of the plan, if it returns `rows`: all columns in the model's order. */
  readonly rows: readonly RawRow[]
  /** Their keys, if the plan returns `keys` or `rows`. */
  readonly keys: readonly unknown[]
  /** The plan's rows, by index, that exist but failed their guard. */
  readonly outdated: readonly number[]
}
