import type { RowLock } from '../../model/dialect/dialect.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import { RecordList } from '../../records/record-list.ts'
import { readJsonKey } from '../../serializer/read-keys.ts'
import { deleteManyDirectly } from '../../store/direct-writes.ts'
import { keyProjection, ownProjection } from '../../store/projection.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { inOrder, keyText, storedKeyTexts } from '../../store/row-order.ts'
import { type BulkView, bulkItems } from './items.ts'

/** What a bulk delete, soft delete or restore has done (SPEC, "Bulk delete report"). */
export interface BulkDeleteReport {
  /** Identifiers submitted, repeated ones included. */
  readonly requested_count: number
  /** Records that the database says were changed. */
  readonly count: number
  /** Submitted identifiers that match no record of the resource, as they were submitted. */
  readonly missing_ids: readonly unknown[]
}

/** What a request asks to delete. */
interface SubmittedKeys {
  readonly submitted: readonly unknown[]
  /** Those of them that could be primary keys, by the same index; else `undefined`. */
  readonly keys: readonly unknown[]
  readonly unique: readonly unknown[]
}

/** Finds the records that the request names among those of `queryset`, locks them, and reports what `perform` does. */
export async function deleteReport(
  view: BulkView,
  queryset: QuerySet,
  lock: RowLock,
  perform: (records: RecordList) => Promise<number>,
): Promise<BulkDeleteReport> {
  const { model } = view.definition
  const asked = submittedKeys(view)
  const { unique } = asked
  // A deletion needs the rows themselves only if somebody looks at them.
  const isWhole = lock === 'update' || view.asksAboutRecords
  const projection = isWhole ? ownProjection(model) : keyProjection(model)
  const rows = await queryset.withKeys(projection, unique, lock)
  const at = projection.columns.indexOf(model.primaryKey)
  const found = new Set(storedKeyTexts(view.database, model, rows, at))
  const known = unique.filter(key => found.has(keyText(model, key)))
  const records = new RecordList(
    view.database,
    model,
    known,
    isWhole ? inOrder(view.database, model, rows, at, known) : undefined,
  )
  if (view.asksAboutRecords) for (const record of await records.records()) await view.checkObjectPermissions(record)
  return reportOf(model, asked, await perform(records), found)
}

/**
 * Deletes the records that the request names among those of `queryset` by one statement, where nobody has to see them
 * before. `undefined` where the database refuses it: whoever goes the long way then is told why.
 */
export async function deleteDirectly(view: BulkView, queryset: QuerySet): Promise<BulkDeleteReport | undefined> {
  const { model } = view.definition
  const asked = submittedKeys(view)
  if (asked.unique.length === 0) return undefined
  const deleted = await deleteManyDirectly(queryset, asked.unique)
  if (!deleted) return undefined
  const found = new Set(deleted.map(key => keyText(model, key)))
  const others = asked.unique.filter(key => !found.has(keyText(model, key)))
  // A trigger can keep a row: it is there, though it was not deleted.
  const kept = await queryset.withKeys(keyProjection(model), others)
  for (const key of storedKeyTexts(view.database, model, kept, 0)) found.add(key)
  return reportOf(model, asked, deleted.length, found)
}

function submittedKeys(view: BulkView): SubmittedKeys {
  const { primaryKey } = view.definition.model
  const submitted = bulkItems(view)
  const keys = submitted.map(id => {
    const read = readJsonKey(primaryKey, id)
    return 'key' in read ? read.key : undefined
  })
  return { submitted, keys, unique: [...new Set(keys.filter(key => key !== undefined))] }
}

/** `found`: the texts of the keys of all records that there were. */
function reportOf(
  model: ModelInfo,
  { submitted, keys }: SubmittedKeys,
  count: number,
  found: ReadonlySet<string>,
): BulkDeleteReport {
  const missing = submitted.filter((_, i) => keys[i] === undefined || !found.has(keyText(model, keys[i])))
  return { requested_count: submitted.length, count, missing_ids: missing }
}
