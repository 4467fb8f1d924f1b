import { eq } from 'drizzle-orm'
import type { User } from '../../core/context.ts'
import { ConfigError, PermissionDenied } from '../../core/errors.ts'
import type { ApiRequest } from '../../core/request.ts'
import { checkOptions, required, type SettingRules, setting } from '../../core/setting-rules.ts'
import { suggestion } from '../../core/suggestion.ts'
import { type ModelInfo, modelInfo } from '../../model/model-info.ts'
import { hideName } from '../../model/unnamed-columns.ts'
import { isWritable, type ManyField, type StoredField } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { Values } from '../../store/write/write.ts'
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

const NONE: TenantSeams = { scopes: [], fixedValues: [] }

/** @throws ConfigError for an unknown column, and for a relation that could lead to records of another tenant */
export function tenantSeams(
  subject: string,
  model: ModelInfo,
  { tenant, serializer }: TenantConfig & { readonly serializer: ModelSerializer },
): TenantSeams {
  if (!tenant) return NONE
  checkOptions(`${subject}: tenant`, RULES, tenant)
  const column = model.byKey.get(tenant.column)
  if (!column) {
    const problem = `"${model.name}" has no field "${tenant.column}"${suggestion(tenant.column, model.byKey.keys())}`
    throw new ConfigError(subject, 'tenant', `${problem}; set tenant: false if its records belong to all tenants`)
  }
  checkRelations(subject, serializer, tenant.column, 'serializer')
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
    const related = relatedOf(field)
    if (!related) continue
    const at = `${path}.${field.key}`
    if (related.model.byKey.has(tenant) && !related.isScoped) {
      const remedy = `make its queryset with scoped(${related.model.name}, ...)`
      throw new ConfigError(subject, at, `leads to "${related.model.name}" of all tenants; ${remedy}`)
    }
    if (related.serializer) checkRelations(subject, related.serializer, tenant, at)
  }
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
