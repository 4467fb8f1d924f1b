import type { FieldErrors } from '../core/errors.ts'
import type { Values } from '../store/write/write.ts'

/** What a client sent for one record. */
export interface SubmittedItem {
  readonly input: unknown
  /** The record that is to be updated: its own values do not count as taken. */
  readonly record?: Values | undefined
  /** The primary key of that record, where it is known without making an object of it. */
  readonly key?: unknown
  /** What is wrong already, with the record it names: then only its own fields are looked at. */
  readonly errors?: FieldErrors | undefined
  /** As in `ValidateOptions`, where it is the item's own. */
  readonly fixed?: Values | undefined
}

/** What came of an item: values of the model by the names of code, or errors by the names of the wire. */
export interface ValidatedItem {
  readonly values: Record<string, unknown>
  readonly errors: FieldErrors
  readonly record: Values | undefined
  readonly key: unknown
}
