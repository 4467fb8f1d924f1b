import { setting, shared } from '../../core/setting-rules.ts'
import { defineRoom } from '../room.ts'
import { roomKey } from '../room-key.ts'
import { askDeletedPermissions, describeDeleted } from './deleted-records.ts'
import { softDeleteScope } from './soft-delete-setting.ts'

/** Soft-deleted records, which a resource with `softDelete` hides. */
export const softDeleteRoom = defineRoom(roomKey<undefined>('softDelete'), {
  settings: { softDelete: shared(setting.boolean), deletedPermissionClasses: setting.permissions },
  attach({ subject, model, config }) {
    const scope = softDeleteScope(subject, model, config)
    if (!scope) return undefined
    if (!config.deletedPermissionClasses) return { scope }
    return { scope, door: askDeletedPermissions, describes: route => describeDeleted(config, route) }
  },
})
