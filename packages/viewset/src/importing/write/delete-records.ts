import { RecordList } from '../../records/record-list.ts'
import { deleteRecords as deleteByKeys } from '../../records/write-many.ts'
import { keyProjection, ownProjection } from '../../store/projection.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { decodedKeys } from '../../store/row-order.ts'
import type { ImportHooks } from '../import-hooks.ts'

const BATCH = 2_000

/** Locks and checks all records before it deletes the first. */
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
    // The list keeps no rows and reads them again when needed, so memory does not grow with the table.
    batches.push(new RecordList(database, model, found))
  }
  let deleted = 0
  for (const records of batches) {
    deleted += await (deleteBatch ? deleteBatch(records) : deleteByKeys(database, model, records.keys))
  }
  return deleted
}
