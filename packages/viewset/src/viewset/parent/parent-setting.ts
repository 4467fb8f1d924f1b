import { ConfigError } from '../../core/errors.ts'
import { checkOptions, required, type SettingRules, setting } from '../../core/setting-rules.ts'
import { suggestion } from '../../core/suggestion.ts'
import { has } from '../../kinds/kinds.ts'
import type { FieldName, Model, Referred } from '../../model/kit.ts'
import { type ColumnInfo, type ModelInfo, modelInfo } from '../../model/model-info.ts'
import { type RelatedModel, readQueryset } from '../../serializer/relations/scoped.ts'
import type { Scope } from '../../store/projection.ts'
import { isUnique, lookupColumn } from '../resource/lookup-field.ts'
import { roomKey } from '../room-key.ts'
import type { ResourceTenant } from '../tenant/tenant-setting.ts'

/** The record in the path of a nested route, such as the country of `countries/:country/cities`. */
export type ParentOptions<M extends Model> = {
  [K in FieldName<M>]: {
    /** The foreign key to the parent. Only its records are seen, and every new one gets it. */
    readonly field: K
    /** The field of the parent in the path. Default: the one that the foreign key refers to. */
    readonly lookupField?: Referred<M, K> extends infer R extends Model ? FieldName<R> : string
    /** The parents that may be named: their model, or some by `scoped(model, where)`. Default: all. */
    readonly queryset?: Referred<M, K> extends infer R extends Model ? RelatedModel<R> : RelatedModel
    /** The parameter in the path. Default: the name of the field in JSON. */
    readonly param?: string
  }
}[FieldName<M>]

/** The setting without its types. */
export interface ParentConfig {
  readonly parent?: {
    readonly field: string
    readonly lookupField?: string | undefined
    readonly queryset?: unknown
    readonly param?: string | undefined
  }
}

/** The parent of a nested route, as the resource's definition has it. */
export interface ResourceParent {
  readonly param: string
  readonly column: ColumnInfo
  /** The column of the parent that the foreign key holds. */
  readonly target: ColumnInfo
  readonly model: ModelInfo
  readonly lookup: ColumnInfo
  readonly scope: Scope | undefined
  /** The parent's column of the tenant, if `lookup` is unique only together with it. */
  readonly tenant: ColumnInfo | undefined
}

export const parentKey = roomKey<ResourceParent>('parent')

const RULES: SettingRules = {
  field: required(setting.text, 'name the foreign key to the parent'),
  lookupField: setting.text,
  queryset: setting.any,
  param: setting.text,
}

/** @throws ConfigError for a field that is no foreign key, and for an unknown or ambiguous `lookupField` */
export function parentOf(
  subject: string,
  model: ModelInfo,
  { parent }: ParentConfig,
  tenant: ResourceTenant | undefined,
): ResourceParent | undefined {
  if (parent === undefined) return undefined
  checkOptions(`${subject}: parent`, RULES, parent)
  const refuse = (problem: string) => new ConfigError(subject, 'parent', problem)
  const { field, lookupField, queryset, param } = parent
  const column = model.byKey.get(field)
  if (!column) throw refuse(`unknown field "${field}"${suggestion(field, model.byKey.keys())}`)
  if (!column.references) throw refuse(`"${field}" is no foreign key`)
  const related = modelInfo(column.references.target)
  const read = queryset === undefined ? undefined : readQueryset(`${subject}: parent`, queryset)
  if (queryset !== undefined && read?.model !== related.table) {
    throw refuse(`queryset must be of "${related.name}": the table, or scoped(table, where)`)
  }
  const target = column.references.column
  const sameTenant = tenant && tenantColumnOf(related, tenant)
  const lookup =
    lookupField === undefined ? target : lookupColumn(subject, 'parent.lookupField', related, lookupField, sameTenant)
  if (!has(lookup, 'comparable')) throw refuse(`"${lookup.key}" cannot name a record in a path`)
  return {
    param: param ?? column.wire,
    column,
    target,
    model: related,
    lookup,
    scope: read?.scope,
    tenant: lookup === target || isUnique(related, lookup) ? undefined : sameTenant,
  }
}

/** A parent has the tenant of its records, in a field of the same name. */
function tenantColumnOf(parent: ModelInfo, { column }: ResourceTenant): ColumnInfo | undefined {
  const same = parent.byKey.get(column.key)
  return same?.kind === column.kind ? same : undefined
}

/** @throws ConfigError for a resource whose path does not name its parent */
export function checkParentInPath(name: string, { param, model }: ResourceParent): void {
  if (name.split('/').includes(`:${param}`)) return
  const problem = `the path must have the part ":${param}", as in "${model.name}/:${param}/..."`
  throw new ConfigError(`resources.${name}`, 'parent', problem)
}
