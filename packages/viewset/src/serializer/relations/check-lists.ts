import { errorsUnder, type FieldErrors } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import type { ReadContext } from '../../kinds/kind.ts'
import { CATALOGUE, jsonType, textOf } from '../../kinds/schema-parts.ts'
import type { Model, PrimaryKeyOf } from '../../model/kit.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import { noSuchRecord } from '../../model/no-such-record.ts'
import { TAG_FIELD } from '../../model/version-column.ts'
import { type ListMode, type ListOrigin, type NestedItem, NestedList } from '../../records/drafts.ts'
import type { Database } from '../../store/connection/database.ts'
import { ownProjection } from '../../store/projection.ts'
import { QuerySet } from '../../store/queryset.ts'
import { keyText } from '../../store/row-order.ts'
import { decodeRow } from '../../store/row-set.ts'
import { hasJoinTable } from '../../store/to-many.ts'
import type { Values } from '../../store/write/write.ts'
import { columnSchema } from '../column-schema.ts'
import type { ManyField } from '../fields.ts'
import { isNewItem, type SubmittedItem, storedValue, type ValidatedItem } from '../item.ts'
import type { ModelSerializer } from '../model-serializer.ts'
import { listsBelow } from './lists-below.ts'
import { choosesKey, keyGiven, type LeavingRecord, type RelatedRecords } from './related-records.ts'
import { isObject } from './relation-schema.ts'

/** The list that a request sent for one owner. */
interface OwnersList {
  readonly owner: ValidatedItem
  readonly inputs: readonly unknown[]
  /** The stored records that an item may name, by the texts of their keys. */
  readonly stored: ReadonlyMap<string, Values>
  readonly errors: FieldErrors
  readonly items: ListItem[]
}

interface ListItem {
  readonly path: string
  readonly input: unknown
  /** The stored record that the item names. */
  readonly record: Values | undefined
  /** A bare identifier, or a link to a stored record: nothing of it is written. */
  readonly isOnlyKey: boolean
}

/**
 * Reads lists of records that are written with their owners, and makes {@link NestedList}s of them. Writes nothing, and
 * the number of statements does not grow with the owners or the items.
 */
export async function checkLists(
  field: ManyField,
  database: Database,
  validated: readonly ValidatedItem[],
  context: ReadContext,
  related: RelatedRecords,
): Promise<void> {
  const { relation, serializer, valueKey } = field
  if (!serializer) return
  const owners = validated.filter(({ values }) => Array.isArray(values[valueKey]))
  if (owners.length === 0) return
  const visible = await related.visible(serializer)
  const stored = hasJoinTable(relation)
    ? await linkable(field, database, owners, context)
    : await children(field, visible ?? new QuerySet(database, serializer.info), owners, related.leaving)
  const lists = owners.map(owner => {
    const inputs = owner.values[valueKey] as readonly unknown[]
    const list: OwnersList = { owner, inputs, stored: stored.of(owner), errors: {}, items: [] }
    readList(field, serializer, list, context)
    return list
  })
  const within = related.checkCreated ? visible : undefined
  const modeOf = ({ owner }: OwnersList) => (isNewItem(owner) ? 'merge' : field.modes[owner.partial ? 'PATCH' : 'PUT'])
  const mayDelete = !relation.softDelete && lists.some(list => list.stored.size > 0 && modeOf(list) === 'sync')
  const below = mayDelete ? await listsBelow(serializer, related) : []
  const values = await validateItems(field, serializer, lists, related, [
    ...stored.leaving,
    ...leftOut(field, lists, modeOf),
  ])
  for (const list of lists) {
    const { owner, errors, items } = list
    const added = items.filter(({ record }) => !record || hasJoinTable(relation)).length
    const kept = hasJoinTable(relation) ? 0 : modeOf(list) === 'merge' ? list.stored.size : items.length - added
    if (added > 0 && added + kept > field.maxStored) {
      owner.errors[field.wire] = [message('max_stored', { max: field.maxStored })]
    }
    if (Object.keys(errors).length > 0) {
      Object.assign(owner.errors, errorsUnder(field.wire, errors))
      delete owner.values[valueKey]
      continue
    }
    const origin: ListOrigin = { relation, mode: modeOf(list), stored: list.stored, within, below }
    owner.values[valueKey] = new NestedList(
      origin,
      items.map(item => nestedItem(serializer.info, item, values.get(item) ?? {})),
    )
  }
}

function nestedItem({ primaryKey }: ModelInfo, { record }: ListItem, values: Values): NestedItem {
  return record ? { key: record[primaryKey.key] as PrimaryKeyOf<Model>, values } : { values }
}

/** The stored records that the lists of owners may name. */
interface Stored {
  of(owner: ValidatedItem): ReadonlyMap<string, Values>
  /** The children of owners that the request deletes. */
  readonly leaving: readonly LeavingRecord[]
}

const NOTHING: ReadonlyMap<string, Values> = new Map()

/**
 * The children of stored owners, locked: nothing else may change what the request compares with. Children that the
 * request may not see are not among them, so that it leaves them alone.
 */
async function children(
  { relation: { model, scope, source, ownerKey } }: ManyField,
  visible: QuerySet,
  owners: readonly ValidatedItem[],
  leaving: readonly LeavingRecord[],
): Promise<Stored> {
  const keyOf = (owner: ValidatedItem) => storedValue(owner, ownerKey)
  const gone = leaving.map(({ record }) => record[ownerKey.key])
  const keys = [...owners.map(keyOf).filter(key => key !== undefined), ...gone]
  const rows = await visible.filter(scope?.()).having(source, keys, ownProjection(model), 'update')
  const records = rows.map(row => decodeRow(visible.database.dialect, model, row))
  const byOwner = Map.groupBy(records, record => String(record[source.key]))
  return {
    of: owner => byKey(model, byOwner.get(String(keyOf(owner))) ?? []),
    leaving: leaving.flatMap(({ record, owner, isKept }) =>
      (byOwner.get(String(record[ownerKey.key])) ?? []).map(child => ({ record: child, owner, isKept })),
    ),
  }
}

function byKey(model: ModelInfo, records: readonly Values[]): ReadonlyMap<string, Values> {
  return new Map(records.map(record => [keyText(model, record[model.primaryKey.key]), record]))
}

/** The records that items of a many-to-many list name: any in the field's queryset. */
async function linkable(
  { relation: { model, scope }, valueKey }: ManyField,
  database: Database,
  owners: readonly ValidatedItem[],
  context: ReadContext,
): Promise<Stored> {
  const schema = columnSchema({ ...model.primaryKey, nullable: false })(context)
  const named = owners.flatMap(({ values }) =>
    (values[valueKey] as readonly unknown[]).flatMap(input => {
      const result = schema.safeParse(isObject(input) ? keyGiven(input, model.primaryKey) : input, CATALOGUE)
      return result.success ? [result.data] : []
    }),
  )
  if (named.length === 0) return { of: () => NOTHING, leaving: [] }
  const queryset = new QuerySet(database, model).filter(scope?.())
  const rows = await queryset.withKeys(ownProjection(model), [...new Set(named)])
  const records = byKey(
    model,
    rows.map(row => decodeRow(database.dialect, model, row)),
  )
  return { of: () => records, leaving: [] }
}

/** Finds the stored records that the items name. Errors are by the place in the list: `"2.id"`. */
function readList(field: ManyField, serializer: ModelSerializer, list: OwnersList, context: ReadContext): void {
  const { info } = serializer
  const { primaryKey } = info
  const schema = columnSchema({ ...primaryKey, nullable: false })(context)
  const isChosen = choosesKey(serializer)
  const isLink = hasJoinTable(field.relation)
  /** Whether an item was only a key, by its key. */
  const seen = new Map<string, boolean>()
  const refusesTags = !isLink && !serializer.fields.some(({ wire }) => wire === TAG_FIELD)
  list.inputs.forEach((input, at) => {
    const isBare = field.write === 'flexible' && !isObject(input)
    const given = isBare ? input : keyGiven(input, primaryKey)
    const keyPath = isBare ? `${at}` : `${at}.${primaryKey.wire}`
    if (!isBare && !isObject(input)) {
      list.errors[at] = [message('not_an_object', { found: jsonType(input) })]
      return
    }
    // A client that sends a tag would believe that it guards the child.
    if (refusesTags && isObject(input) && Object.hasOwn(input, TAG_FIELD)) {
      list.errors[`${at}.${TAG_FIELD}`] = [message('etag_of_child')]
      return
    }
    if (!isBare && (given === undefined || given === null)) {
      list.items.push({ path: `${at}`, input, record: undefined, isOnlyKey: false })
      return
    }
    const result = schema.safeParse(given, CATALOGUE)
    if (!result.success) {
      list.errors[keyPath] = [textOf(result.error.issues[0]!)]
      return
    }
    const text = keyText(info, result.data)
    const record = list.stored.get(text)
    const isOnlyKey = isBare || (isLink && record !== undefined)
    // Two items with nothing but a key mean the same. Two objects of a child may differ.
    if (seen.get(text) && isOnlyKey) return
    if (seen.has(text)) list.errors[keyPath] = [message('claimed_twice.record')]
    else if (!record && (isBare || !isChosen)) list.errors[keyPath] = [noSuchRecord(info, primaryKey, result.data)]
    else list.items.push({ path: `${at}`, input, record, isOnlyKey })
    seen.set(text, isOnlyKey)
  })
}

/** The stored children that the lists delete. */
function leftOut(
  { relation }: ManyField,
  lists: readonly OwnersList[],
  modeOf: (list: OwnersList) => ListMode,
): readonly LeavingRecord[] {
  if (hasJoinTable(relation)) return []
  return lists.flatMap(list => {
    if (modeOf(list) === 'merge') return []
    const kept = new Set(list.items.map(({ record }) => record))
    const left = [...list.stored.values()].filter(record => !kept.has(record))
    return left.map(record => ({ record, owner: list.owner, isKept: relation.softDelete }))
  })
}

/** One validation for the items of all lists, with their errors in the lists. */
async function validateItems(
  { relation, fixedValues }: ManyField,
  serializer: ModelSerializer,
  lists: readonly OwnersList[],
  related: RelatedRecords,
  leaving: readonly LeavingRecord[],
): Promise<ReadonlyMap<ListItem, Values>> {
  const { primaryKey } = serializer.info
  const { source, ownerKey } = relation
  const fixed = fixedValues?.()
  const places: { readonly list: OwnersList; readonly item: ListItem; readonly submitted: SubmittedItem }[] = []
  for (const list of lists) {
    const owner = hasJoinTable(relation) ? undefined : { column: source, of: list.owner, ownerKey }
    for (const item of list.items) {
      if (item.isOnlyKey) continue
      const { input, record } = item
      // A new child needs all fields, also in a PATCH of its owner.
      const partial = list.owner.partial && record !== undefined
      const nested = { input, partial, owner, within: list.owner }
      const submitted = { ...nested, ...(record ? { record, key: record[primaryKey.key] } : { fixed }) }
      places.push({ list, item, submitted })
    }
  }
  const results = await related.validate(
    serializer,
    places.map(({ submitted }) => submitted),
    leaving,
  )
  const values = new Map<ListItem, Values>()
  results.forEach((result, index) => {
    const { list, item } = places[index]!
    Object.assign(list.errors, errorsUnder(item.path, result.errors))
    values.set(item, result.values)
  })
  return values
}
