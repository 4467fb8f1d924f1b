import { errorsUnder } from '../../core/errors.ts'
import { message, type Text } from '../../core/messages/message.ts'
import type { ReadContext } from '../../kinds/kind.ts'
import { CATALOGUE, textOf } from '../../kinds/schema-parts.ts'
import { noSuchRecord, severalSuchRecords } from '../../model/no-such-record.ts'
import { NestedDraft } from '../../records/drafts.ts'
import type { Database } from '../../store/connection/database.ts'
import { QuerySet } from '../../store/queryset.ts'
import { columnSchema } from '../column-schema.ts'
import {
  type ManyField,
  type StoredField,
  type ToOneRelation,
  takesRecords,
  truncatedName,
  type WrittenField,
} from '../fields.ts'
import type { ValidatedItem } from '../item.ts'
import type { ModelSerializer } from '../model-serializer.ts'
import { checkLists } from './check-lists.ts'
import { checkSet, checkSetOfTexts } from './check-sets.ts'
import { choosesKey, keyGiven, type RelatedRecords } from './related-records.ts'
import { isObject } from './relation-schema.ts'

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
  fields: readonly WrittenField[],
  database: Database,
  validated: readonly ValidatedItem[],
  context: ReadContext,
  related: RelatedRecords,
): Promise<void> {
  const created: Pending[] = []
  for (const field of fields) {
    if (field.kind === 'many') {
      refuseLists(field, validated)
      await checkMany(field, database, validated, context, related)
    } else if (field.kind === 'stored' && isRelated(field)) {
      const pending = pendingOf(field, validated, related)
      if (field.relation.write === 'str') await findByText(field, database, pending)
      else created.push(...(await findByKey(field, database, pending, context)))
    }
  }
  // Each serializer validates all its new records at once.
  for (const [serializer, group] of Map.groupBy(created, ({ field }) => field.relation.serializer)) {
    if (serializer) await validateGroup(serializer, group, related)
  }
}

/** A list that a client read in part would delete or unlink the records that the client has not seen. */
function refuseLists(field: ManyField, validated: readonly ValidatedItem[]): void {
  const { wire, valueKey, maxStored } = field
  for (const { values, errors, input } of validated) {
    const list = values[valueKey]
    if (!Array.isArray(list)) continue
    const isPart = isObject(input) && Reflect.get(input, truncatedName(field)) === true
    if (!isPart && list.length <= maxStored) continue
    errors[wire] = [isPart ? message('truncated_list') : message('max_stored', { max: maxStored })]
    delete values[valueKey]
  }
}

function isRelated(field: StoredField): field is RelatedField {
  return field.relation !== null && field.relation.write !== 'id'
}

function pendingOf(
  field: RelatedField,
  validated: readonly ValidatedItem[],
  { isFixed }: Pick<RelatedRecords, 'isFixed'>,
): Pending[] {
  const { valueKey, relation } = field
  return validated.flatMap(entry => {
    if (isFixed(entry, valueKey)) return []
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
    const given = keyGiven(item.input, primaryKey)
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
  const isChosen = serializer !== undefined && choosesKey(serializer)
  for (const { item, key } of named) {
    if (found.has(key)) item.entry.values[field.valueKey] = found.get(key)
    else if (isChosen) created.push(item)
    else complain(item, noSuchRecord(model, primaryKey, key), path)
  }
  return created
}

async function validateGroup(
  serializer: ModelSerializer,
  group: readonly Pending[],
  { validate, visible, checkCreated }: RelatedRecords,
): Promise<void> {
  const results = await validate(
    serializer,
    group.map(({ input, field, entry }) => ({ input, fixed: field.relation.fixedValues?.(), within: entry })),
  )
  const within = checkCreated ? await visible(serializer) : undefined
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

function checkMany(
  field: ManyField,
  database: Database,
  validated: readonly ValidatedItem[],
  context: ReadContext,
  related: RelatedRecords,
): Promise<void> {
  if (takesRecords(field)) return checkLists(field, database, validated, context, related)
  if (field.write === 'str') return checkSetOfTexts(field, database, validated, related)
  return checkSet(field, database, validated, related)
}
