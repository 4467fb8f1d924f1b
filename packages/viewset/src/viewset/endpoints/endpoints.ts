import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { describeAction } from '../description/action-description.ts'
import { changedDescription, oneOfDescriptions, type RouteDescription } from '../description/route-description.ts'
import { shownSerializers } from '../description/shown-serializer.ts'
import { withRecord } from '../description/with-record.ts'
import type { Authenticate } from '../handle.ts'
import type { Mixin, MixinRoute } from '../mixin.ts'
import { isOverridden } from '../overrides.ts'
import { isSafe, type PermissionClass } from '../permissions.ts'
import type { AnyResourceClass } from '../resource-class.ts'
import { asksItself, declaredAccess, UNKNOWN_ACCESS } from './access.ts'
import { answerCall, type Call, isCallAllowed } from './call.ts'
import { checkDescribed, checkPaths } from './check-endpoints.ts'
import type { Endpoint } from './endpoint.ts'
import { KnownParameters, type UnknownParameters } from './known-parameters.ts'
import { watchStatements } from './watch-statements.ts'

/** A route and the mixin that brings it. */
interface OwnedRoute {
  readonly mixin: Mixin
  readonly route: MixinRoute
}

/** What an API says of all its resources. */
export interface EndpointsOptions {
  /** Default `'refuse'`. A resource's own setting comes first. */
  readonly unknownParameters?: UnknownParameters | undefined
  readonly authenticate?: Pick<Authenticate, 'securitySchemes'> | undefined
}

/** All endpoints of a resource: those of its mixins, then its custom actions. */
export function endpointsOf(
  name: string,
  resource: AnyResourceClass,
  options: EndpointsOptions = {},
): readonly Endpoint[] {
  const { describes, unknownParameters = options.unknownParameters } = resource.definition.config
  const credentials = unknownParameters === 'ignore' ? undefined : queryCredentials(options.authenticate)
  const routes = [...standardRoutes(name, resource), ...customRoutes(name, resource)]
  const endpoints = routes.map(({ call, route }): Endpoint => {
    const changes = { ...(describes?.deprecated && { deprecated: true }), ...describes?.actions?.[call.action] }
    const { describe } = route
    const described = describe && (() => changedDescription(withMixins(resource, call, route, describe()), changes))
    // A custom action without described parameters gets all of them: only its handler knows which ones it reads.
    const isDeclared = described && (!call.spec || Boolean(call.spec.describes?.query ?? changes.query))
    const parameters =
      credentials && isDeclared ? new KnownParameters(described, [...credentials, ...route.tolerated]) : undefined
    const endpoint = endpointOf(
      resource,
      { ...call, parameters },
      { ...route, ...(described && { describe: described }) },
    )
    return { ...watchStatements(endpoint), resource: name }
  })
  checkPaths(name, endpoints)
  checkDescribed(name, Object.keys(describes?.actions ?? {}), endpoints)
  return endpoints
}

/** A description with what each mixin of the resource adds to it. */
function withMixins(
  { mixins, definition: { config } }: AnyResourceClass,
  { action, method, spec }: Call,
  { path }: Route,
  description: RouteDescription,
): RouteDescription {
  const isCustom = spec !== undefined
  return mixins.reduce(
    (before, mixin) =>
      changedDescription(before, mixin.describes({ action, method, path, isCustom, config, description: before })),
    description,
  )
}

/** The query parameters by which clients say who they are. */
function queryCredentials({ securitySchemes = {} }: EndpointsOptions['authenticate'] = {}): readonly string[] {
  return Object.values(securitySchemes).flatMap(scheme =>
    scheme.type === 'apiKey' && scheme.in === 'query' ? [scheme.name] : [],
  )
}

function standardRoutes(name: string, resource: AnyResourceClass): readonly CalledRoute[] {
  const { definition } = resource
  const { config } = definition
  const owned = resource.mixins.flatMap(mixin => mixin.routes.map((route): OwnedRoute => ({ mixin, route })))
  return owned.map(({ mixin, route }) => {
    const { action, method, path, status = 200, writes = !isSafe(method), statements, describes } = route
    const { reads = isSafe(method) && !writes } = route
    // Who may, and what is refused before an action, holds at every address of it, also at one that another mixin adds.
    const alike = [...owned.filter(other => other.route.action === action), { mixin, route }]
    const before = alike.findLast(other => other.route.before !== undefined)?.route.before
    const write = alike.findLast(other => other.route.write !== undefined)?.route.write
    const asking = alike.findLast(other => other.route.permissions !== undefined)
    const permits = asking?.route.permissions
    const own =
      asking !== undefined && isOverridden(resource.prototype, permits?.check ?? '', layerOf(resource, asking))
    // A route's functions are declared for the settings of their own mixin, which are among these.
    const classes = permits?.classes(config as never) ?? []
    return {
      call: {
        resourceName: name,
        action,
        method,
        writes,
        permits: permits?.check,
        before,
        write,
        status: typeof status === 'number' ? status : status(config as never),
      },
      route: {
        path: `/${name}${path}`,
        reads,
        readsBody: route.readsBody ?? false,
        tolerated: route.tolerates?.(definition as never) ?? [],
        classes: own ? undefined : [...config.permissionClasses, ...classes],
        ...(statements && { statements: statements(definition as never, mixin.own(definition) as never) }),
        ...(describes && { describe: () => describeRoute(resource, mixin, { ...route, describes }) }),
      },
    }
  })
}

/** What a mixin says of its route, by the serializers that the action may have. */
function describeRoute(
  resource: AnyResourceClass,
  mixin: Mixin,
  { action, method, describes }: MixinRoute & Required<Pick<MixinRoute, 'describes'>>,
): RouteDescription {
  const { definition } = resource
  const [first, ...others] = shownSerializers(resource, action, method)
  const describe = (serializer: ModelSerializer) => {
    const config = { ...definition.config, serializer }
    const description = describes({ ...definition, config } as never, mixin.own(definition) as never)
    return withRecord(description, config.describes?.record, serializer)
  }
  return oneOfDescriptions(describe(first), others.map(describe))
}

function customRoutes(name: string, resource: AnyResourceClass): readonly CalledRoute[] {
  const { actions = {}, permissionClasses } = resource.definition.config
  return Object.entries(actions).map(([action, spec]) => {
    const { method, detail, path = action, status = 200, writes = !isSafe(method) } = spec
    return {
      call: { resourceName: name, action, method, spec, writes, status },
      route: {
        path: `/${name}/${detail ? ':id/' : ''}${path}/`,
        reads: isSafe(method) && !writes,
        readsBody: false,
        tolerated: [],
        classes: spec.permissionClasses ?? permissionClasses,
        describe: () => describeAction(action, spec),
      },
    }
  })
}

/** A route, and how its action is called. */
interface CalledRoute {
  readonly call: Call
  readonly route: Route
}

interface Route extends Pick<Endpoint, 'path' | 'reads' | 'readsBody' | 'statements' | 'describe'> {
  /** Parameters that it does not read, and lets through. */
  readonly tolerated: readonly string[]
  /** Whom it asks about its users; `undefined` where nobody can tell. */
  readonly classes: readonly PermissionClass[] | undefined
}

function endpointOf(resource: AnyResourceClass, call: Call, { classes, tolerated: _, ...route }: Route): Endpoint {
  const { action, method, status } = call
  const isKnown = classes !== undefined && !asksItself(resource)
  return {
    ...route,
    action,
    isCustom: call.spec !== undefined,
    method,
    status,
    access: isKnown ? declaredAccess(classes, { action, method }) : UNKNOWN_ACCESS,
    isAllowed: context => isCallAllowed(resource, call, context),
    answer: context => answerCall(resource, call, context),
  }
}

/** The methods that a mixin has brought to a resource's class. */
function layerOf({ layers }: AnyResourceClass, { mixin }: OwnedRoute): object {
  return layers.get(mixin) ?? {}
}
