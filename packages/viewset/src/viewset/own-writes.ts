import { underPath } from '../core/errors.ts'
import type { Model } from '../model/kit.ts'
import { keyOf, type ModelRecord } from '../records/record.ts'
import { RecordList } from '../records/record-list.ts'
import { giveBack, makeRoom } from '../store/make-room.ts'
import type { Values } from '../store/write.ts'
import type { BulkChange } from './bulk/change.ts'
import type { GenericViewSet } from './generic-viewset.ts'

// Where a resource writes one record in its own way, writes of many go the same way, record by record. That is slower
// than one statement, but what the resource says holds on every path.

interface OwnWrites {
  performCreate(values: Values): Promise<ModelRecord<Model>>
  performUpdate(record: ModelRecord<Model>, values: Values): Promise<ModelRecord<Model>>
  performDestroy(record: ModelRecord<Model>): Promise<void>
}

/** Where an item stands in the request, as its errors say it; `undefined` for none. */
export type PlaceOf<T> = (item: T, index: number) => string | undefined

export type CreateEach = (values: readonly Values[], place?: PlaceOf<Values>) => Promise<RecordList>
export type UpdateEach = (changes: readonly BulkChange[], place?: PlaceOf<BulkChange>) => Promise<RecordList>
export type DestroyEach = (records: RecordList) => Promise<number>

/** Creates records by the resource's own `performCreate`; `undefined` where it has none of its own. */
export function ownPerformCreate(view: GenericViewSet): CreateEach | undefined {
  if (!has(view, 'performCreate')) return undefined
  return (values, place) => eachOf(view, values, place, item => view.performCreate(item))
}

/** As {@link ownPerformCreate}, for changes to records and the resource's own `performUpdate`. */
export function ownPerformUpdate(view: GenericViewSet): UpdateEach | undefined {
  if (!has(view, 'performUpdate')) return undefined
  const update = ({ record, values }: BulkChange) => view.performUpdate(record, values)
  return (changes, place) => handingOver(view, changes, () => eachOf(view, changes, place, update))
}

/**
 * Runs `write`, which updates records one by one, so that they can take unique values which others give up further down.
 * All or nothing: who goes on behind a failure finds no record without what it was to give up.
 */
export function handingOver<T>(
  view: GenericViewSet,
  changes: readonly BulkChange[],
  write: () => Promise<T>,
): Promise<T> {
  const updates = changes.map(({ record, values }) => ({ key: keyOf(record), values, record }))
  return view.database.transaction(async () => {
    const { model } = view.definition
    const loans = await makeRoom(view.database, model, updates)
    const written = await write()
    await giveBack(view.database, model, loans)
    return written
  })
}

/** As {@link ownPerformCreate}, for deletions and the resource's own `performDestroy`; tells how many there were. */
export function ownPerformDestroy(view: GenericViewSet): DestroyEach | undefined {
  if (!has(view, 'performDestroy')) return undefined
  return async records => {
    for (const record of await records.records()) await view.performDestroy(record)
    return records.length
  }
}

function has<H extends keyof OwnWrites>(view: GenericViewSet, hook: H): view is GenericViewSet & Pick<OwnWrites, H> {
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
