import type { SQL } from 'drizzle-orm'
import type { ColumnInfo } from '../model/model-info.ts'
import type { Guard, Values } from '../store/write/write.ts'
import type { ApiResponse } from './respond.ts'

// What mixins say of the records of their resources. It is data: a list for each resource, so that no class can leave out
// a `super`, and the one statement has it, too.

/** The condition of a mixin for all records that its resource reads or writes. */
export interface MixinScope {
  /** Names the mixin in an error. */
  readonly mixin: string
  readonly condition: (view: never) => SQL
}

/** A stored record that a request is to change: the one that the path names, or an item of a bulk request. */
export interface WantedChange {
  /** The body, or the item. */
  readonly input: unknown
  /** The place of the item in a bulk request; `undefined` for the record that the path names. */
  readonly index: number | undefined
}

/** What a stored record must hold. Of several guards, one must be met; `undefined` lets each record pass. */
export type GuardOf = (change: WantedChange, view: never) => Guard | readonly Guard[] | undefined

/** What a mixin expects of the stored records that a request changes. */
export interface MixinGuard {
  /** Names the mixin in an error. */
  readonly mixin: string
  readonly guard: GuardOf
}

/** What encloses the requests of a resource that need it, in the transaction of a write. */
export interface MixinAround {
  /** Whether this request needs it. One that does is no single statement. */
  readonly isNeeded: (view: never) => boolean
  readonly run: (view: never, next: () => Promise<ApiResponse>) => Promise<ApiResponse>
}

/** Headers of a mixin for each answer that shows one record, such as `ETag`. */
export interface MixinHeaders {
  /** The columns of the record that they need. */
  readonly columns: readonly ColumnInfo[]
  readonly of: (record: Values, view: never) => Readonly<Record<string, string>>
}
