import { setting } from '../../core/setting-rules.ts'
import { hidesParent } from '../reading/hidden-lookup.ts'
import { defineRoom } from '../room.ts'
import { tenantKey } from '../tenant/tenant-setting.ts'
import { findParent, keyOfParent } from './find-parent.ts'
import { checkParentInPath, parentKey, parentOf } from './parent-setting.ts'

/** The record in the path of a nested route, to which all records of the route belong. */
export const parentRoom = defineRoom(parentKey, {
  settings: { parent: setting.object },
  attach(resource) {
    const { subject, model, config } = resource
    const tenant = tenantKey.of(resource)
    const parent = parentOf(subject, model, config, tenant)
    if (!parent) return undefined
    return {
      state: parent,
      partition: { column: parent.column, of: keyOfParent, isInPath: true },
      door: view => findParent(view, parent, { tenant, isHidden: hidesParent(view, parent) }),
      models: [parent.model],
      checkName: name => checkParentInPath(name, parent),
    }
  },
})
