import { underPath } from '../../core/errors.ts'
import type { Model } from '../../model/kit.ts'
import { keyOf, type ModelRecord } from '../../records/record.ts'
import { RecordList } from '../../records/record-list.ts'
import { parkTakenValues, restoreParked } from '../../store/write/exchange-in-turn.ts'
import type { Values } from '../../store/write/write.ts'
import type { BulkChange } from '../bulk/change.ts'
import type { GenericViewSet } from '../generic-viewset.ts'

// A hook for one record that a resource overrides also writes the records of bulk requests, upserts and imports, one by
// one. A hook for many records that it overrides comes first. Without an override, one statement writes all records.

interface Performs {
  performCreate(values: Values): Promise<ModelRecord<Model>>
  performUpdate(record: ModelRecord<Model>, values: Values): Promise<ModelRecord<Model>>
  performDestroy(record: ModelRecord<Model>): Promise<void>
  performBulkCreate(values: Values[]): Promise<RecordList>
  performBulkUpdate(changes: readonly BulkChange[]): Promise<RecordList>
  performBulkDelete(records: RecordList): Promise<number>
}

/** The place of an item in the request, for its errors; `undefined` if it has none. */
export type PlaceOf<T> = (item: T, index: number) => string | undefined

export type CreateEach = (values: readonly Values[], place?: PlaceOf<Values>) => Promise<RecordList>
export type UpdateEach = (changes: readonly BulkChange[], place?: PlaceOf<BulkChange>) => Promise<RecordList>
/** Returns the number of deleted records. */
export type DestroyEach = (records: RecordList) => Promise<number>

/** Creates records by an overridden `performCreate`; `undefined` if nothing overrides it. */
export function overriddenCreate(view: GenericViewSet): CreateEach | undefined {
  if (!has(view, 'performCreate')) return undefined
  return (values, place) => eachOf(view, values, place, item => view.performCreate(item))
}

/** Updates records by an overridden `performUpdate`; `undefined` if nothing overrides it. */
export function overriddenUpdate(view: GenericViewSet): UpdateEach | undefined {
  if (!has(view, 'performUpdate')) return undefined
  const update = ({ record, values }: BulkChange) => view.performUpdate(record, values)
  return (changes, place) => withParkedValues(view, changes, () => eachOf(view, changes, place, update))
}

/** Deletes records by an overridden `performDestroy`; `undefined` if nothing overrides it. */
export function overriddenDestroy(view: GenericViewSet): DestroyEach | undefined {
  if (!has(view, 'performDestroy')) return undefined
  return async records => {
    for (const record of await records.records()) await view.performDestroy(record)
    return records.length
  }
}

/** As {@link overriddenCreate}, if `performBulkCreate` or `performCreate` is overridden. */
export function overriddenBulkCreate(view: GenericViewSet): CreateEach | undefined {
  return has(view, 'performBulkCreate') ? values => view.performBulkCreate([...values]) : overriddenCreate(view)
}

/** As {@link overriddenUpdate}, if `performBulkUpdate` or `performUpdate` is overridden. */
export function overriddenBulkUpdate(view: GenericViewSet): UpdateEach | undefined {
  return has(view, 'performBulkUpdate') ? changes => view.performBulkUpdate(changes) : overriddenUpdate(view)
}

/** As {@link overriddenDestroy}, if `performBulkDelete` or `performDestroy` is overridden. */
export function overriddenBulkDelete(view: GenericViewSet): DestroyEach | undefined {
  return has(view, 'performBulkDelete') ? records => view.performBulkDelete(records) : overriddenDestroy(view)
}

/**
 * Runs `write`, which updates records one by one in any order, so that one may take a unique value that another gives up.
 * All or nothing: after an error no record has lost the value that it was to give up.
 */
export function withParkedValues<T>(
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
