import { GenericViewSet } from '../generic-viewset.ts'
import { isOverridden } from '../overrides.ts'
import { AllowAny, isPermitted, type PermissionClass, type PermissionView, requirePermissions } from '../permissions.ts'
import type { AnyResourceClass } from '../resource-class.ts'

/** Who may use an endpoint, by what is declared: for a description, which knows no request. */
export interface Access {
  /** Whether nobody is ever refused. */
  readonly isOpen: boolean
  /** Whether somebody who does not say who they are may use it. */
  admitsAnybody(): Promise<boolean>
}

/** What a permission is asked about without a request. */
type Asked = Pick<PermissionView, 'action' | 'method'>

/** Who may use what these permissions guard. */
export function declaredAccess(classes: readonly PermissionClass[], asked: Asked): Access {
  return {
    isOpen: classes.every(permission => permission === AllowAny),
    // One that cannot be asked without a request has not let anybody in.
    admitsAnybody: () => isPermitted(() => requirePermissions(classes, { ...asked, user: null })).catch(() => false),
  }
}

/** Who may use what a class guards in a way of its own. */
export const UNKNOWN_ACCESS: Access = { isOpen: false, admitsAnybody: async () => false }

/** Whether a resource asks its permissions in a way of its own. */
export function asksItself({ prototype }: AnyResourceClass): boolean {
  return ['initial', 'checkPermissions', 'checkObjectPermissions'].some(hook =>
    isOverridden(prototype, hook, GenericViewSet.prototype),
  )
}
