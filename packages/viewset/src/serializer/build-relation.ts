import { getTableName } from 'drizzle-orm'
import { ConfigError } from '../core/errors.ts'
import { suggestion } from '../core/suggestion.ts'
import { has, kindOf } from '../kinds/kinds.ts'
import type { Model } from '../model/kit.ts'
import { type ColumnInfo, type ModelInfo, modelInfo, type TableInfo } from '../model/model-info.ts'
import type { Scope } from '../store/projection.ts'
import { type DeclaredField, type DeclaredManyField, isWritable, type ToOneRelation } from './fields.ts'
import type { FixedValues } from './fixed-values.ts'
import type { ModelSerializer } from './model-serializer.ts'
import { readQueryset } from './scoped.ts'

/** The options of all relation fields as the implementation reads them; each field's own type says which it takes. */
export interface RelationOptions {
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
}

/** Where a relation is declared, for messages. */
export interface Place {
  readonly subject: string
  readonly name: string
}

export function refuse({ subject, name }: Place, problem: string): never {
  throw new ConfigError(subject, name, problem)
}

/** A declared relation's options, none of which is unknown. @throws ConfigError */
export function optionsOf(place: Place, declared: DeclaredField | DeclaredManyField): RelationOptions {
  const stranger = Object.keys(declared.options).find(option => !declared.known.includes(option))
  if (stranger === undefined) return declared.options
  return refuse(place, `${declared.name} has no option "${stranger}"${suggestion(stranger, declared.known)}`)
}

/** The related model with its scope. @throws ConfigError when `queryset` is something else or of another database. */
export function relatedModel(
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

/** The serializer of a relation that needs one. @throws ConfigError when there is none, or it shows another model. */
export function relatedSerializer(place: Place, model: ModelInfo, { serializer }: RelationOptions): ModelSerializer {
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

/** Checks a relation through the foreign key `column` of `owner`. @throws ConfigError */
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
  if ((write === 'data' || write === 'flexible') && !takesAnything(serializer)) {
    refuse(place, `${declared.name} takes objects, but all fields of its serializer are read-only`)
  }
  const scopeReads = options.scopeReads === true
  if (scopeReads && !scope) refuse(place, 'scopeReads needs a scope; make the queryset with scoped(model, where)')
  const target = column.references?.column ?? model.primaryKey
  if (!column.references && comparedAs(column) !== comparedAs(target)) {
    refuse(place, `"${column.key}" is of type ${column.kind}, the key of "${model.name}" of type ${target.kind}`)
  }
  return { target, model, scope, fixedValues, scopeReads, write, read, serializer, str, output: options.output }
}

/** What kinds have in common that a database can compare with each other. */
function comparedAs(column: ColumnInfo): string {
  return kindOf(column).comparedAs ?? column.kind
}

function strColumn(place: Place, model: ModelInfo, str: string | undefined): ColumnInfo {
  if (str === undefined) return refuse(place, 'str is required; name the field that stands for a record')
  const column = columnOf(place, model, 'str', str)
  if (!has(column, 'comparable')) refuse(place, `str: "${str}" cannot stand for a record`)
  return column
}

/** A column that an option names. @throws ConfigError */
export function columnOf(place: Place, table: TableInfo, option: string, key: string): ColumnInfo {
  const column = table.byKey.get(key)
  return (
    column ??
    refuse(place, `${option}: unknown field "${key}" of "${table.name}"${suggestion(key, table.byKey.keys())}`)
  )
}

function takesAnything(serializer: ModelSerializer | undefined): boolean {
  return serializer?.fields.some(isWritable) ?? false
}
