import { Conflict, type FieldErrors, ValidationError } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import { kindOf } from '../kinds/kinds.ts'
import type { ModelInfo } from '../model/model-info.ts'
import type { Database } from '../store/connection/database.ts'
import { ownProjection } from '../store/projection.ts'
import { QuerySet } from '../store/queryset.ts'
import { keyText } from '../store/row-order.ts'
import { decodeRow } from '../store/row-set.ts'
import { deletionValues } from '../store/soft-deletion.ts'
import { hasJoinTable, type ToManyRelation } from '../store/to-many.ts'
import { executeWrite } from '../store/write/execute-write.ts'
import { deleteLeftOut } from '../store/write/restricted-delete.ts'
import type { RowUpdate, Values } from '../store/write/write.ts'
import { type ListBelow, type NestedItem, NestedList, type OwnedPart, RelatedSet, withoutParts } from './drafts.ts'
import type { RecordList } from './record-list.ts'
import { type OwnedSets, pathTo, writeRelatedSets } from './related-sets.ts'

/** The place of a record in the request, for the errors of `preSave` handlers. */
export type PlaceAt = (index: number) => string | undefined

/** The writers of records, which write nested ones by themselves again. */
export interface RecordWriters {
  create(model: ModelInfo, values: Values): Promise<Values>
  insertMany(model: ModelInfo, values: readonly Values[], place: PlaceAt): Promise<RecordList>
  updateMany(model: ModelInfo, updates: readonly RowUpdate[], place: PlaceAt): Promise<RecordList>
}

/** What a request sent beside a record's own columns, for writing it after the record. */
export interface OwnedParts extends Omit<OwnedSets, 'sets'> {
  readonly parts: readonly OwnedPart[]
}

/** Writes the to-many relations and the children of records. The number of statements does not grow with them. */
export async function writeParts(
  database: Database,
  owned: readonly OwnedParts[],
  writers: RecordWriters,
): Promise<void> {
  const sets: OwnedSets[] = []
  const lists: OwnedList[] = []
  for (const { parts, ...rest } of owned) {
    sets.push({ ...rest, sets: parts.filter(part => part instanceof RelatedSet) })
    for (const list of parts) if (list instanceof NestedList) lists.push({ ...rest, list })
  }
  for (const [relation, group] of Map.groupBy(lists, ({ list }) => list.origin.relation)) {
    if (hasJoinTable(relation)) sets.push(...(await createLinked(relation, group, database, writers)))
    else await writeChildren(database, relation, group, writers)
  }
  await writeRelatedSets(database, sets)
}

interface OwnedList extends Omit<OwnedSets, 'sets'> {
  readonly list: NestedList
}

interface PlacedItem {
  readonly owned: OwnedList
  readonly item: NestedItem
  readonly path: string
}

function placedItems(relation: ToManyRelation, group: readonly OwnedList[]): readonly PlacedItem[] {
  return group.flatMap(owned => {
    const list = pathTo(owned.path, relation.wire)
    return owned.list.items.map((item, at) => ({ owned, item, path: `${list}.${at}` }))
  })
}

/** Deletes first and inserts last: a unique value that one child gives up is free for another. */
async function writeChildren(
  database: Database,
  relation: ToManyRelation,
  group: readonly OwnedList[],
  writers: RecordWriters,
): Promise<void> {
  const { model, source, ownerKey } = relation
  await deleteChildren(database, relation, group)
  const items = placedItems(relation, group)
  const { changed, updates, parts } = changesOf(model, items)
  await writers.updateMany(model, updates, at => changed[at]?.path)
  await writeParts(database, parts, writers)
  const created = items.filter(({ item }) => item.key === undefined)
  const values = created.map(({ item, owned }) => ({ ...item.values, [source.key]: owned.owner[ownerKey.key] }))
  const inserted = await writers.insertMany(model, values, at => created[at]?.path)
  const keys = [...changed.map(({ item }) => item.key), ...inserted.keys]
  await refuseForeignChildren(database, relation, [...changed, ...created], keys)
}

/** The stored children that a list leaves out. */
function leftOut(model: ModelInfo, { origin, items }: NestedList): readonly Values[] {
  if (origin.mode === 'merge') return []
  const kept = new Set(items.map(({ key }) => (key === undefined ? undefined : keyText(model, key))))
  return [...origin.stored].flatMap(([text, child]) => (kept.has(text) ? [] : [child]))
}

/** A stored record that a request deletes, and the path of the list that leaves it or its owner out. */
interface LeavingRow {
  readonly record: Values
  readonly place: string
}

async function deleteChildren(
  database: Database,
  { model, wire, softDelete }: ToManyRelation,
  group: readonly OwnedList[],
): Promise<void> {
  const leaving = group.flatMap(({ list, path }) =>
    leftOut(model, list).map(record => ({ record, place: pathTo(path, wire) })),
  )
  if (softDelete) {
    const rows = leaving.map(({ record }) => ({ key: record[model.primaryKey.key], values: {} }))
    await executeWrite(database, { kind: 'update', model, rows, shared: deletionValues(true) })
    return
  }
  if (leaving.length > 0) await deleteBelow(database, group[0]?.list.origin.below ?? [], leaving)
  await deleteLeaving(database, model, leaving)
}

/** Deletes what belongs to records that are deleted after it, the deepest level first. */
async function deleteBelow(
  database: Database,
  lists: readonly ListBelow[],
  owners: readonly LeavingRow[],
): Promise<void> {
  for (const { relation, visible, below } of lists) {
    const { model, source, ownerKey, scope } = relation
    const places = new Map(owners.map(({ record, place }) => [String(record[ownerKey.key]), place]))
    const found = await (visible ?? new QuerySet(database, model)).filter(scope?.()).having(
      source,
      owners.map(({ record }) => record[ownerKey.key]),
      ownProjection(model),
      'update',
    )
    const leaving = found.map(row => {
      const record = decodeRow(database.dialect, model, row)
      return { record, place: places.get(String(record[source.key])) ?? '' }
    })
    if (leaving.length === 0) continue
    await deleteBelow(database, below, leaving)
    if (source.references?.restrictsDelete) await deleteLeaving(database, model, leaving)
  }
}

async function deleteLeaving(database: Database, model: ModelInfo, leaving: readonly LeavingRow[]): Promise<void> {
  const rows = leaving.map(({ record }) => ({ key: record[model.primaryKey.key] }))
  const places = new Map(leaving.map(({ record, place }) => [String(record[model.primaryKey.key]), place]))
  await deleteLeftOut(places, () => executeWrite(database, { kind: 'delete', model, rows }))
}

interface Changes {
  /** The children whose own columns change, and their changed columns. */
  readonly changed: readonly PlacedItem[]
  readonly updates: readonly RowUpdate[]
  /** What belongs to children, changed or not. */
  readonly parts: readonly OwnedParts[]
}

/** A child that the request does not change is not written: it keeps its version and gets no entry in a history. */
function changesOf(model: ModelInfo, items: readonly PlacedItem[]): Changes {
  const names = new Set<string>()
  const changed: PlacedItem[] = []
  const own: Values[] = []
  const owned: OwnedParts[] = []
  for (const placed of items) {
    if (placed.item.key === undefined) continue
    const stored = storedChild(model, placed)
    const { values, parts } = withoutParts(placed.item.values)
    if (parts.length > 0) owned.push({ owner: { ...stored, ...values }, parts, isNew: false, path: placed.path })
    const differing = changedNames(model, values, stored)
    if (differing.length === 0) continue
    for (const name of differing) names.add(name)
    changed.push(placed)
    own.push(values)
  }
  const updates = changed.map(({ item: { key } }, at) => {
    return { key, values: Object.fromEntries(Object.entries(own[at] ?? {}).filter(([name]) => names.has(name))) }
  })
  return { changed, updates, parts: owned }
}

/** The names of the values that a stored record does not have already. */
export function changedNames(model: ModelInfo, values: Values, stored: Values): readonly string[] {
  return Object.keys(values).filter(name => {
    const column = model.byKey.get(name)
    return !column || !kindOf(column).isSame(values[name], stored[name])
  })
}

/** @throws TypeError for a child that a hook added to the list of another record */
function storedChild(model: ModelInfo, { item: { key }, owned, path }: PlacedItem): Values {
  const stored = owned.list.origin.stored.get(keyText(model, key))
  if (stored) return stored
  const remedy = 'leave out "key" to create a child'
  throw new TypeError(`${path}: this record has no child "${keyText(model, key)}" of "${model.name}"; ${remedy}`)
}

/** Creates the new records of a many-to-many list. The links to all of its records are a set. */
async function createLinked(
  relation: ToManyRelation,
  group: readonly OwnedList[],
  database: Database,
  writers: RecordWriters,
): Promise<readonly OwnedSets[]> {
  const { model, relatedKey } = relation
  // Lists of texts share the new record of a text.
  const byItem = new Map(placedItems(relation, group).map(placed => [placed.item, placed]))
  const created = [...byItem.values()].filter(({ item }) => item.key === undefined)
  const inserted = await writers.insertMany(
    model,
    created.map(({ item }) => item.values),
    at => created[at]?.path,
  )
  await refuseForeignChildren(database, relation, created, inserted.keys)
  const records = created.length === 0 ? [] : await inserted.records()
  const keys = new Map(created.map(({ item }, at) => [item, Reflect.get(records[at] ?? {}, relatedKey.key)]))
  return group.map(({ list, ...rest }) => {
    const linked = list.items.map(item => (item.key === undefined ? keys.get(item) : item.key))
    return { ...rest, sets: [new RelatedSet(relation, linked)] }
  })
}

/** Runs after the write, since defaults and hooks change the records. */
async function refuseForeignChildren(
  database: Database,
  { model, scope }: ToManyRelation,
  written: readonly PlacedItem[],
  keys: readonly unknown[],
): Promise<void> {
  if (keys.length === 0) return
  // A trigger can skip a row. Then the others cannot be assigned to their places.
  if (keys.length < written.length) throw new Conflict({}, message('not_stored.related'))
  const outside = new Set<number>()
  const check = async (queryset: QuerySet, group: readonly number[]) => {
    if (queryset.isUnconditional) return
    const missing = await queryset.missing(group.map(at => keys[at]))
    for (const index of missing) outside.add(group[index] as number)
  }
  await check(new QuerySet(database, model).filter(scope?.()), [...written.keys()])
  for (const [within, group] of Map.groupBy(written.keys(), at => written[at]?.owned.list.origin.within)) {
    if (within) await check(within, group)
  }
  if (outside.size === 0) return
  const errors: FieldErrors = {}
  for (const at of outside) errors[written[at]?.path ?? ''] = [message('out_of_scope.related')]
  throw new ValidationError(errors)
}
