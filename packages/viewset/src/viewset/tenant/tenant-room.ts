import { type SettingRules, setting, shared } from '../../core/setting-rules.ts'
import { defineRoom } from '../room.ts'
import { resourceTenant, type TenantView, tenantKey } from './tenant-setting.ts'

const SETTINGS: SettingRules = {
  tenant: shared({
    ...setting.any,
    accepts: value => value === false || setting.object.accepts(value),
    expected: 'must be { column, of }, or false for records of all tenants',
  }),
}

const NO_TENANT = { errors: { 403: 'The user has no tenant.' } }

/** The tenant to which all records of a resource belong. */
export const tenantRoom = defineRoom(tenantKey, {
  settings: SETTINGS,
  attach({ subject, model, config }) {
    const tenant = resourceTenant(subject, model, config)
    if (!tenant) return undefined
    return {
      state: tenant,
      partition: tenant,
      // Also an action that reads no records of the tenant, such as an export of rows from the body, needs one.
      door: (view: TenantView) => void tenant.of(view),
      describes: () => NO_TENANT,
    }
  },
})
