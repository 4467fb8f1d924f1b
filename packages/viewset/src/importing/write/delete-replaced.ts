import { Conflict, NON_FIELD_ERRORS } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { RecordList } from '../../records/record-list.ts'
import { deleteRecords } from '../../records/write-records.ts'
import { keyProjection, ownProjection } from '../../store/projection.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { referrersOf } from '../../store/referrers.ts'
import { decodedKeys, keyPlace, keyText } from '../../store/row-order.ts'
import type { ImportHooks } from '../import-hooks.ts'
import type { ModelReader } from '../read/model-reader.ts'
import { LISTED_ROWS, snapshots } from './diff.ts'
import type { WriteContext } from './write-context.ts'

const BATCH = 2_000

export async function deleteReplaced(queryset: QuerySet, hooks: ImportHooks): Promise<number> {
  try {
    // After a failed savepoint, the database can still report which records refer to these.
    return await queryset.database.transaction(() => deleteAll(queryset, hooks))
  } catch (error) {
    if (!(error instanceof Conflict)) throw error
    const names = await referrersOf(queryset)
    if (names.length === 0) throw error
    throw new Conflict({ [NON_FIELD_ERRORS]: [message('restricted.replace', { resources: names })] }, undefined, {
      cause: error,
    })
  }
}

/** Locks and checks all records before it deletes the first. */
async function deleteAll(queryset: QuerySet, { checkRecord, delete: deleteBatch }: ImportHooks): Promise<number> {
  if (!checkRecord && !deleteBatch) return queryset.delete()
  const { database, model } = queryset
  const own = keyProjection(model)
  const rows = await queryset.orderBy([{ by: model.primaryKey, descending: false }]).rows(own)
  const keys = decodedKeys(database, model, rows, keyPlace(model, own.columns))
  const batches: RecordList[] = []
  for (let start = 0; start < keys.length; start += BATCH) {
    const locked = await queryset.withKeys(ownProjection(model), keys.slice(start, start + BATCH), 'delete')
    const found = decodedKeys(database, model, locked, keyPlace(model, model.columns))
    const records = new RecordList(database, model, found, locked)
    if (checkRecord) for (const record of await records.records()) await checkRecord(record)
    // The list keeps no rows and reads them again when needed, so memory does not grow with the table.
    batches.push(new RecordList(database, model, found))
  }
  let deleted = 0
  for (const records of batches) {
    deleted += await (deleteBatch ? deleteBatch(records) : deleteRecords(database, model, records.keys))
  }
  return deleted
}

export type ReplacedRecords = readonly Readonly<Record<string, unknown>>[]

export async function replacedRecords(context: WriteContext, { plan, sight }: ModelReader): Promise<ReplacedRecords> {
  const { model } = plan
  const set = context.visible(plan).orderBy([{ by: model.primaryKey, descending: false }])
  const own = keyProjection(model)
  const rows = await set.rows(own, { limit: LISTED_ROWS, offset: 0 })
  const keys = decodedKeys(set.database, model, rows, keyPlace(model, own.columns))
  const seen = await snapshots(context, { plan }, keys)
  const unique = sight.shown.filter(({ column }) => plan.unique.columns.includes(column))
  // Without a unique field, all columns of the import are shown.
  const shown = unique.length > 0 ? unique : sight.shown
  return keys.map(key => {
    const record = seen.get(keyText(model, key))
    return Object.fromEntries(shown.map(column => [column.header, record?.get(column)]))
  })
}
