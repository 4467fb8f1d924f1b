import type { EnvelopeOptions } from '../core/project-envelope.ts'
import { labelOf } from '../exporting/export-columns.ts'
import type { Reply } from '../viewset/answer/reply.ts'
import { recordNames, summaryOfAction } from '../viewset/description/record-names.ts'
import type { RouteDescription } from '../viewset/description/route-description.ts'
import { declaredAccess, type Endpoint, type EndpointContext } from '../viewset/endpoints/endpoint.ts'
import type { Authenticate } from '../viewset/handle.ts'
import type { AnyResourceClass } from '../viewset/mixin.ts'
import { AllowAny, isPermitted, type PermissionClass, requirePermissions } from '../viewset/permissions.ts'

export interface RegisteredResource {
  readonly name: string
  readonly resource: AnyResourceClass
  readonly endpoints: readonly Endpoint[]
}

/** A registered API, from which its document, its schemas for users and its reference page are made. */
export interface ApiDescription {
  readonly resources: readonly RegisteredResource[]
  readonly endpoints: readonly Endpoint[]
  /** Returns the user of a request. Without it, requests have no user. */
  readonly authenticate: Authenticate | undefined
  /** Whether errors have codes beside their texts. */
  readonly errorCodes: boolean
  /** The JSON of the project, where it differs from the standard. */
  readonly own: EnvelopeOptions
}

export interface DescribedEndpoint {
  readonly endpoint: Endpoint
  readonly description: RouteDescription
  readonly registered?: RegisteredResource
}

export function describedEndpoints({ endpoints, resources }: ApiDescription): readonly DescribedEndpoint[] {
  return [
    ...endpoints.flatMap(endpoint => (endpoint.describe ? [{ endpoint, description: endpoint.describe() }] : [])),
    ...resources.flatMap(registered =>
      registered.endpoints.map(endpoint => ({
        endpoint,
        description: endpoint.describe?.() ?? undescribed(endpoint, registered),
        registered,
      })),
    ),
  ]
}

/** A route without a description still has a name. */
function undescribed({ action, method, path }: Endpoint, { name, resource }: RegisteredResource): RouteDescription {
  const detail = path.startsWith(`/${name}/:id/`)
  const names = recordNames(name, resource.definition.config)
  return { summary: summaryOfAction({ action, method, detail }, names), data: {} }
}

/**
 * Whether an endpoint is about one record: its path ends with the key of a record. An earlier part may be called `:id`
 * too.
 */
export function isAboutRecord({ endpoint, registered }: DescribedEndpoint): boolean {
  return registered !== undefined && endpoint.path.startsWith(`/${registered.name}/:id/`)
}

export function isStandard({ endpoint }: DescribedEndpoint, action: string): boolean {
  return endpoint.action === action && !endpoint.isCustom
}

export function labelOfResource({ name, resource }: RegisteredResource): string {
  const { describes, verboseNamePlural } = resource.definition.config
  return describes?.label ?? labelOf(verboseNamePlural ?? name.slice(name.lastIndexOf('/') + 1).replaceAll('-', '_'))
}

interface ApiRoute {
  readonly action: string
  readonly path: string
  /** Default `[AllowAny]`. */
  readonly permissionClasses?: readonly PermissionClass[] | undefined
  readonly describe?: () => RouteDescription
  readonly answer: (context: EndpointContext) => Reply | Promise<Reply>
}

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
