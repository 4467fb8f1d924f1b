import type { FieldErrors } from '../core/errors.ts'
import { kindOf } from '../kinds/kinds.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import type { Values } from '../store/write/write.ts'

/** The input for one record. */
export interface SubmittedItem {
  readonly input: unknown
  /** The record to update. Its current values do not count as taken. */
  readonly record?: Values | undefined
  /** Whether `record` is made on demand, which takes time. Default false. */
  readonly isLazy?: boolean
  /** The primary key of that record, if known without loading it. */
  readonly key?: unknown
  /** Earlier errors. If set, only the item's own fields are checked. */
  readonly errors?: FieldErrors | undefined
  /** As in `ValidateOptions`, for this item. */
  readonly fixed?: Values | undefined
  /** As in `ValidateOptions`, for this item. */
  readonly partial?: boolean
  /** The record whose child this item is. */
  readonly owner?: ItemOwner | undefined
  /** The item in which this one is nested. */
  readonly within?: ValidatedItem | undefined
}

/** The owner of a child, which may itself be new: then its key is not known yet. */
export interface ItemOwner {
  /** The child's foreign key. Clients cannot write it here. */
  readonly column: ColumnInfo
  readonly ownerKey: ColumnInfo
  readonly of: ValidatedItem
}

/** A validated item: values by names of code, or errors by names in JSON. */
export interface ValidatedItem {
  /** As the client sent it. */
  readonly input: unknown
  readonly values: Record<string, unknown>
  readonly errors: FieldErrors
  readonly record: Values | undefined
  /** The record, if reading it takes no time. */
  readonly loaded: Values | undefined
  readonly key: unknown
  readonly owner: ItemOwner | undefined
  /** The item in which this one is nested. */
  readonly within: ValidatedItem | undefined
  /** Only the sent fields change. */
  readonly partial: boolean
}

/** The item of the request itself, which all others are nested in. */
export function outermost(item: ValidatedItem): ValidatedItem {
  return item.within ? outermost(item.within) : item
}

export function isNewItem(item: ValidatedItem): boolean {
  return item.key === undefined && item.record === undefined
}

/** Whether a stored item is known to keep its value in a column. */
export function keepsValue({ values, loaded }: ValidatedItem, column: ColumnInfo): boolean {
  if (!loaded) return false
  const value = values[column.key]
  return value === undefined || kindOf(column).isSame(value, loaded[column.key])
}

/** A stored item's value in a column; `undefined` for a new item. Reads the record only if the key is not enough. */
export function storedValue(item: ValidatedItem, column: ColumnInfo): unknown {
  if (isNewItem(item)) return undefined
  return (column.primaryKey ? item.key : undefined) ?? item.record?.[column.key]
}
