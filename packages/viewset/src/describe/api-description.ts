import { labelOf } from '../exporting/export-columns.ts'
import { sentenceOf } from '../viewset/description/action-description.ts'
import type { RouteDescription } from '../viewset/description/route-description.ts'
import { declaredAccess } from '../viewset/endpoints/access.ts'
import type { Endpoint, EndpointContext } from '../viewset/endpoints/endpoint.ts'
import type { Authenticate } from '../viewset/handle.ts'
import { AllowAny, isPermitted, type PermissionClass, requirePermissions } from '../viewset/permissions.ts'
import type { Reply } from '../viewset/reply.ts'
import type { AnyResourceClass } from '../viewset/resource-class.ts'

/** A resource as it is registered. */
export interface RegisteredResource {
  readonly name: string
  readonly resource: AnyResourceClass
  readonly endpoints: readonly Endpoint[]
}

/** A registered API: all that its document, its schemas for users and its reference page are drawn from. */
export interface ApiDescription {
  readonly resources: readonly RegisteredResource[]
  /** The endpoints that tell something of the API itself. */
  readonly endpoints: readonly Endpoint[]
  /** Who makes a request; without it, nobody does. */
  readonly authenticate: Authenticate | undefined
}

/** An endpoint, what it says of itself and the resource that it belongs to. */
export interface DescribedEndpoint {
  readonly endpoint: Endpoint
  readonly description: RouteDescription
  /** Absent for what tells something of the API itself. */
  readonly registered?: RegisteredResource
}

/** All endpoints of an API that are for clients. */
export function describedEndpoints({ endpoints, resources }: ApiDescription): readonly DescribedEndpoint[] {
  return [
    ...endpoints.flatMap(endpoint => (endpoint.describe ? [{ endpoint, description: endpoint.describe() }] : [])),
    ...resources.flatMap(registered =>
      registered.endpoints.map(endpoint => ({
        endpoint,
        // Of a mixin's route that says nothing, its name is known.
        description: endpoint.describe?.() ?? { summary: sentenceOf(endpoint.action), data: {} },
        registered,
      })),
    ),
  ]
}

/** Whether an endpoint is about one record, whose key its path has; a part before the resource may be called `:id`, too. */
export function isAboutRecord({ endpoint, registered }: DescribedEndpoint): boolean {
  return registered !== undefined && endpoint.path.startsWith(`/${registered.name}/:id/`)
}

/** Whether an endpoint is an action of this name that a mixin has brought. */
export function isStandard({ endpoint }: DescribedEndpoint, action: string): boolean {
  return endpoint.action === action && !endpoint.isCustom
}

/** What people call a resource's records. */
export function labelOfResource({ name, resource }: RegisteredResource): string {
  const { label } = resource.definition.config.describes ?? {}
  return label ?? labelOf(name.slice(name.lastIndexOf('/') + 1).replaceAll('-', '_'))
}

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
