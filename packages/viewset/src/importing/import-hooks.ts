import type { Model } from '../model/kit.ts'
import type { CheckScope } from '../records/check-scope.ts'
import type { ModelRecord } from '../records/record.ts'
import type { RecordList } from '../records/record-list.ts'
import type { Values } from '../store/write.ts'
import type { ImportView } from './row-hooks.ts'

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
