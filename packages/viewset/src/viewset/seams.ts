import type { SQL } from 'drizzle-orm'
import type { ColumnInfo } from '../model/model-info.ts'
import type { Guard, Values } from '../store/write/write.ts'
import type { ApiResponse } from './answer/respond.ts'

// Mixins declare these as data, in a list for each resource. So no class can leave out a `super`, and the one
// statement can use them.

/** The condition of a mixin for all records that its resource reads or writes. */
export interface MixinScope {
  /** The name of the mixin in an error. */
  readonly mixin: string
  readonly condition: (view: never) => SQL
}

/** A stored record that a request will change: the one that the path names, or an item of a bulk request. */
export interface WantedChange {
  /** The body, or the item. */
  readonly input: unknown
  /** The index of the item in a bulk request; `undefined` for the record that the path names. */
  readonly index: number | undefined
  /** Whether there is such a record: false for an item of an upsert that would create one. */
  readonly isStored: boolean
}

/** The values that a stored record must hold. Of several guards, one must be met. `undefined` permits each record. */
export type GuardOf = (change: WantedChange, view: never) => Guard | readonly Guard[] | undefined

/** The `guard` of a mixin. */
export interface MixinGuard {
  /** The name of the mixin in an error. */
  readonly mixin: string
  readonly guard: GuardOf
}

/** The `around` of a mixin: it encloses requests, in the transaction of a write. */
export interface MixinAround {
  /** Whether this request needs it. Then the write is not the one statement. */
  readonly isNeeded: (view: never) => boolean
  readonly run: (view: never, next: () => Promise<ApiResponse>) => Promise<ApiResponse>
}

/** Headers of a mixin for each answer that shows one record, such as `ETag`. */
export interface MixinHeaders {
  /** The columns of the record that they need. */
  readonly columns: readonly ColumnInfo[]
  readonly of: (record: Values, view: never) => Readonly<Record<string, string>>
  /** Whether they can be sent without a check, since Viewset makes them. */
  readonly isTrusted?: boolean
}

/** The version of a resource's records. */
export interface ResourceVersion {
  readonly column: ColumnInfo
  /** Whether each item of a list and of a bulk answer has its tag. */
  readonly appendsTags: boolean
}
