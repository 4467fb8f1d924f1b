import { ApiError, NON_FIELD_ERRORS } from '../../core/errors.ts'
import { message, type Text } from '../../core/messages/message.ts'
import type { Model } from '../../model/kit.ts'
import { recordOf } from '../../records/record.ts'
import { RecordList } from '../../records/record-list.ts'
import { deleteRecords as deleteByKeys } from '../../records/write-records.ts'
import { keyProjection, ownProjection } from '../../store/projection.ts'
import { QuerySet } from '../../store/queryset.ts'
import { keyText, rowsByKey } from '../../store/row-order.ts'
import type { ImportHooks } from '../import-hooks.ts'
import { refusalOf } from './check-records.ts'
import type { ImportRecord } from './row-groups.ts'
import { isAboutRows, NotStored } from './write-records.ts'

export interface RecordDeleter {
  readonly visible: QuerySet
  readonly hooks: ImportHooks
  fail(record: ImportRecord, text: Text): void
  deleted(record: ImportRecord): void
}

/** Returns the records that the resource permits to delete. They are locked. */
export async function checkDeletions(
  { visible, hooks: { checkRecord }, fail }: RecordDeleter,
  records: readonly ImportRecord[],
): Promise<readonly ImportRecord[]> {
  if (!checkRecord) return records
  const { model, database } = visible
  const rows = await visible.withKeys(
    ownProjection(model),
    records.map(({ key }) => key),
    'delete',
  )
  const stored = rowsByKey(database, model, rows)
  const allowed: ImportRecord[] = []
  for (const record of records) {
    const row = stored.get(keyText(model, record.key))
    const refusal = row && (await refusalOf(checkRecord, recordOf<Model>(database, model, row)))
    if (refusal === undefined) allowed.push(record)
    else fail(record, refusal)
  }
  return allowed
}

/** Deletes records together. If other records refer to some of them, halving the list finds these. */
export async function deleteFound(deleter: RecordDeleter, records: readonly ImportRecord[]): Promise<void> {
  if (records.length === 0) return
  const { database } = deleter.visible
  try {
    await database.transaction(() => deleteAll(deleter, records))
  } catch (error) {
    if (!isAboutRows(error)) throw error
    const [first] = records
    if (first && records.length === 1) {
      if (error instanceof NotStored && (await isGone(deleter, first))) return deleter.deleted(first)
      return deleter.fail(first, messageOf(error))
    }
    const half = records.length >> 1
    await deleteFound(deleter, records.slice(0, half))
    return deleteFound(deleter, records.slice(half))
  }
  for (const record of records) deleter.deleted(record)
}

/** Whether the deletion of another record has deleted a locked one: SQLite does not count such records. */
async function isGone({ visible: { database, model } }: RecordDeleter, { key }: ImportRecord): Promise<boolean> {
  const left = await new QuerySet(database, model).withKeys(keyProjection(model), [key])
  return left.length === 0
}

async function deleteAll({ visible, hooks }: RecordDeleter, records: readonly ImportRecord[]): Promise<void> {
  const { database, model } = visible
  const keys = records.map(({ key }) => key)
  const deleted = await (hooks.delete
    ? hooks.delete(new RecordList(database, model, keys))
    : deleteByKeys(database, model, keys))
  if (deleted !== keys.length) throw new NotStored()
}

function messageOf(error: unknown): Text {
  if (!(error instanceof ApiError)) return message('not_stored.deleted')
  const { fieldErrors = {} } = error
  return fieldErrors[NON_FIELD_ERRORS]?.[0] ?? Object.values(fieldErrors).flat()[0] ?? error.text
}
