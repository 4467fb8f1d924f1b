import { RecordList } from '../../records/record-list.ts'
import { deleteRecords as deleteByKeys } from '../../records/write-many.ts'
import { keyProjection, ownProjection } from '../../store/projection.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { decodedKeys } from '../../store/row-order.ts'
import type { ImportHooks } from '../import-hooks.ts'

/** Records that are looked at and deleted together. */
const BATCH = 2_000

/**
 * Deletes the records that a replace puts others in the place of, and returns how many there were. All of them are
 * locked and asked about before the first is deleted.
 */
export async function deleteRecords(
  queryset: QuerySet,
  { checkRecord, delete: deleteBatch }: ImportHooks,
): Promise<number> {
  if (!checkRecord && !deleteBatch) return queryset.delete()
  const { database, model } = queryset
  const rows = await queryset.orderBy([{ by: model.primaryKey, descending: false }]).rows(keyProjection(model))
  const keys = decodedKeys(database, model, rows, 0)
  const batches: RecordList[] = []
  for (let start = 0; start < keys.length; start += BATCH) {
    const locked = await queryset.withKeys(ownProjection(model), keys.slice(start, start + BATCH), 'delete')
    const found = decodedKeys(database, model, locked, model.columns.indexOf(model.primaryKey))
    const records = new RecordList(database, model, found, locked)
    if (checkRecord) for (const record of await records.records()) await checkRecord(record)
    // Without its rows, which are read again when they are asked for: memory does not grow with the table.
    batches.push(new RecordList(database, model, found))
  }
  let deleted = 0
  for (const records of batches) {
    deleted += await (deleteBatch ? deleteBatch(records) : deleteByKeys(database, model, records.keys))
  }
  return deleted
}
