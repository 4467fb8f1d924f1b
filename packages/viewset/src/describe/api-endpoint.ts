import type { RouteDescription } from '../viewset/description/route-description.ts'
import { declaredAccess } from '../viewset/endpoints/access.ts'
import type { Endpoint, EndpointContext } from '../viewset/endpoints/endpoint.ts'
import { AllowAny, isPermitted, type PermissionClass, requirePermissions } from '../viewset/permissions.ts'
import type { Reply } from '../viewset/reply.ts'

interface ApiRoute {
  readonly action: string
  /** With a slash at both ends. */
  readonly path: string
  /** Default `[AllowAny]`. */
  readonly permissionClasses?: readonly PermissionClass[] | undefined
  /** Without it, the endpoint is not part of the API's description. */
  readonly describe?: () => RouteDescription
  readonly answer: (context: EndpointContext) => Reply | Promise<Reply>
}

/** An endpoint that tells something of the API itself. */
export function apiEndpoint({ permissionClasses = [AllowAny], answer, ...route }: ApiRoute): Endpoint {
  const asked = { action: route.action, method: 'GET' } as const
  const check = ({ user }: EndpointContext) => requirePermissions(permissionClasses, { ...asked, user })
  return {
    ...route,
    ...asked,
    status: 200,
    readsBody: false,
    access: declaredAccess(permissionClasses, asked),
    isAllowed: context => isPermitted(() => check(context)),
    answer: async context => {
      await check(context)
      return answer(context)
    },
  }
}
