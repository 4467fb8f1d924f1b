import { ConfigError } from '../../core/errors.ts'
import { suggestion } from '../../core/suggestion.ts'
import { historyOf } from '../../model/history.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { withReadOnly } from '../../serializer/read-only.ts'
import type { Isolation } from '../../store/connection/transaction.ts'
import { NOT_AS_EXPECTED } from '../bulk/items.ts'
import { describeAction, shownSerializers, withRecord } from '../description/describe-route.ts'
import { recordNames } from '../description/record-names.ts'
import { changedDescription, oneOfDescriptions, type RouteDescription } from '../description/route-description.ts'
import type { Authenticate } from '../handle.ts'
import { REASON, REASON_HEADER } from '../history/change.ts'
import { KEY_DESCRIPTION, takesKeys } from '../idempotency/key-description.ts'
import type { AnyResourceClass, Mixin, MixinRoute } from '../mixin.ts'
import { isOverridden } from '../overrides.ts'
import { isSafe, type PermissionClass } from '../permissions.ts'
import { choiceKey } from '../reading/choice-setting.ts'
import { choiceParameters, chosenSchema, isChosen } from '../reading/chosen-fields.ts'
import type { ResourceConfig, ResourceDefinition } from '../resource/resource.ts'
import { type Call, compileCall, isCallAllowed } from './call.ts'
import { declaredAccess, type Endpoint, overridesPermissions, UNKNOWN_ACCESS } from './endpoint.ts'
import { KnownParameters, type UnknownParameters } from './known-parameters.ts'
import { watchStatements } from './observe-request.ts'

interface OwnedRoute {
  readonly mixin: Mixin
  readonly route: MixinRoute
}

export interface EndpointsOptions {
  readonly unknownParameters?: UnknownParameters | undefined
  readonly authenticate?: Pick<Authenticate, 'securitySchemes'> | undefined
  readonly importMappings?: object | undefined
}

export function endpointsOf(
  name: string,
  resource: AnyResourceClass,
  options: EndpointsOptions = {},
): readonly Endpoint[] {
  const { describes, unknownParameters = options.unknownParameters } = resource.definition.config
  const credentials = unknownParameters === 'ignore' ? undefined : queryCredentials(options.authenticate)
  const routes = [...standardRoutes(name, resource, options), ...customRoutes(name, resource)]
  const endpoints = routes.map(({ call, route }): Endpoint => {
    const changes = { ...(describes?.deprecated && { deprecated: true }), ...describes?.actions?.[call.action] }
    const { describe } = route
    const described =
      describe && (() => changedDescription(withMixins(name, resource, call, route, describe()), changes))
    // A custom action without described parameters accepts all: only its handler knows which ones it reads.
    const isDeclared = described && (!call.spec || Boolean(call.spec.describes?.query ?? changes.query))
    const parameters =
      credentials && isDeclared ? new KnownParameters(described, [...credentials, ...route.tolerated]) : undefined
    const endpoint = endpointOf(
      resource,
      { ...call, parameters },
      { ...route, ...(described && { describe: described }) },
    )
    return { ...watchStatements(endpoint), resource: name, parameters }
  })
  for (const { checkName } of resource.definition.attached) checkName?.(name)
  checkSingleton(name, resource)
  checkNamedActions(name, resource, endpoints)
  checkPaths(name, endpoints)
  checkDescribed(name, Object.keys(describes?.actions ?? {}), endpoints)
  return endpoints
}

/** @throws ConfigError for a mixin whose routes need the identifier of a record */
function checkSingleton(name: string, { definition, mixins }: AnyResourceClass): void {
  if (!definition.config.singleton) return
  for (const mixin of mixins) {
    const route = mixin.routes.find(({ path }) => path !== '/:id/')
    if (!route) continue
    const problem = `${mixin.name} has ${route.method} ${route.path}, and a singleton is read, updated and destroyed only`
    throw new ConfigError(`resources.${name}`, 'singleton', problem)
  }
}

function withMixins(
  name: string,
  { mixins, definition }: AnyResourceClass,
  { action, method, spec, writes, takesKeys }: Call,
  { path: address }: Route,
  description: RouteDescription,
): RouteDescription {
  const { config } = definition
  // The record of a singleton is described as that of any other path.
  const path = config.singleton ? address.replace(`/${name}/`, `/${name}/:id/`) : address
  const isCustom = spec !== undefined
  const route = { action, method, path, isCustom }
  const isGuarded = path.includes('/:id/') && (writes || !isSafe(method))
  const additions = [
    isGuarded ? { errors: { 412: NOT_AS_EXPECTED } } : {},
    ...definition.attached.map(({ describes }) => describes?.({ ...route, description }) ?? {}),
    takesKeys ? KEY_DESCRIPTION : {},
    writes || !isSafe(method) ? describeReason(definition) : {},
  ]
  return mixins.reduce(
    (before, mixin) => changedDescription(before, mixin.describes({ ...route, config, description: before })),
    additions.reduce<RouteDescription>(changedDescription, description),
  )
}

/** A change of records that have a history may have a reason. */
function describeReason({ model }: ResourceDefinition): Partial<RouteDescription> {
  return historyOf(model.table) ? { headers: { [REASON_HEADER]: REASON } } : {}
}

/** The query parameters that carry credentials. */
function queryCredentials({ securitySchemes = {} }: EndpointsOptions['authenticate'] = {}): readonly string[] {
  return Object.values(securitySchemes).flatMap(scheme =>
    scheme.type === 'apiKey' && scheme.in === 'query' ? [scheme.name] : [],
  )
}

function standardRoutes(name: string, resource: AnyResourceClass, options: EndpointsOptions): readonly CalledRoute[] {
  const { definition } = resource
  const { config } = definition
  const owned = resource.mixins
    .flatMap(mixin => mixin.routes.map((route): OwnedRoute => ({ mixin, route })))
    .filter(({ route: { option } }) => option === undefined || options[option] !== undefined)
  return owned.map(({ mixin, route }) => {
    const { action, method, path, status = 200, writes = !isSafe(method), statements, describes, isolation } = route
    const { reads = isSafe(method) && !writes } = route
    // Permissions and `before` of an action hold for all its routes, also for one of another mixin.
    const sameAction = [...owned.filter(other => other.route.action === action), { mixin, route }]
    const before = sameAction.findLast(other => other.route.before !== undefined)?.route.before
    const write = sameAction.findLast(other => other.route.write !== undefined)?.route.write
    const checking = sameAction.findLast(other => other.route.permissions !== undefined)
    const permits = checking?.route.permissions
    const own =
      checking !== undefined && isOverridden(resource.prototype, permits?.check ?? '', layerOf(resource, checking))
    // TypeScript cannot check this: a route's functions expect the settings of their own mixin, which are among these.
    const classes = permits?.classes(config as never) ?? []
    return {
      call: {
        resourceName: name,
        action,
        method,
        writes,
        isolation: isolation ?? isolationOf(name, config, { action, writes }),
        permits: permits?.check,
        before,
        write,
        status: typeof status === 'number' ? status : status(config as never),
        takesKeys: takesKeys(config.idempotency, { action, method, writes, readsBody: route.readsBody ?? false }),
      },
      route: {
        path: `/${name}${config.singleton ? path.replace('/:id/', '/') : path}`,
        reads,
        readsBody: route.readsBody ?? false,
        tolerated: route.tolerates?.(definition as never) ?? [],
        classes: own ? undefined : [...config.permissionClasses, ...classes],
        ...(statements && { statements: statements(definition as never, mixin.own(definition) as never) }),
        ...(describes && { describe: () => describeRoute(name, resource, mixin, { ...route, describes }) }),
      },
    }
  })
}

function describeRoute(
  name: string,
  resource: AnyResourceClass,
  mixin: Mixin,
  { action, method, describes }: MixinRoute & Required<Pick<MixinRoute, 'describes'>>,
): RouteDescription {
  const { definition } = resource
  const names = recordNames(name, definition.config)
  const [first, ...others] = shownSerializers(resource, action, method)
  const describe = (serializer: ModelSerializer) => {
    const described = definition.partitions
      .filter(({ isInPath }) => isInPath)
      .reduce((shown, { column }) => withReadOnly(shown, column), serializer)
    const config = { ...definition.config, serializer: described }
    const description = describes({ ...definition, config, names } as never, mixin.own(definition) as never)
    const choice = choiceKey.of(definition)
    const isChoice = choice !== undefined && isChosen(action, false)
    const record = config.describes?.record ?? (isChoice ? chosenSchema(serializer, choice) : undefined)
    const shown = withRecord(description, record, serializer)
    return isChoice ? { ...shown, query: { ...shown.query, ...choiceParameters(choice) } } : shown
  }
  return oneOfDescriptions(describe(first), others.map(describe))
}

function customRoutes(name: string, resource: AnyResourceClass): readonly CalledRoute[] {
  const { config } = resource.definition
  const { actions = {}, permissionClasses } = config
  return Object.entries(actions).map(([action, spec]) => {
    const { method, detail, path = action, status = 200, writes = !isSafe(method) } = spec
    return {
      call: {
        resourceName: name,
        action,
        method,
        spec,
        writes,
        isolation: isolationOf(name, config, { action, writes }),
        status,
        takesKeys: takesKeys(config.idempotency, { action, method, writes, readsBody: false }),
      },
      route: {
        path: `/${name}/${detail && !config.singleton ? ':id/' : ''}${path}/`,
        reads: isSafe(method) && !writes,
        readsBody: false,
        tolerated: [],
        classes: spec.permissionClasses ?? permissionClasses,
        describe: () => describeAction(action, spec, recordNames(name, config)),
      },
    }
  })
}

interface CalledRoute {
  readonly call: Call
  readonly route: Route
}

interface Route extends Pick<Endpoint, 'path' | 'reads' | 'readsBody' | 'statements' | 'describe'> {
  readonly tolerated: readonly string[]
  /** Its permissions; `undefined` if a class overrides the hooks that check them. */
  readonly classes: readonly PermissionClass[] | undefined
}

function endpointOf(resource: AnyResourceClass, call: Call, { classes, tolerated: _, ...route }: Route): Endpoint {
  const { action, method, status } = call
  const isKnown = classes !== undefined && !overridesPermissions(resource)
  return {
    ...route,
    action,
    isCustom: call.spec !== undefined,
    method,
    status,
    access: isKnown ? declaredAccess(classes, { action, method }) : UNKNOWN_ACCESS,
    isAllowed: context => isCallAllowed(resource, call, context),
    answer: compileCall(resource, call),
  }
}

function layerOf({ layers }: AnyResourceClass, { mixin }: OwnedRoute): object {
  return layers.get(mixin) ?? {}
}

function checkPaths(name: string, endpoints: readonly Endpoint[]): void {
  const seen = new Set<string>()
  for (const { method, path, action } of endpoints) {
    const route = `${method} ${path}`
    if (seen.has(route)) throw new ConfigError(`resources.${name}`, `actions.${action}`, `${route} exists already`)
    seen.add(route)
    const parts = path.split('/').filter(part => part.startsWith(':'))
    const twice = parts.find((part, index) => parts.indexOf(part) < index)
    if (twice === undefined) continue
    const remedy = twice === ':id' ? "; it is the record's, so give the other part another name" : ''
    throw new ConfigError(`resources.${name}`, 'name', `${route} has two parts that are called "${twice}"${remedy}`)
  }
}

/** @throws ConfigError for a setting that names an action which the resource does not have */
function checkNamedActions(name: string, { definition }: AnyResourceClass, endpoints: readonly Endpoint[]): void {
  const { idempotency, isolation } = definition.config
  const actions = [...new Set(endpoints.map(({ action }) => action))]
  const named = {
    idempotency: Array.isArray(idempotency) ? idempotency : [],
    isolation: typeof isolation === 'object' ? Object.keys(isolation) : [],
  }
  for (const [setting, names] of Object.entries(named)) {
    const unknownName = names.find(action => !actions.includes(action))
    if (unknownName === undefined) continue
    const problem = `"${unknownName}" is none of the resource's actions${suggestion(unknownName, actions)}`
    throw new ConfigError(`resources.${name}`, setting, problem)
  }
}

/** @throws ConfigError for an action that is named and has no transaction */
function isolationOf(
  name: string,
  { isolation, actions }: ResourceConfig,
  { action, writes }: Pick<Call, 'action' | 'writes'>,
): Isolation | undefined {
  const own = actions?.[action]?.isolation
  const named = own ?? (typeof isolation === 'object' ? isolation[action] : undefined)
  if (named !== undefined && !writes) {
    const setting = own === undefined ? 'isolation' : `actions.${action}.isolation`
    throw new ConfigError(`resources.${name}`, setting, `"${action}" has no transaction of the request`)
  }
  return writes ? (named ?? (isolation === 'serializable' ? isolation : undefined)) : undefined
}

function checkDescribed(name: string, described: readonly string[], endpoints: readonly Endpoint[]): void {
  const actions = [...new Set(endpoints.map(({ action }) => action))]
  const unknownName = described.find(action => !actions.includes(action))
  if (unknownName === undefined) return
  const problem = `"${unknownName}" is none of the resource's actions${suggestion(unknownName, actions)}`
  throw new ConfigError(`resources.${name}`, 'describes.actions', problem)
}
