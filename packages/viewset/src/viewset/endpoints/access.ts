import { GenericViewSet } from '../generic-viewset.ts'
import { isOverridden } from '../overrides.ts'
import { AllowAny, isPermitted, type PermissionClass, type PermissionView, requirePermissions } from '../permissions.ts'
import type { AnyResourceClass } from '../resource-class.ts'

/** Who may use an endpoint by its declarations, for a description without a request. */
export interface Access {
  /** Whether everyone may use it. */
  readonly isOpen: boolean
  /** Whether an anonymous request may use it. */
  admitsAnybody(): Promise<boolean>
}

type Asked = Pick<PermissionView, 'action' | 'method'>

export function declaredAccess(classes: readonly PermissionClass[], asked: Asked): Access {
  return {
    isOpen: classes.every(permission => permission === AllowAny),
    // A permission that throws without a request does not permit.
    admitsAnybody: () => isPermitted(() => requirePermissions(classes, { ...asked, user: null })).catch(() => false),
  }
}

/** The access of a class that overrides the permission hooks. */
export const UNKNOWN_ACCESS: Access = { isOpen: false, admitsAnybody: async () => false }

export function asksItself({ prototype }: AnyResourceClass): boolean {
  return ['initial', 'checkPermissions', 'checkObjectPermissions'].some(hook =>
    isOverridden(prototype, hook, GenericViewSet.prototype),
  )
}
