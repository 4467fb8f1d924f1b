import { errorsUnder } from '../core/errors.ts'
import { message, type Text } from '../core/messages/message.ts'
import type { ReadContext } from '../kinds/kind.ts'
import { CATALOGUE, textOf } from '../kinds/schema-parts.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import { noSuchRecord, noSuchRecords, severalSuchRecords } from '../model/no-such-record.ts'
import { NestedDraft, RelatedSet } from '../records/drafts.ts'
import type { Database } from '../store/connection/database.ts'
import { QuerySet } from '../store/queryset.ts'
import { hasJoinTable } from '../store/to-many.ts'
import { columnSchema } from './column-schema.ts'
import type { ManyField, StoredField, ToOneRelation } from './fields.ts'
import type { SubmittedItem, ValidatedItem } from './item.ts'
import type { ModelSerializer } from './model-serializer.ts'
import { isObject } from './relation-schema.ts'

type ValidateNew = (serializer: ModelSerializer, items: readonly SubmittedItem[]) => Promise<readonly ValidatedItem[]>

interface NewRecords {
  readonly validateNew: ValidateNew
  /** The records to which a new one must belong, besides those of its field. */
  within(serializer: ModelSerializer): Promise<QuerySet> | undefined
}

type RelatedField = StoredField & { readonly relation: ToOneRelation }

interface Pending {
  readonly entry: ValidatedItem
  readonly field: RelatedField
  readonly input: unknown
}

/**
 * Resolves related records: texts and objects with an identifier become keys, new records become {@link NestedDraft}s,
 * and lists become {@link RelatedSet}s. Writes nothing, and the number of statements does not grow with the items.
 */
export async function checkRelations(
  fields: readonly (StoredField | ManyField)[],
  database: Database,
  validated: readonly ValidatedItem[],
  context: ReadContext,
  newRecords: NewRecords,
): Promise<void> {
  const created: Pending[] = []
  for (const field of fields) {
    if (field.kind === 'many') await checkSet(field, database, validated)
    else if (isRelated(field)) {
      const pending = pendingOf(field, validated)
      if (field.relation.write === 'str') await findByText(field, database, pending)
      else created.push(...(await findByKey(field, database, pending, context)))
    }
  }
  // Each serializer validates all its new records at once.
  for (const [serializer, group] of Map.groupBy(created, ({ field }) => field.relation.serializer)) {
    if (serializer) await validateGroup(serializer, group, newRecords)
  }
}

function isRelated(field: StoredField): field is RelatedField {
  return field.relation !== null && field.relation.write !== 'id'
}

function pendingOf(field: RelatedField, validated: readonly ValidatedItem[]): Pending[] {
  const { valueKey, relation } = field
  return validated.flatMap(entry => {
    const input = entry.values[valueKey]
    const isPending = relation.write === 'str' ? input !== undefined && input !== null : isObject(input)
    return isPending ? [{ entry, field, input }] : []
  })
}

function complain({ entry, field }: Pending, text: Text, path = field.wire): void {
  entry.errors[path] = [text]
  delete entry.values[field.valueKey]
}

async function findByText(field: RelatedField, database: Database, pending: readonly Pending[]): Promise<void> {
  const { model, str, target, scope } = field.relation
  if (!str) return
  const texts = [...new Set(pending.map(({ input }) => input))]
  const ignoreCase = model.uniques.some(
    unique => unique.ignoreCase && unique.columns.length === 1 && unique.columns[0] === str,
  )
  const queryset = new QuerySet(database, model).filter(scope?.())
  const matches = await queryset.matches(
    [str],
    texts.map(text => [text]),
    ignoreCase,
    target,
  )
  const found = Map.groupBy(matches, ({ position }) => texts[position])
  for (const item of pending) {
    const [match, ...others] = found.get(item.input) ?? []
    if (!match) complain(item, noSuchRecord(model, str, item.input))
    else if (others.length > 0) complain(item, severalSuchRecords(model, str, item.input))
    else item.entry.values[field.valueKey] = match.key
  }
}

/** Finds the records named by an object with an identifier. Returns the objects for new records. */
async function findByKey(
  field: RelatedField,
  database: Database,
  pending: readonly Pending[],
  context: ReadContext,
): Promise<Pending[]> {
  const { model, target, scope, serializer } = field.relation
  const { primaryKey } = model
  const path = `${field.wire}.${primaryKey.wire}`
  const created: Pending[] = []
  const named: { readonly item: Pending; readonly key: unknown }[] = []
  const schema = columnSchema({ ...primaryKey, nullable: false })(context)
  for (const item of pending) {
    const given = directValue(item.input, primaryKey)
    if (given === undefined || given === null) {
      created.push(item)
      continue
    }
    const result = schema.safeParse(given, CATALOGUE)
    if (result.success) named.push({ item, key: result.data })
    else complain(item, textOf(result.error.issues[0]!), path)
  }
  const keys = [...new Set(named.map(({ key }) => key))]
  const queryset = new QuerySet(database, model).filter(scope?.())
  const matches = await queryset.matches(
    [primaryKey],
    keys.map(key => [key]),
    false,
    target,
  )
  const found = new Map(matches.map(({ position, key }) => [keys[position], key]))
  // A key chosen by clients, such as a code, can name a new record.
  const isChosen = serializer?.fields.some(
    candidate => candidate.kind === 'stored' && candidate.column === primaryKey && !candidate.readOnly,
  )
  for (const { item, key } of named) {
    if (found.has(key)) item.entry.values[field.valueKey] = found.get(key)
    else if (isChosen) created.push(item)
    else complain(item, noSuchRecord(model, primaryKey, key), path)
  }
  return created
}

function directValue(input: unknown, { wire }: ColumnInfo): unknown {
  return isObject(input) && Object.hasOwn(input, wire) ? input[wire] : undefined
}

async function validateGroup(
  serializer: ModelSerializer,
  group: readonly Pending[],
  { validateNew, within: withinOf }: NewRecords,
): Promise<void> {
  const results = await validateNew(
    serializer,
    group.map(({ input, field }) => ({ input, fixed: field.relation.fixedValues?.() })),
  )
  const within = await withinOf(serializer)
  results.forEach(({ values, errors }, index) => {
    const { entry, field } = group[index] as Pending
    const { valueKey, wire, relation } = field
    if (Object.keys(errors).length === 0) {
      entry.values[valueKey] = new NestedDraft(serializer.model, values, {
        wire,
        target: relation.target,
        scope: relation.scope,
        within,
      })
      return
    }
    Object.assign(entry.errors, errorsUnder(wire, errors))
    delete entry.values[valueKey]
  })
}

/** Missing records of a list share one message. */
async function checkSet(field: ManyField, database: Database, validated: readonly ValidatedItem[]): Promise<void> {
  const { relation, wire, valueKey } = field
  const { model, relatedKey, scope } = relation
  const given = validated.flatMap(entry => {
    const keys = entry.values[valueKey]
    return Array.isArray(keys) ? [{ entry, keys: [...new Set<unknown>(keys)] }] : []
  })
  const all = [...new Set(given.flatMap(({ keys }) => keys))]
  const queryset = new QuerySet(database, model).filter(scope?.())
  const matches = await queryset.matches(
    [relatedKey],
    all.map(key => [key]),
    false,
    model.primaryKey,
    // These records themselves are written, so they must not leave the scope before that.
    hasJoinTable(relation) ? undefined : 'update',
  )
  const known = new Set(matches.map(({ position }) => all[position]))
  const taken = new Set<unknown>()
  for (const { entry, keys } of given) {
    const unknown = keys.filter(key => !known.has(key))
    // A foreign key has one owner, so two records of a batch cannot both claim it.
    const twice = hasJoinTable(relation) ? [] : keys.filter(key => taken.has(key))
    for (const key of keys) taken.add(key)
    entry.values[valueKey] = new RelatedSet(relation, keys)
    if (unknown.length === 0 && twice.length === 0) continue
    delete entry.values[valueKey]
    entry.errors[wire] =
      unknown.length > 0
        ? [noSuchRecords(model, relatedKey, unknown)]
        : [message('claimed_twice', { values: quoted(twice) })]
  }
}

function quoted(keys: readonly unknown[]): string {
  return keys.map(key => `"${key}"`).join(', ')
}
