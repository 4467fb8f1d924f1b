import { ConfigError } from '../../core/errors.ts'
import { type ImportPlan, isInFile } from '../../importing/plan/plan.ts'
import { type ModelInfo, modelInfo } from '../../model/model-info.ts'
import { hideName } from '../../model/unnamed-columns.ts'
import {
  isReadable,
  isWritable,
  type ManyField,
  type SerializerField,
  type StoredField,
  takesRecords,
} from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { hasJoinTable } from '../../store/to-many.ts'
import { FileImportMixin } from '../mixins/file-import-mixin.ts'
import { parentKey } from '../parent/parent-setting.ts'
import { choiceKey } from '../reading/choice-setting.ts'
import type { ResourceDefinition } from '../resource/resource.ts'

interface NamedDefinition {
  readonly name: string
  readonly definition: ResourceDefinition
}

/** The field that holds the tenant of a model's records; `undefined` for a model of all tenants. */
type TenantOf = (model: ModelInfo) => string | undefined

/**
 * Checks that no resource of an API leads to records of other tenants. Only the API knows all models with tenants.
 *
 * @throws ConfigError for a resource that says nothing about tenants, if another one has them. Also for a relation, a
 * path of a filter, a parent or an import that leads to the records of all tenants.
 */
export function checkTenants(resources: readonly NamedDefinition[]): void {
  const withTenants = resources.find(({ definition }) => definition.config.tenant)
  if (!withTenants) return
  const silent = resources.find(({ definition }) => definition.config.tenant === undefined)
  if (silent) {
    const problem = `says nothing about tenants, and "${withTenants.name}" has them`
    const remedy = 'set tenant, or tenant: false for records of all'
    throw new ConfigError(`resources.${silent.name}`, 'tenant', `${problem}; ${remedy}`)
  }
  const tenantOf = tenantsOf(resources.map(({ definition }) => definition))
  for (const { name, definition } of resources) {
    const { config, model } = definition
    const choice = choiceKey.of(definition)
    const parent = parentKey.of(definition)
    // `tenant: false` for a model with tenants is a resource for operators, who see all of them.
    if (!config.tenant && tenantOf(model)) continue
    const check = new TenantCheck(`resources.${name}`, definition, tenantOf)
    for (const serializer of new Set([config.serializer, ...(config.serializers ?? [])])) {
      check.checkFields(serializer, 'serializer', true)
    }
    for (const [wire, serializer] of choice?.expandable ?? []) check.checkExpandable(wire, serializer)
    for (const { setting, path } of pathsOf(config)) check.checkPath(setting, path)
    if (parent && !parent.scope) check.refuseAll('parent.queryset', parent.model)
    const importers = FileImportMixin.own(definition)
    if (importers) check.checkImport(importers(config.serializer).service.plan)
  }
}

/**
 * A model has tenants if a resource says so. So does a model without a resource that has a field of the same name: the
 * children of a record often repeat its tenant.
 */
function tenantsOf(definitions: readonly ResourceDefinition[]): TenantOf {
  const own = definitions.flatMap(({ model, config }) =>
    config.tenant ? [[model, config.tenant.column] as const] : [],
  )
  const known = new Map(own)
  const names = new Set(known.values())
  const ofAll = new Set(definitions.map(({ model }) => model).filter(model => !known.has(model)))
  return model => known.get(model) ?? (ofAll.has(model) ? undefined : [...names].find(name => model.byKey.has(name)))
}

class TenantCheck {
  readonly #subject: string
  readonly #resource: ResourceDefinition
  readonly #tenantOf: TenantOf

  constructor(subject: string, resource: ResourceDefinition, tenantOf: TenantOf) {
    this.#subject = subject
    this.#resource = resource
    this.#tenantOf = tenantOf
  }

  checkFields(serializer: ModelSerializer, path: string, isWritten: boolean): void {
    for (const field of serializer.fields) {
      const related = relatedOf(field)
      const at = `${path}.${field.key}`
      const isOwn = this.#isTenantField(field, serializer.info)
      if (isOwn && path !== 'serializer' && isWritten && isWritable(field)) {
        throw new ConfigError(this.#subject, at, 'would take a tenant from clients; make it read-only, or leave it out')
      }
      if (!related) continue
      const tenant = related.model.byKey.get(this.#tenantOf(related.model) ?? '')
      if (tenant) hideName(tenant)
      const isTaken = isWritten && isWritable(field)
      if (related.serializer) this.checkFields(related.serializer, at, isTaken && related.takesRecords)
      // No client can choose the tenant of a new record.
      if (isTaken && !isOwn) this.#checkWrites(at, related)
      if (isReadable(field) && related.showsRecords) this.#checkReads(at, serializer.info, related)
    }
  }

  checkExpandable(wire: string, serializer: ModelSerializer): void {
    const { config, model } = this.#resource
    const field = config.serializer.fields.find(one => one.wire === wire)
    const related = field && relatedOf(field)
    const at = `expandableFields.${field?.key ?? wire}`
    if (related) this.#checkReads(at, model, related)
    this.checkFields(serializer, at, false)
  }

  /** A path of a filter can ask for the values of other tenants, even if no field shows them. */
  checkPath(setting: string, path: string): void {
    const [first = '', ...rest] = path.split('__')
    const { config, model } = this.#resource
    let at: { readonly model: ModelInfo; readonly serializer: ModelSerializer | undefined } | undefined
    at = { model, serializer: config.serializer }
    let name = first
    for (const next of [...rest, undefined]) {
      const related = relatedByKey(at, name)
      if (!related || (next === undefined && related.isForeignKey)) return
      if (!this.#tenantOf(at.model) && !related.isScoped) this.refuseAll(`${setting}.${path}`, related.model)
      if (next === undefined) return
      at = related
      name = next
    }
  }

  /** Files find, link and write records of their own models. The tenant's scope bounds those of the resource's model. */
  checkImport(plan: ImportPlan): void {
    const { model } = this.#resource
    for (const { key, model: written, scope, columns } of plan.models) {
      const at = `importFileConfig.models.${key}`
      if (written !== model && !scope) this.refuseAll(at, written)
      for (const column of columns) {
        const { lookup, name } = column
        const isTenant = this.#tenantOf(written) === column.column.key
        if (written !== model && isTenant && isInFile(column)) {
          const problem = 'would take a tenant from files; set it with fixedValues of scoped(...)'
          throw new ConfigError(this.#subject, `${at}.${name}`, problem)
        }
        if (lookup && !lookup.scope && !isTenant) this.refuseAll(`${at}.${name}`, lookup.model)
      }
    }
  }

  refuseAll(at: string, model: ModelInfo, remedy = ''): void {
    if (!this.#tenantOf(model)) return
    const problem = `leads to "${model.name}" of all tenants; give scoped(${model.name}, ...)`
    throw new ConfigError(this.#subject, at, `${problem}${remedy || ' in place of the model'}`)
  }

  #isTenantField(field: SerializerField, model: ModelInfo): boolean {
    return field.kind === 'stored' && field.column.key === this.#tenantOf(model)
  }

  #checkWrites(at: string, related: Related): void {
    const { model, takesRecords, hasFixedValues } = related
    // Children belong to the record around them.
    if (!related.isScoped && !related.isChild) this.refuseAll(at, model)
    if (takesRecords && !hasFixedValues && this.#tenantOf(model)) {
      const remedy = `give scoped(${model.name}, ..., { fixedValues }), which set it`
      throw new ConfigError(this.#subject, at, `would create records of "${model.name}" without a tenant; ${remedy}`)
    }
  }

  /** The related records of a tenant's record are of the same tenant. A record of all tenants may lead to any. */
  #checkReads(at: string, from: ModelInfo, { model, isScoped, scopeReads }: Related): void {
    if (this.#tenantOf(from) || (isScoped && scopeReads)) return
    if (!isScoped) this.refuseAll(at, model, ' with scopeReads: true')
    if (!isScoped || !this.#tenantOf(model)) return
    const problem = `shows "${model.name}" of all tenants: its scope limits what clients write, not what they read`
    throw new ConfigError(this.#subject, at, `${problem}; add scopeReads: true`)
  }
}

interface Related {
  readonly model: ModelInfo
  readonly serializer: ModelSerializer | undefined
  readonly isScoped: boolean
  readonly scopeReads: boolean
  readonly hasFixedValues: boolean
  readonly takesRecords: boolean
  readonly isChild: boolean
  /** A foreign key shows an identifier, which is no record. */
  readonly showsRecords: boolean
  readonly isForeignKey: boolean
}

function relatedOf(field: SerializerField): Related | undefined {
  if (field.kind === 'many') return relatedToMany(field)
  return field.kind === 'stored' ? relatedToOne(field) : undefined
}

function relatedToMany(field: ManyField): Related {
  const { relation, serializer, fixedValues } = field
  const takes = takesRecords(field)
  return {
    model: relation.model,
    serializer,
    isScoped: relation.scopeWithDeleted !== undefined,
    scopeReads: relation.scopeReads,
    hasFixedValues: fixedValues !== undefined,
    takesRecords: takes,
    isChild: takes && !hasJoinTable(relation),
    showsRecords: true,
    isForeignKey: false,
  }
}

function relatedToOne({ relation, column }: Pick<StoredField, 'relation' | 'column'>): Related | undefined {
  const { references } = column
  if (!relation && !references) return undefined
  return {
    model: relation?.model ?? modelInfo((references as NonNullable<typeof references>).target),
    serializer: relation?.serializer,
    isScoped: relation?.scope !== undefined,
    scopeReads: relation?.scopeReads ?? false,
    hasFixedValues: relation?.fixedValues !== undefined,
    takesRecords: relation?.write === 'data' || relation?.write === 'flexible',
    isChild: false,
    showsRecords: relation !== null && relation.read !== 'id',
    isForeignKey: true,
  }
}

/** Paths name foreign keys, also those that no serializer has. */
function relatedByKey(
  { model, serializer }: { readonly model: ModelInfo; readonly serializer: ModelSerializer | undefined },
  key: string,
): Related | undefined {
  const column = model.byKey.get(key)
  const field = serializer?.fields.find(one =>
    one.kind === 'stored' && column ? one.column === column : one.key === key,
  )
  if (field) return relatedOf(field)
  return column && relatedToOne({ column, relation: null })
}

interface NamedPath {
  readonly setting: string
  readonly path: string
}

/** The settings whose values are paths, as lists, as keys or as one text. */
const PATHS = ['filterFields', 'searchFields', 'orderingFields', 'ordering', 'exportFieldConfig']

function pathsOf(config: ResourceDefinition['config']): readonly NamedPath[] {
  const computed = Object.values((Reflect.get(config, 'computedOrderingFields') as object | undefined) ?? {})
  const ofSettings = PATHS.flatMap(setting => {
    const value: unknown = Reflect.get(config, setting) ?? []
    const names = typeof value === 'object' && !Array.isArray(value) ? Object.keys(value as object) : [value].flat()
    return names.map(path => ({ setting, path }))
  })
  return [...ofSettings, ...computed.flat().map(path => ({ setting: 'computedOrderingFields', path }))].flatMap(
    ({ setting, path }) => (typeof path === 'string' ? [{ setting, path: path.replace(/^-/, '') }] : []),
  )
}
