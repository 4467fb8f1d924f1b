import { message, type Text } from '../../core/messages/message.ts'
import { foldCase } from '../../core/text.ts'
import type { Model, PrimaryKeyOf } from '../../model/kit.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import { noSuchRecords, severalSuchRecords } from '../../model/no-such-record.ts'
import { type NestedItem, NestedList, RelatedSet } from '../../records/drafts.ts'
import type { Database } from '../../store/connection/database.ts'
import { QuerySet } from '../../store/queryset.ts'
import { hasJoinTable } from '../../store/to-many.ts'
import type { ManyField } from '../fields.ts'
import { storedValue, type ValidatedItem } from '../item.ts'
import type { RelatedRecords } from './related-records.ts'

interface Given {
  readonly entry: ValidatedItem
  readonly keys: readonly unknown[]
}

function givenOf({ valueKey }: ManyField, validated: readonly ValidatedItem[]): readonly Given[] {
  return validated.flatMap(entry => {
    const keys = entry.values[valueKey]
    return Array.isArray(keys) ? [{ entry, keys: [...new Set<unknown>(keys)] }] : []
  })
}

function complain({ wire, valueKey }: ManyField, { values, errors }: ValidatedItem, text: Text): void {
  errors[wire] = [text]
  delete values[valueKey]
}

/** Lists of identifiers become {@link RelatedSet}s. Missing records of a list share one message. */
export async function checkSet(
  field: ManyField,
  database: Database,
  validated: readonly ValidatedItem[],
  related: RelatedRecords,
): Promise<void> {
  const { relation, valueKey } = field
  const { model, relatedKey, scope } = relation
  const given = givenOf(field, validated)
  const all = [...new Set(given.flatMap(({ keys }) => keys))]
  const queryset = new QuerySet(database, model).filter(scope?.())
  const matches = await queryset.matches(
    [relatedKey],
    all.map(key => [key]),
    false,
    // The foreign key is the record's present owner.
    hasJoinTable(relation) ? model.primaryKey : relation.source,
    // These records themselves are written, so they must not leave the scope before that.
    hasJoinTable(relation) ? undefined : 'update',
  )
  const known = new Map(matches.map(({ position, key }) => [all[position], key]))
  const closed = hasJoinTable(relation) ? undefined : await closedKeys(field, given, known, related)
  const taken = new Set<unknown>()
  for (const { entry, keys } of given) {
    const unknown = keys.filter(key => !known.has(key) || closed?.has(key))
    // A foreign key has one owner, so two records of a batch cannot both claim it.
    const twice = hasJoinTable(relation) ? [] : keys.filter(key => taken.has(key))
    for (const key of keys) taken.add(key)
    if (unknown.length > 0) complain(field, entry, noSuchRecords(model, relatedKey, unknown))
    else if (twice.length > 0) complain(field, entry, message('claimed_twice', { values: quoted(twice) }))
    else entry.values[valueKey] = new RelatedSet(relation, keys)
  }
}

/** The records that belong to an owner out of this request's reach: a move changes that owner too. */
async function closedKeys(
  { relation: { ownerKey } }: ManyField,
  given: readonly Given[],
  ownerOf: ReadonlyMap<unknown, unknown>,
  related: RelatedRecords,
): Promise<ReadonlySet<unknown>> {
  const named = new Set(given.map(({ entry }) => storedValue(entry, ownerKey)))
  const others = new Set([...ownerOf.values()].filter(owner => owner !== null && !named.has(owner)))
  if (others.size === 0) return new Set()
  const closed = new Set(await related.closedOwners(ownerKey, [...others]))
  return new Set([...ownerOf].flatMap(([key, owner]) => (closed.has(owner) ? [key] : [])))
}

/**
 * Lists of texts, each of which must identify exactly one record, become {@link RelatedSet}s. With `createMissing`, they
 * become {@link NestedList}s, with new records for the texts without one.
 */
export async function checkSetOfTexts(
  field: ManyField,
  database: Database,
  validated: readonly ValidatedItem[],
  related: RelatedRecords,
): Promise<void> {
  const { relation, str } = field
  const { model, relatedKey, scope } = relation
  if (!str) return
  const given = givenOf(field, validated)
  const texts = [...new Set(given.flatMap(({ keys }) => keys))]
  const queryset = new QuerySet(database, model).filter(scope?.())
  const ignoreCase = model.uniques.some(
    unique => unique.ignoreCase && unique.columns.length === 1 && unique.columns[0] === str,
  )
  const matches = await queryset.matches(
    [str],
    texts.map(text => [text]),
    ignoreCase,
    relatedKey,
  )
  const found = Map.groupBy(matches, ({ position }) => texts[position])
  const itemOf = itemsOfTexts(field, str, ignoreCase)
  for (const { entry, keys } of given) {
    const missing = keys.filter(text => !found.has(text))
    const unclear = keys.find(text => (found.get(text)?.length ?? 0) > 1)
    if (missing.length > 0 && !field.createsMissing) complain(field, entry, noSuchRecords(model, str, missing))
    else if (unclear !== undefined) complain(field, entry, severalSuchRecords(model, str, unclear))
    else {
      const linked = keys.map(text => found.get(text)?.[0]?.key)
      entry.values[field.valueKey] = field.createsMissing
        ? new NestedList(
            { relation, mode: 'merge', stored: new Map(), within: undefined, below: [] },
            new Set(keys.map((text, at) => itemOf(text, linked[at]))),
          )
        : hasJoinTable(relation)
          ? new RelatedSet(relation, linked)
          : linked
    }
  }
  if (!hasJoinTable(relation)) await checkSet(field, database, validated, related)
}

/** Makes items of texts. All lists of a request share the new record of a text. */
function itemsOfTexts(
  { fixedValues }: ManyField,
  str: ColumnInfo,
  ignoreCase: boolean,
): (text: unknown, key: unknown) => NestedItem {
  const created = new Map<unknown, NestedItem>()
  return (text, key) => {
    if (key !== undefined) return { key: key as PrimaryKeyOf<Model>, values: {} }
    const identity = ignoreCase ? foldCase(String(text)) : text
    const item = created.get(identity) ?? { values: { [str.key]: text, ...fixedValues?.() } }
    created.set(identity, item)
    return item
  }
}

function quoted(keys: readonly unknown[]): string {
  return keys.map(key => `"${key}"`).join(', ')
}
