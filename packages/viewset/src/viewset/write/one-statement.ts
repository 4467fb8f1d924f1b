import { readDeletes, readInserts, readUpdates } from '../../serializer/checked-bulk-write.ts'
import { isCheckedByStatement, readInsert, readUpdate } from '../../serializer/checked-write.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { writeItems } from '../../serializer/output/items.ts'
import type { Representation } from '../../serializer/output/row-writer.ts'
import { ReadItems } from '../../serializer/parse-item.ts'
import type { RawRow } from '../../store/connection/driver.ts'
import { keyProjection, ownProjection, type Projection } from '../../store/projection.ts'
import { decodeRow } from '../../store/row-set.ts'
import { deletionValues } from '../../store/soft-deletion.ts'
import { deleteAllChecked, insertAllChecked, updateAllChecked } from '../../store/write/checked-bulk-write.ts'
import { deleteChecked, insertChecked, updateChecked } from '../../store/write/checked-write.ts'
import { isReadOfWritten } from '../../store/write/reads-of-written.ts'
import type { WrittenRow } from '../../store/write/write.ts'
import { JsonText, ListPage, Reply } from '../answer/reply.ts'
import { type BulkDeleteReport, submittedKeys } from '../bulk/delete-report.ts'
import { type BulkView, bulkItems } from '../bulk/items.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { keyInPath } from '../records-in-scope.ts'
import { restoredReply } from '../soft-delete/restored-reply.ts'
import { itemRepresentations } from '../version/tagged-items.ts'
import { newRecordsOf } from './fixed-values.ts'
import { asOneGuard, guardsOfItems, guardsOfPath, isOneGuard, type RecordGuards } from './guards.ts'
import { headerFields, listedWithHeaders } from './record-headers.ts'
import { isWatched, type ResourceWrite, resourceWrite, type WriteKind } from './watchers.ts'

type Write = (view: GenericViewSet) => Promise<Reply | undefined>

const WRITES: Readonly<Record<ResourceWrite, Write>> = {
  create,
  update,
  destroy,
  softDestroy,
  restore,
  bulkCreate,
  bulkUpdate,
  bulkDelete,
  softBulkDelete: view => softDeleteOrRestore(view, true),
  bulkSoftDelete: view => softDeleteOrRestore(view, true),
  bulkRestore: view => softDeleteOrRestore(view, false),
}

/**
 * Only this function decides whether one statement is enough. `undefined` if nothing was written: something watches
 * the write, the body needs several statements, or the database refused. The action then makes the write in a
 * transaction, and reports the errors.
 */
export function writeByOneStatement(view: GenericViewSet, kind: WriteKind): Promise<Reply | undefined> | undefined {
  const write = resourceWrite(view, kind)
  return isWatched(view, write) ? undefined : WRITES[write](view)
}

async function create(view: GenericViewSet): Promise<Reply | undefined> {
  const serializer = view.getSerializer()
  if (!isCheckedByStatement(serializer)) return undefined
  const listed = listedWithHeaders(view, serializer)
  const write = readInsert(serializer, view.database, view.request.body, newRecordsOf(view))
  const row = write && (await insertChecked(view.database, listed.projection, write))
  return row && recordReply(view, serializer, row, returnsData(view, 'returnDataOnCreate'))
}

async function update(view: GenericViewSet): Promise<Reply | undefined> {
  const guards = guardsOfPath(view)
  const serializer = view.getSerializer()
  const key = keyInPath(view)
  if (key === undefined || !isOneGuard(guards) || !isCheckedByStatement(serializer)) return undefined
  const listed = listedWithHeaders(view, serializer)
  const write = readUpdate(serializer, view.database, view.request.body, updateOptions(view))
  if (!write) return undefined
  const guarded = { ...write, guard: asOneGuard(guards) }
  const row = await updateChecked(await view.getQueryset(), key, listed.projection, guarded)
  return row && recordReply(view, serializer, row, returnsData(view, 'returnDataOnUpdate'))
}

async function destroy(view: GenericViewSet): Promise<Reply | undefined> {
  const guards = guardsOfPath(view)
  const key = keyInPath(view)
  if (key === undefined || !isOneGuard(guards)) return undefined
  return (await deleteChecked(await view.getQueryset(), key, asOneGuard(guards))) ? new Reply(undefined) : undefined
}

async function softDestroy(view: GenericViewSet): Promise<Reply | undefined> {
  const { database, definition } = view
  const { model, headers } = definition
  // The record is still there, and has a new version.
  const shown = headers.length === 0 ? keyProjection(model) : ownProjection(model)
  const row = await setOneDeleted(view, true, shown)
  if (row && headers.length > 0) view.shown = decodeRow(database.dialect, model, row)
  return row && new Reply(undefined)
}

/** Restores a deleted record. One that is not deleted needs the transaction. */
async function restore(view: GenericViewSet): Promise<Reply | undefined> {
  const serializer = view.getSerializer()
  const { projection, loadRelated } = listedWithHeaders(view, serializer)
  if (loadRelated !== null || !isReadOfWritten(projection)) return undefined
  const row = await setOneDeleted(view, false, projection)
  return row && recordReply(view, serializer, row, true).with(restoredReply('restored'))
}

async function setOneDeleted(view: GenericViewSet, isDeleted: boolean, shown: Projection): Promise<RawRow | undefined> {
  const guards = guardsOfPath(view)
  const key = keyInPath(view)
  const guard = asOneGuard(guards)
  // A guard of `isActive` is another condition of the same column.
  if (key === undefined || !isOneGuard(guards) || (guard && 'isActive' in guard)) return undefined
  const queryset = await view.getQueryset()
  return updateChecked(queryset, key, shown, {
    values: deletionValues(isDeleted),
    guard: { ...guard, isActive: isDeleted },
    references: [],
    claims: [],
  })
}

async function bulkCreate(view: GenericViewSet): Promise<Reply | undefined> {
  const serializer = view.getSerializer()
  if (!isCheckedByStatement(serializer)) return undefined
  const read = new ReadItems(serializer, 'fields', newRecordsOf(view))
  view.readItems = read
  const write = readInserts(read, view.database, itemsOf(view))
  const { listed } = itemRepresentations(view, serializer)
  const rows = write && (await insertAllChecked(view.database, listed.projection, write))
  return rows && recordsReply(listed, rows, returnsData(view, 'returnDataOnCreate'))
}

async function bulkUpdate(view: GenericViewSet): Promise<Reply | undefined> {
  const items = itemsOf(view)
  const guards = guardsOfItems(view, items)
  const serializer = view.getSerializer()
  if (!guards.every(isOneGuard) || !isCheckedByStatement(serializer)) return undefined
  const read = new ReadItems(serializer, 'changeable', updateOptions(view))
  view.readItems = read
  const write = readUpdates(read, view.database, items)
  if (!write) return undefined
  const rows = withGuards(write.rows, guards)
  const { listed } = itemRepresentations(view, serializer)
  const written = await updateAllChecked(await view.getQueryset(), listed.projection, { ...write, rows })
  return written && recordsReply(listed, written, returnsData(view, 'returnDataOnUpdate'))
}

async function bulkDelete(view: GenericViewSet): Promise<Reply | undefined> {
  const rows = namedRows(view)
  const count = rows ? await deleteAllChecked(await view.getQueryset(), rows) : 0
  return deletionReply(view, count)
}

/** Soft-deletes or restores records. Records already in that state need the transaction. */
async function softDeleteOrRestore(view: GenericViewSet, isDeleted: boolean): Promise<Reply | undefined> {
  const named = namedRows(view)
  // A guard of `isActive` is another condition of the same column.
  if (!named || named.some(({ guard }) => guard && 'isActive' in guard)) return undefined
  const queryset = await view.getQueryset()
  // `deletedAt` is the time of the update: nothing is awaited between.
  const values = deletionValues(isDeleted)
  const rows = named.map(({ key, guard }) => ({ key, values, guard: { ...guard, isActive: isDeleted } }))
  const written = await updateAllChecked(queryset, keyProjection(queryset.model), { rows, references: [] })
  return deletionReply(view, written?.length ?? 0)
}

function namedRows(view: GenericViewSet): readonly WrittenRow[] | undefined {
  const submitted = itemsOf(view)
  const guards = guardsOfItems(view, submitted)
  const keys = readDeletes(view.definition.model, submittedKeys(view, submitted))
  if (!keys || !guards.every(isOneGuard)) return undefined
  // A repeated key may have two guards.
  if (guards.length > keys.length) return undefined
  return withGuards(
    keys.map(key => ({ key })),
    guards,
  )
}

function withGuards<T extends WrittenRow>(rows: readonly T[], guards: readonly RecordGuards[]): readonly T[] {
  return guards.length === 0 ? rows : rows.map((row, index) => ({ ...row, guard: asOneGuard(guards[index] ?? []) }))
}

function deletionReply(view: GenericViewSet, count: number): Reply<BulkDeleteReport> | undefined {
  if (count === 0) return undefined
  return new Reply({ requested_count: itemsOf(view).length, count, missing_ids: [] })
}

function updateOptions(view: GenericViewSet) {
  return { ...newRecordsOf(view), partial: view.method === 'PATCH' }
}

/** The items of a bulk request. The view of a bulk route has the methods of `BulkModelMixin`. */
function itemsOf(view: GenericViewSet): readonly unknown[] {
  return bulkItems(view as BulkView)
}

/** A setting that only the mixins of such a write have. */
function returnsData({ config }: GenericViewSet, setting: 'returnDataOnCreate' | 'returnDataOnUpdate'): boolean {
  return Reflect.get(config, setting) !== false
}

function recordReply(view: GenericViewSet, serializer: ModelSerializer, row: RawRow, returnsData: boolean): Reply {
  view.shown = headerFields(view, serializer, row)
  const { open } = listedWithHeaders(view, serializer)
  return new Reply(returnsData ? new JsonText(`${open(row)}}`) : {})
}

function recordsReply(listed: Representation, rows: readonly RawRow[], returnsData: boolean): Reply {
  return new Reply(returnsData ? new ListPage([writeItems(listed, rows, undefined)]) : { count: rows.length })
}
