import type { FieldErrors } from '../core/errors.ts'
import type { Values } from '../store/write/write.ts'

/** The input for one record. */
export interface SubmittedItem {
  readonly input: unknown
  /** The record to update. Its current values do not count as taken. */
  readonly record?: Values | undefined
  /** The primary key of that record, if known without loading it. */
  readonly key?: unknown
  /** Earlier errors. If set, only the item's own fields are checked. */
  readonly errors?: FieldErrors | undefined
  /** As in `ValidateOptions`, for this item. */
  readonly fixed?: Values | undefined
}

/** A validated item: values by names of code, or errors by names in JSON. */
export interface ValidatedItem {
  readonly values: Record<string, unknown>
  readonly errors: FieldErrors
  readonly record: Values | undefined
  readonly key: unknown
}
