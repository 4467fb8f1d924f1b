import { message, type Text } from '../../core/messages/message.ts'
import { noSuchRecords, severalSuchRecords } from '../../model/no-such-record.ts'
import { RelatedSet } from '../../records/drafts.ts'
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

/** Lists of texts, each of which must identify exactly one record, become {@link RelatedSet}s. */
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
  const matches = await queryset.matches(
    [str],
    texts.map(text => [text]),
    model.uniques.some(({ ignoreCase, columns }) => ignoreCase && columns.length === 1 && columns[0] === str),
    relatedKey,
  )
  const found = Map.groupBy(matches, ({ position }) => texts[position])
  for (const { entry, keys } of given) {
    const missing = keys.filter(text => !found.has(text))
    const unclear = keys.find(text => (found.get(text)?.length ?? 0) > 1)
    if (missing.length > 0) complain(field, entry, noSuchRecords(model, str, missing))
    else if (unclear !== undefined) complain(field, entry, severalSuchRecords(model, str, unclear))
    else {
      const linked = keys.map(text => found.get(text)?.[0]?.key)
      entry.values[field.valueKey] = hasJoinTable(relation) ? new RelatedSet(relation, linked) : linked
    }
  }
  if (!hasJoinTable(relation)) await checkSet(field, database, validated, related)
}

function quoted(keys: readonly unknown[]): string {
  return keys.map(key => `"${key}"`).join(', ')
}
