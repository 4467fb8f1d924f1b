import type { User } from '../../core/context.ts'
import { ConfigError, PermissionDenied } from '../../core/errors.ts'
import type { ApiRequest } from '../../core/request.ts'
import { checkOptions, required, type SettingRules, setting } from '../../core/setting-rules.ts'
import { suggestion } from '../../core/suggestion.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import { hideName } from '../../model/unnamed-columns.ts'
import { roomKey } from '../room-key.ts'

/** What the function of a tenant may read. */
export interface TenantView {
  readonly user: User | null
  readonly request: Pick<ApiRequest, 'params' | 'headers'>
}

/** The tenant to which the records of a resource belong. */
export interface TenantOptions {
  /** The field of the model that holds the tenant. */
  readonly column: string
  /** The tenant of a request. `undefined`, `null` or `''` is a 403. It is no promise: `authenticate` may wait, and add it to the user. */
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

/** The tenant of a resource, as its definition has it. */
export interface ResourceTenant {
  readonly column: ColumnInfo
  /**
   * The tenant of a request.
   *
   * @throws PermissionDenied for a request without one
   * @throws TypeError for an object, such as a promise: stored as text, it would be the same tenant for all
   */
  of(view: TenantView): unknown
}

export const tenantKey = roomKey<ResourceTenant>('tenant')

/** @throws ConfigError for an unknown column */
export function resourceTenant(
  subject: string,
  model: ModelInfo,
  { tenant }: TenantConfig,
): ResourceTenant | undefined {
  if (!tenant) return undefined
  checkOptions(`${subject}: tenant`, RULES, tenant)
  const column = model.byKey.get(tenant.column)
  if (!column) {
    const problem = `"${model.name}" has no field "${tenant.column}"${suggestion(tenant.column, model.byKey.keys())}`
    throw new ConfigError(subject, 'tenant', `${problem}; set tenant: false if its records belong to all tenants`)
  }
  hideName(column)
  return { column, of: view => tenantOf(tenant, view) }
}

function tenantOf({ of }: TenantOptions, view: TenantView): unknown {
  const tenant: unknown = of(view)
  // A tenant '' would be the same one for all users without a tenant.
  if (tenant === undefined || tenant === null || tenant === '') throw new PermissionDenied()
  if (typeof tenant === 'object') {
    throw new TypeError('tenant.of returned an object; return the tenant as text or as a number, not as a promise')
  }
  return tenant
}
