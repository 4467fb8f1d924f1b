import { eq } from 'drizzle-orm'
import type { User } from '../../core/context.ts'
import { ConfigError, PermissionDenied } from '../../core/errors.ts'
import type { ApiRequest } from '../../core/request.ts'
import { checkOptions, required, type SettingRules, setting } from '../../core/setting-rules.ts'
import { suggestion } from '../../core/suggestion.ts'
import { type ImportPlan, isInFile } from '../../importing/plan/plan.ts'
import { type ModelInfo, modelInfo } from '../../model/model-info.ts'
import { hideName } from '../../model/unnamed-columns.ts'
import { isWritable, type ManyField, type StoredField } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { Values } from '../../store/write/write.ts'
import type { ResourceParent } from '../parent/parent-setting.ts'
import type { MixinScope } from '../seams.ts'

/** What the function of a tenant may read. */
export interface TenantView {
  readonly user: User | null
  readonly request: Pick<ApiRequest, 'params' | 'headers'>
}

/** The tenant to which the records of a resource belong. */
export interface TenantOptions {
  /** The field of the model that holds the tenant. */
  readonly column: string
  /** The tenant of a request. `undefined` or `null` is a 403. It is no promise: `authenticate` may wait, and add it to the user. */
  readonly of: (view: TenantView) => string | number | bigint | null | undefined
}

/** The setting without its types. `false` means that the records belong to all tenants. */
export interface TenantConfig {
  readonly tenant?: TenantOptions | false
}

const RULES: SettingRules = {
  column: required(setting.text, 'name the field that holds the tenant'),
  of: required(setting.function, 'give a function of the view that returns the tenant'),
}

/** The scope and the fixed values of a tenant. */
export interface TenantSeams {
  readonly scopes: readonly MixinScope[]
  readonly fixedValues: readonly ((view: TenantView) => Values)[]
}

interface ImportingResource {
  readonly model: ModelInfo
  readonly config: TenantConfig
}

const NONE: TenantSeams = { scopes: [], fixedValues: [] }

/** @throws ConfigError for an unknown column, and for a relation that could lead to records of another tenant */
export function tenantSeams(
  subject: string,
  model: ModelInfo,
  { tenant, serializer }: TenantConfig & { readonly serializer: ModelSerializer },
  parent: ResourceParent | undefined,
): TenantSeams {
  if (!tenant) return NONE
  checkOptions(`${subject}: tenant`, RULES, tenant)
  const column = model.byKey.get(tenant.column)
  if (!column) {
    const problem = `"${model.name}" has no field "${tenant.column}"${suggestion(tenant.column, model.byKey.keys())}`
    throw new ConfigError(subject, 'tenant', `${problem}; set tenant: false if its records belong to all tenants`)
  }
  checkRelations(subject, serializer, tenant.column, 'serializer')
  if (parent && !parent.scope) refuseAllTenants(subject, 'parent.queryset', parent.model, tenant.column)
  hideName(column)
  return {
    scopes: [{ mixin: 'tenant', condition: (view: TenantView) => eq(column.column, tenantOf(tenant, view)) }],
    fixedValues: [view => ({ [column.key]: tenantOf(tenant, view) })],
  }
}

/**
 * @throws PermissionDenied for a request without a tenant
 * @throws TypeError for an object, such as a promise: stored as text, it would be the same tenant for all
 */
function tenantOf({ of }: TenantOptions, view: TenantView): unknown {
  const tenant: unknown = of(view)
  if (tenant === undefined || tenant === null) throw new PermissionDenied()
  if (typeof tenant === 'object') {
    throw new TypeError('tenant.of returned an object; return the tenant as text or as a number, not as a promise')
  }
  return tenant
}

/** A relation to all records of a model with tenants would take those of others. */
function checkRelations(subject: string, serializer: ModelSerializer, tenant: string, path: string): void {
  for (const field of serializer.fields.filter(isWritable)) {
    if (field.kind === 'input') continue
    const at = `${path}.${field.key}`
    if (field.kind === 'stored' && field.column.key === tenant && path !== 'serializer') {
      throw new ConfigError(subject, at, 'would take a tenant from clients; make it read-only, or leave it out')
    }
    const related = relatedOf(field)
    if (!related) continue
    if (!related.isScoped) refuseAllTenants(subject, at, related.model, tenant)
    if (related.serializer) checkRelations(subject, related.serializer, tenant, at)
  }
}

/** @throws ConfigError for an import that finds, links or writes records of all tenants */
export function checkImportTenants(subject: string, { model, config }: ImportingResource, plan: ImportPlan): void {
  const { tenant } = config
  if (!tenant) return
  for (const { key, model: written, scope, columns } of plan.models) {
    const at = `importFileConfig.models.${key}`
    // The tenant's scope bounds the resource's own model.
    if (written !== model && !scope) refuseAllTenants(subject, at, written, tenant.column)
    for (const column of columns) {
      const { lookup, name } = column
      if (written !== model && column.column.key === tenant.column && isInFile(column)) {
        throw new ConfigError(
          subject,
          `${at}.${name}`,
          'would take a tenant from files; set it with fixedValues of scoped(...)',
        )
      }
      if (lookup && !lookup.scope) refuseAllTenants(subject, `${at}.${name}`, lookup.model, tenant.column)
    }
  }
}

/** @throws ConfigError for a model with tenants */
function refuseAllTenants(subject: string, at: string, model: ModelInfo, tenant: string): void {
  if (!model.byKey.has(tenant)) return
  const problem = `leads to "${model.name}" of all tenants; give scoped(${model.name}, ...) in place of the model`
  throw new ConfigError(subject, at, problem)
}

interface Related {
  readonly model: ModelInfo
  readonly isScoped: boolean
  readonly serializer: ModelSerializer | undefined
}

function relatedOf(field: StoredField | ManyField): Related | undefined {
  const { relation } = field
  if (relation) {
    const serializer = field.kind === 'many' ? field.serializer : field.relation?.serializer
    // Children belong to the record around them.
    const isChild = field.kind === 'many' && field.write !== 'id' && field.write !== 'str'
    return { model: relation.model, isScoped: relation.scope !== undefined || isChild, serializer }
  }
  const references = field.kind === 'stored' ? field.column.references : null
  return references ? { model: modelInfo(references.target), isScoped: false, serializer: undefined } : undefined
}

/** @throws ConfigError for a resource that says nothing about tenants, if another one has them */
export function checkTenants(resources: readonly { readonly name: string; readonly tenant: TenantConfig['tenant'] }[]) {
  const withTenants = resources.find(({ tenant }) => tenant)
  const silent = withTenants && resources.find(({ tenant }) => tenant === undefined)
  if (!silent) return
  throw new ConfigError(
    `resources.${silent.name}`,
    'tenant',
    `says nothing about tenants, and "${withTenants.name}" has them; set tenant, or tenant: false for records of all`,
  )
}
