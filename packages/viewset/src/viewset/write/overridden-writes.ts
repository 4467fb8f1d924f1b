import { underPath } from '../../core/errors.ts'
import type { Model } from '../../model/kit.ts'
import { keyOf, type ModelRecord } from '../../records/record.ts'
import { RecordList } from '../../records/record-list.ts'
import { deleteRecords, setDeleted } from '../../records/write-records.ts'
import { parkTakenValues, restoreParked } from '../../store/write/exchange-in-turn.ts'
import type { Values } from '../../store/write/write.ts'
import type { BulkChange } from '../bulk/change.ts'
import type { GenericViewSet } from '../generic-viewset.ts'

// An overridden hook for one record also writes the records of bulk requests, upserts and imports, one by one. An
// overridden hook for many records takes precedence. Without an override, one statement writes all records.

interface Performs {
  performCreate(values: Values): Promise<ModelRecord<Model>>
  performUpdate(record: ModelRecord<Model>, values: Values): Promise<ModelRecord<Model>>
  performDestroy(record: ModelRecord<Model>): Promise<void>
  performRestore(record: ModelRecord<Model>): Promise<ModelRecord<Model>>
  performBulkCreate(values: Values[]): Promise<RecordList>
  performBulkUpdate(changes: readonly BulkChange[]): Promise<RecordList>
  performBulkDelete(records: RecordList): Promise<number>
}

export type PlaceOf<T> = (item: T, index: number) => string | undefined

export type CreateEach = (values: readonly Values[], place?: PlaceOf<Values>) => Promise<RecordList>
export type UpdateEach = (changes: readonly BulkChange[], place?: PlaceOf<BulkChange>) => Promise<RecordList>
/** Returns the number of deleted records. */
export type DestroyEach = (records: RecordList) => Promise<number>
/** Returns the number of restored records. */
export type RestoreEach = (records: RecordList) => Promise<number>

/** Creates records by an overridden `performCreate`; `undefined` without an override. */
export function overriddenCreate(view: GenericViewSet): CreateEach | undefined {
  if (!has(view, 'performCreate')) return undefined
  return (values, place) => eachOf(view, values, place, item => view.performCreate(item))
}

export function overriddenUpdate(view: GenericViewSet): UpdateEach | undefined {
  if (!has(view, 'performUpdate')) return undefined
  const update = ({ record, values }: BulkChange) => view.performUpdate(record, values)
  return (changes, place) => withParkedValues(view, changes, () => eachOf(view, changes, place, update))
}

export function overriddenDestroy(view: GenericViewSet): DestroyEach | undefined {
  if (!has(view, 'performDestroy')) return undefined
  return async records => {
    for (const record of await records.records()) await view.performDestroy(record)
    return records.length
  }
}

/** Restores records by an overridden `performRestore`; `undefined` without an override. */
export function overriddenRestore(view: GenericViewSet): RestoreEach | undefined {
  if (!has(view, 'performRestore')) return undefined
  return async records => {
    for (const record of await records.records()) await view.performRestore(record)
    return records.length
  }
}

/** Deletes records with one statement. With the setting `softDelete`, it marks them as deleted. */
export function deleteAsSet({ database, definition: { model }, config }: GenericViewSet, { keys }: RecordList) {
  return config.softDelete ? setDeleted(database, model, keys, true) : deleteRecords(database, model, keys)
}

/** As {@link overriddenCreate}, if `performBulkCreate` or `performCreate` is overridden. */
export function overriddenBulkCreate(view: GenericViewSet): CreateEach | undefined {
  return has(view, 'performBulkCreate') ? values => view.performBulkCreate([...values]) : overriddenCreate(view)
}

export function overriddenBulkUpdate(view: GenericViewSet): UpdateEach | undefined {
  return has(view, 'performBulkUpdate') ? changes => view.performBulkUpdate(changes) : overriddenUpdate(view)
}

export function overriddenBulkDelete(view: GenericViewSet): DestroyEach | undefined {
  return has(view, 'performBulkDelete') ? records => view.performBulkDelete(records) : overriddenDestroy(view)
}

/** A record may take a unique value that another one releases. After an error every record has its old values. */
function withParkedValues<T>(
  view: GenericViewSet,
  changes: readonly BulkChange[],
  write: () => Promise<T>,
): Promise<T> {
  const updates = changes.map(({ record, values }) => ({ key: keyOf(record), values, record }))
  return view.database.transaction(async () => {
    const { model } = view.definition
    const parked = await parkTakenValues(view.database, model, updates)
    const written = await write()
    await restoreParked(view.database, model, parked)
    return written
  })
}

function has<H extends keyof Performs>(view: GenericViewSet, hook: H): view is GenericViewSet & Pick<Performs, H> {
  return view.overrides(hook)
}

async function eachOf<T>(
  view: GenericViewSet,
  items: readonly T[],
  place: PlaceOf<T> | undefined,
  write: (item: T) => Promise<ModelRecord<Model>>,
): Promise<RecordList> {
  const records: object[] = []
  for (const [index, item] of items.entries()) {
    const path = place?.(item, index)
    records.push(await (path === undefined ? write(item) : underPath(path, () => write(item))))
  }
  return RecordList.of(view.database, view.definition.model, records)
}
