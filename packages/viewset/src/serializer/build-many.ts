import { is, Table } from 'drizzle-orm'
import { type ColumnInfo, type ModelInfo, type TableInfo, tableInfo } from '../model/model-info.ts'
import type { RelatedOrder, ToManyRelation } from '../store/to-many.ts'
import {
  columnOf,
  optionsOf,
  type Place,
  type RelationOptions,
  refuse,
  relatedModel,
  relatedSerializer,
} from './build-relation.ts'
import type { DeclaredManyField, ManyField } from './fields.ts'
import { keyListSchema } from './relation-schema.ts'

/** Checks a relation to many records of a model and makes its field. @throws ConfigError */
export function manyField(
  place: Place,
  owner: ModelInfo,
  wire: string,
  declared: DeclaredManyField,
  { readOnly, writeOnly }: { readonly readOnly: boolean; readonly writeOnly: boolean },
): ManyField {
  const { name } = place
  if (owner.byKey.has(name)) refuse(place, `"${owner.name}" has a column of this name; name the relation otherwise`)
  const options = optionsOf(place, declared)
  const { model, scope } = relatedModel(place, owner, options)
  const serializer = relatedSerializer(place, model, options)
  const isReadOnly = readOnly || options.readOnly === true
  const scopeReads = options.scopeReads === true
  if (scopeReads && !scope) refuse(place, 'scopeReads needs a scope; make the queryset with scoped(model, where)')
  const relation: ToManyRelation = {
    wire,
    model,
    scope,
    scopeReads,
    ordering: orderingOf(place, model, options),
    limit: limitOf(place, options, isReadOnly),
    ...(options.through === undefined
      ? reverse(place, owner, model, options)
      : joinTable(place, owner, model, options)),
  }
  return {
    kind: 'many',
    key: name,
    valueKey: name,
    wire,
    relation,
    serializer,
    readOnly: isReadOnly,
    writeOnly,
    required: false,
    schema: keyListSchema(relation.relatedKey),
    plainCheck: undefined,
  }
}

type Links = Pick<ToManyRelation, 'links' | 'source' | 'target' | 'ownerKey' | 'relatedKey'>

/** By a foreign key of the related model. */
function reverse(place: Place, owner: ModelInfo, model: ModelInfo, { column, throughFields }: RelationOptions): Links {
  if (throughFields) refuse(place, 'throughFields needs through; without a join table, name the foreign key by column')
  const source = foreignKey(place, model, owner, 'column', column)
  return {
    links: model,
    source,
    target: model.primaryKey,
    ownerKey: source.references?.column ?? owner.primaryKey,
    relatedKey: model.primaryKey,
  }
}

/** Where the links of a relation by a join table are. @throws ConfigError */
export function joinTable(
  place: Place,
  owner: ModelInfo,
  model: ModelInfo,
  { through, throughFields, column }: Pick<RelationOptions, 'through' | 'throughFields' | 'column'>,
): Links {
  if (!is(through, Table)) return refuse(place, 'through must be a table')
  if (column !== undefined) refuse(place, 'column is for a relation without through; name the keys by throughFields')
  const links = tableInfo(through)
  if (links.table === model.table || links.table === owner.table) {
    refuse(place, `through must be a table of its own that refers to "${owner.name}" and "${model.name}"`)
  }
  if (links.dialect !== owner.dialect) {
    refuse(place, `"${links.name}" and "${owner.name}" are tables for different databases`)
  }
  const [from, to] = throughFields ?? []
  const source = foreignKey(place, links, owner, 'throughFields', from)
  const target = foreignKey(place, links, model, 'throughFields', to)
  if (source === target) {
    refuse(place, `throughFields: name the two foreign keys of "${links.name}", to the record and to the related one`)
  }
  return {
    links,
    source,
    target,
    ownerKey: source.references?.column ?? owner.primaryKey,
    relatedKey: target.references?.column ?? model.primaryKey,
  }
}

/** The foreign key of `table` to `to`: the one named, else the only one. @throws ConfigError */
function foreignKey(
  place: Place,
  table: TableInfo,
  to: ModelInfo,
  option: string,
  key: string | undefined,
): ColumnInfo {
  const candidates = table.columns.filter(column => column.references?.target === to.table)
  const names = candidates.map(column => `"${column.key}"`).join(', ')
  if (key !== undefined) {
    const column = columnOf(place, table, option, key)
    if (candidates.includes(column)) return column
    const known = names === '' ? '' : `; known: ${names}`
    refuse(place, `${option}: "${key}" of "${table.name}" does not refer to "${to.name}"${known}`)
  }
  const [only, ...others] = candidates
  if (!only) return refuse(place, `"${table.name}" has no foreign key to "${to.name}"`)
  if (others.length > 0) {
    refuse(place, `"${table.name}" has several foreign keys to "${to.name}" (${names}); name the one by ${option}`)
  }
  return only
}

/** How many of each list are shown. A client that writes back a list which it sees in part would drop the rest. */
function limitOf(place: Place, { limit }: RelationOptions, isReadOnly: boolean): number | undefined {
  if (limit === undefined) return undefined
  if (!Number.isSafeInteger(limit) || limit < 1) refuse(place, 'limit must be a whole number above 0')
  if (!isReadOnly) refuse(place, 'limit needs readOnly: a client that sends back what it sees would drop all others')
  return limit
}

/** The given order, ended by the primary key: the same set is always shown in the same order. */
function orderingOf(place: Place, model: ModelInfo, { ordering = [] }: RelationOptions): readonly RelatedOrder[] {
  const terms = [ordering].flat().map((term: string) => ({
    column: columnOf(place, model, 'ordering', term.replace(/^-/, '')),
    descending: term.startsWith('-'),
  }))
  return [...terms, { column: model.primaryKey, descending: false }]
}
