import type { Reply } from '../answer/reply.ts'
import type { RouteDescription } from '../description/route-description.ts'
import { GenericViewSet } from '../generic-viewset.ts'
import type { HttpMethod } from '../http-method.ts'
import type { KeyStore } from '../idempotency/key-store.ts'
import type { MappingStore } from '../mappings/mapping-store.ts'
import type { AnyResourceClass } from '../mixin.ts'
import { isOverridden } from '../overrides.ts'
import { AllowAny, isPermitted, type PermissionClass, type PermissionView, requirePermissions } from '../permissions.ts'
import type { ViewContext } from '../view.ts'
import type { KnownParameters } from './known-parameters.ts'

/** One action at one method and path. */
export interface Endpoint {
  /** The name of the resource; `undefined` for an endpoint of the API itself. */
  readonly resource?: string
  readonly action: string
  /** Whether it is a custom action. It may have the name of an action of a mixin that the class is composed without. */
  readonly isCustom?: boolean
  readonly method: HttpMethod
  /** The path below the API's prefix, with a slash at both ends. `:id` is the record's identifier. */
  readonly path: string
  /** The default status of a successful answer. */
  readonly status: number
  /** Whether it only reads, so that a replica can answer it. */
  readonly reads?: boolean
  /** Whether the action reads the body itself. */
  readonly readsBody: boolean
  readonly access: Access
  /** Its declared description, made on demand. */
  describe?(): RouteDescription
  /** @internal The parameters that its address may have, unless others are ignored. */
  readonly parameters?: KnownParameters | undefined
  /** The maximum number of statements of a successful answer, if known. */
  readonly statements?: number
  /** Whether the user may use it, before any record is known. */
  isAllowed(context: EndpointContext): Promise<boolean>
  /** Answers the request. The user and the database in `context` are the current ones. */
  answer(context: EndpointContext): Promise<Reply>
}

/** The arguments of an endpoint. */
export interface EndpointContext extends Pick<ViewContext, 'request' | 'user' | 'database' | 'settings' | 'jobs'> {
  /** @internal */
  readonly keys?: KeyStore | undefined
  /** @internal */
  readonly mappings?: MappingStore | undefined
}

/** Who may use an endpoint by its declarations, for a description without a request. */
export interface Access {
  /** Whether everyone may use it. */
  readonly isOpen: boolean
  /** Whether an anonymous request may use it. */
  admitsAnybody(): Promise<boolean>
}

type Action = Pick<PermissionView, 'action' | 'method'>

export function declaredAccess(classes: readonly PermissionClass[], call: Action): Access {
  return {
    isOpen: classes.every(permission => permission === AllowAny),
    // A permission that throws without a request does not permit.
    admitsAnybody: () => isPermitted(() => requirePermissions(classes, { ...call, user: null })).catch(() => false),
  }
}

/** The access of a class that overrides the permission hooks. */
export const UNKNOWN_ACCESS: Access = { isOpen: false, admitsAnybody: async () => false }

export function overridesPermissions({ prototype }: AnyResourceClass): boolean {
  return ['initial', 'checkPermissions', 'checkObjectPermissions'].some(hook =>
    isOverridden(prototype, hook, GenericViewSet.prototype),
  )
}
