import type { Model } from '../../model/kit.ts'
import type { ModelRecord } from '../../records/record.ts'
import type { RecordList } from '../../records/record-list.ts'
import type { Values } from '../../store/write/write.ts'
import type { BulkChange } from '../bulk/change.ts'

/**
 * A write in the hook `write`. All of its records are written, or none.
 *
 * A bulk upsert is two writes in one transaction: its updates, then its creates. So is each part of an import.
 */
export type WritePlan<M extends Model = Model, V = Values> =
  | { readonly kind: 'create'; readonly values: readonly V[] }
  | { readonly kind: 'update'; readonly changes: readonly BulkChange<ModelRecord<M>, V>[] }
  | { readonly kind: 'delete' | 'softDelete' | 'restore'; readonly records: RecordList<M> }
