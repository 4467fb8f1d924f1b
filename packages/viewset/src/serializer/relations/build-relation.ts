import { and, getTableName, is, Table } from 'drizzle-orm'
import type * as z from 'zod'
import { ConfigError } from '../../core/errors.ts'
import { suggestion } from '../../core/suggestion.ts'
import { has, kindOf } from '../../kinds/kinds.ts'
import { noteLinks } from '../../model/history.ts'
import type { Model } from '../../model/kit.ts'
import { type ColumnInfo, type ModelInfo, modelInfo, type TableInfo, tableInfo } from '../../model/model-info.ts'
import { noteParentKey } from '../../model/nestings.ts'
import type { ListMode } from '../../records/drafts.ts'
import type { Scope } from '../../store/projection.ts'
import { activeRows } from '../../store/soft-deletion.ts'
import { hasJoinTable, type RelatedOrder, type ToManyRelation } from '../../store/to-many.ts'
import {
  type DeclaredField,
  type DeclaredManyField,
  isWritable,
  type ListModes,
  type ManyField,
  type ToOneRelation,
  takesRecords,
} from '../fields.ts'
import type { FixedValues } from '../fixed-values.ts'
import type { ModelSerializer } from '../model-serializer.ts'
import { keyListSchema, recordListSchema } from './relation-schema.ts'
import { readQueryset } from './scoped.ts'

interface RelationOptions {
  readonly queryset?: unknown
  readonly serializer?: ModelSerializer
  readonly str?: string
  readonly output?: (record: Readonly<Record<string, unknown>>) => unknown
  readonly readOnly?: boolean
  readonly column?: string
  readonly scopeReads?: boolean
  readonly through?: Model
  readonly throughFields?: readonly [string, string]
  readonly ordering?: string | readonly string[]
  readonly limit?: number
  readonly input?: z.ZodType
  readonly modes?: Partial<ListModes>
  readonly maxItems?: number
  readonly maxStored?: number
  readonly softDelete?: boolean
  readonly createMissing?: boolean
}

export interface Place {
  readonly subject: string
  readonly name: string
}

function refuse({ subject, name }: Place, problem: string): never {
  throw new ConfigError(subject, name, problem)
}

export function optionsOf(place: Place, declared: DeclaredField | DeclaredManyField): RelationOptions {
  const stranger = Object.keys(declared.options).find(option => !declared.known.includes(option))
  if (stranger === undefined) return declared.options
  return refuse(place, `${declared.name} has no option "${stranger}"${suggestion(stranger, declared.known)}`)
}

/** @throws ConfigError for another value, or a model of another database. */
function relatedModel(
  place: Place,
  owner: ModelInfo,
  { queryset }: RelationOptions,
): { readonly model: ModelInfo; readonly scope: Scope | undefined; readonly fixedValues: FixedValues | undefined } {
  const read = readQueryset(`${place.subject}: ${place.name}`, queryset)
  if (!read) return refuse(place, 'queryset must be a model, or scoped(model, where)')
  const model = modelInfo(read.model)
  if (model.dialect !== owner.dialect) {
    refuse(place, `"${model.name}" and "${owner.name}" are tables for different databases`)
  }
  return { model, scope: read.scope, fixedValues: read.fixedValues }
}

/** @throws ConfigError if it is missing or of another model. */
function relatedSerializer(place: Place, model: ModelInfo, { serializer }: RelationOptions): ModelSerializer {
  if (typeof serializer !== 'object' || serializer === null || !('listed' in serializer)) {
    refuse(
      place,
      'serializer is required; make it with BaseModelSerializer(model, ...) before this one. Serializers cannot nest ' +
        'each other in a circle: give the inner one a serializer with fewer fields',
    )
  }
  if (serializer.model !== model.table) {
    refuse(place, `the serializer shows "${getTableName(serializer.model)}", the queryset is of "${model.name}"`)
  }
  return serializer
}

export function toOneRelation(
  place: Place,
  owner: ModelInfo,
  column: ColumnInfo,
  declared: DeclaredField,
): ToOneRelation {
  const options = optionsOf(place, declared)
  const { write, read, known } = declared
  const { model, scope, fixedValues } = relatedModel(place, owner, options)
  const serializer = known.includes('serializer') ? relatedSerializer(place, model, options) : undefined
  if (column.references && column.references.target !== model.table) {
    const other = getTableName(column.references.target)
    refuse(place, `the column refers to "${other}", the queryset is of "${model.name}"`)
  }
  const str = known.includes('str') ? strColumn(place, model, options.str) : undefined
  if (read === 'custom' && typeof options.output !== 'function') refuse(place, 'output must be a function of a record')
  if (write === 'data' || write === 'flexible') refuseOtherKey(place, model)
  if ((write === 'data' || write === 'flexible') && !takesAnything(serializer)) {
    refuse(place, `${declared.name} takes objects, but all fields of its serializer are read-only`)
  }
  const scopeReads = options.scopeReads === true
  if (scopeReads && !scope) refuse(place, 'scopeReads needs a scope; make the queryset with scoped(model, where)')
  const target = column.references?.column ?? model.primaryKey
  if (!column.references && comparedAs(column) !== comparedAs(target)) {
    refuse(place, `"${column.key}" is of type ${column.kind}, the key of "${model.name}" of type ${target.kind}`)
  }
  return {
    target,
    model,
    scope,
    fixedValues,
    scopeReads,
    write,
    read,
    serializer,
    str,
    output: options.output,
    input: inputOf(place, options),
  }
}

/** Kinds with the same result can be compared in SQL. */
function comparedAs(column: ColumnInfo): string {
  return kindOf(column).comparedAs ?? column.kind
}

function strColumn(place: Place, model: ModelInfo, str: string | undefined): ColumnInfo {
  if (str === undefined) return refuse(place, 'str is required; name the field that stands for a record')
  const column = columnOf(place, model, 'str', str)
  if (!has(column, 'comparable')) refuse(place, `str: "${str}" cannot stand for a record`)
  return column
}

function columnOf(place: Place, table: TableInfo, option: string, key: string): ColumnInfo {
  const column = table.byKey.get(key)
  return (
    column ??
    refuse(place, `${option}: unknown field "${key}" of "${table.name}"${suggestion(key, table.byKey.keys())}`)
  )
}

/** @throws ConfigError for a model whose records one value does not name */
function refuseOtherKey(place: Place, { name, key }: ModelInfo): void {
  if (key.length === 1) return
  refuse(
    place,
    `"${name}" has no primary key of one column; show its records with ManyIdToDataField and readOnly: true`,
  )
}

function takesAnything(serializer: ModelSerializer | undefined): boolean {
  return serializer?.fields.some(isWritable) ?? false
}

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
  const { write, read, known } = declared
  const { model, scope, fixedValues } = relatedModel(place, owner, options)
  const serializer = known.includes('serializer') ? relatedSerializer(place, model, options) : undefined
  const str = known.includes('str') ? strColumn(place, model, options.str) : undefined
  const isReadOnly = readOnly || options.readOnly === true
  if (!isReadOnly || read === 'id') refuseOtherKey(place, model)
  if (takesRecords(declared) && !isReadOnly && !takesAnything(serializer)) {
    refuse(place, `${declared.name} takes objects, but all fields of its serializer are read-only`)
  }
  const softDelete = softDeletes(place, model, options, isReadOnly)
  const scopeReads = options.scopeReads === true
  if (scopeReads && !scope) refuse(place, 'scopeReads needs a scope; make the queryset with scoped(model, where)')
  const scopeOfActive = softDelete ? () => and(scope?.(), activeRows(model)) ?? activeRows(model) : scope
  const relation: ToManyRelation = {
    wire,
    model,
    scope: scopeOfActive,
    scopeWithDeleted: scope,
    scopeReads,
    readScope: scopeReads ? scopeOfActive : softDelete ? () => activeRows(model) : undefined,
    softDelete,
    ordering: orderingOf(place, model, options),
    limit: limitOf(place, options, isReadOnly),
    ...(options.through === undefined
      ? reverse(place, owner, model, options)
      : joinTable(place, owner, model, options)),
  }
  if (hasJoinTable(relation)) noteLinks(owner.table, wire, relation.relatedKey)
  else if (!isReadOnly) noteParentKey(relation.source)
  const maxItems = takesRecords(declared) ? maxItemsOf(place, options) : undefined
  return {
    kind: 'many',
    key: name,
    valueKey: name,
    wire,
    relation,
    write,
    read,
    serializer,
    str,
    fixedValues,
    modes: modesOf(place, options),
    maxItems,
    maxStored: maxStoredOf(place, options),
    createsMissing: createsMissing(place, model, str, options),
    input: inputOf(place, options),
    readOnly: isReadOnly,
    writeOnly,
    required: false,
    schema: maxItems
      ? recordListSchema(maxItems)
      : keyListSchema((write === 'str' && str) || relation.relatedKey, inputOf(place, options)),
    plainCheck: undefined,
  }
}

function inputOf(place: Place, { input }: RelationOptions): z.ZodType | undefined {
  if (input !== undefined && typeof input?.safeParse !== 'function') refuse(place, 'input must be a Zod schema')
  return input
}

const LIST_MODES: readonly unknown[] = ['sync', 'merge'] satisfies readonly ListMode[]

function modesOf(place: Place, { modes = {}, through }: RelationOptions): ListModes {
  for (const [method, mode] of Object.entries(modes)) {
    if (method !== 'PUT' && method !== 'PATCH') {
      refuse(place, `modes has no method "${method}"${suggestion(method, ['PUT', 'PATCH'])}`)
    }
    if (!LIST_MODES.includes(mode)) refuse(place, `modes: ${method} must be 'sync' or 'merge'`)
    if (through !== undefined) refuse(place, 'modes is for children; links of a join table are always set as a whole')
  }
  return { PUT: 'sync', PATCH: 'merge', ...modes }
}

function createsMissing(
  place: Place,
  { columns }: ModelInfo,
  str: ColumnInfo | undefined,
  { createMissing = false, through }: RelationOptions,
): boolean {
  if (!createMissing) return false
  if (through === undefined) refuse(place, 'createMissing needs through: a child needs more than a text')
  const needed = columns.find(column => column !== str && !column.nullable && !column.hasDefault)
  if (needed) refuse(place, `createMissing: a new record needs "${needed.key}", which has no default`)
  return true
}

/** @throws ConfigError for a list that deletes no rows, or whose rows cannot be marked as deleted */
function softDeletes(
  place: Place,
  { name, softDeletable }: ModelInfo,
  { softDelete = false, through }: RelationOptions,
  isReadOnly: boolean,
): boolean {
  if (!softDelete) return false
  if (!softDeletable) refuse(place, `softDelete needs a model with SoftDeleteMixin(), and "${name}" has none`)
  if (through !== undefined || isReadOnly) refuse(place, 'softDelete is for children that the list writes')
  return true
}

function maxItemsOf(place: Place, { maxItems = MAX_ITEMS }: RelationOptions): number {
  if (!Number.isSafeInteger(maxItems) || maxItems < 1) refuse(place, 'maxItems must be a whole number above 0')
  return maxItems
}

/** As in bulk requests. */
const MAX_ITEMS = 1000

function maxStoredOf(place: Place, { maxStored = MAX_STORED }: RelationOptions): number {
  if (!Number.isSafeInteger(maxStored) || maxStored < 1) refuse(place, 'maxStored must be a whole number above 0')
  return maxStored
}

const MAX_STORED = 10_000

type Links = Pick<ToManyRelation, 'links' | 'source' | 'target' | 'ownerKey' | 'relatedKey'>

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

/** The named foreign key of `table` to `to`, or the only one. @throws ConfigError */
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
  const remedy = option === 'column' ? '; name the table between the two by through' : ''
  if (!only) return refuse(place, `"${table.name}" has no foreign key to "${to.name}"${remedy}`)
  if (others.length > 0) {
    refuse(place, `"${table.name}" has several foreign keys to "${to.name}" (${names}); name the one by ${option}`)
  }
  return only
}

/**
 * The limit of each list. Only for read-only relations: a client that writes back a shortened list would drop the rest.
 */
function limitOf(place: Place, { limit }: RelationOptions, isReadOnly: boolean): number | undefined {
  if (limit === undefined) return undefined
  if (!Number.isSafeInteger(limit) || limit < 1) refuse(place, 'limit must be a whole number above 0')
  if (!isReadOnly) refuse(place, 'limit needs readOnly: a client that sends back what it sees would drop all others')
  return limit
}

function orderingOf(place: Place, model: ModelInfo, { ordering = [] }: RelationOptions): readonly RelatedOrder[] {
  const terms = [ordering].flat().map((term: string) => ({
    column: columnOf(place, model, 'ordering', term.replace(/^-/, '')),
    descending: term.startsWith('-'),
  }))
  return [...terms, ...model.totalOrder.map(column => ({ column, descending: false }))]
}
