import { ConfigError } from '../core/errors.ts'
import { isRecordOf } from '../records/record.ts'
import { validateInput } from '../serializer/validate-input.ts'
import type { ActionSpec, HttpMethod } from './actions.ts'
import type { GenericViewSet, ViewContext } from './generic-viewset.ts'
import { isSafe } from './permissions.ts'
import { Reply } from './reply.ts'
import type { AnyResourceClass } from './resource-class.ts'
import type { RouteDescription } from './route-description.ts'

/** One action at one method and path, whatever server routes to it. */
export interface Endpoint {
  readonly action: string
  readonly method: HttpMethod
  /** Behind the API's prefix, with a slash at both ends; `:id` is the record's identifier. */
  readonly path: string
  /** The body is left for the action to read. */
  readonly readsBody: boolean
  /** What it takes and gives, as far as that is declared; worked out when somebody asks. */
  describe?(): RouteDescription
  /** Does what the request asks for; its user and its database are the current ones. */
  answer(context: EndpointContext): Promise<Reply>
}

/** What an endpoint is asked with. */
export type EndpointContext = Pick<ViewContext, 'request' | 'user' | 'database' | 'settings'>

/** How an action of a resource is called. */
interface Call {
  readonly spec?: ActionSpec
  /** All of the action's writes are one transaction. */
  readonly writes: boolean
  /** Refuses what needs no database to be refused; runs before the transaction. */
  readonly precheck?: (view: GenericViewSet) => unknown
  readonly run: (view: GenericViewSet) => unknown
  /** Status of a successful answer that names none itself. */
  readonly status: number
}

/** All endpoints of a resource: those of its mixins, then its custom actions. */
export function endpointsOf(name: string, resource: AnyResourceClass): readonly Endpoint[] {
  const base = `/${name}`
  const { definition } = resource
  const { config } = definition
  // What is refused before an action is refused at every address of it, also at one that another mixin adds.
  const prechecks = new Map(
    resource.mixins
      .flatMap(({ routes }) => routes)
      .flatMap(({ action, precheck }) => (precheck === undefined ? [] : [[action, precheck] as const])),
  )
  const standard = resource.mixins.flatMap(mixin =>
    mixin.routes.map((route): Endpoint => {
      const {
        action,
        method,
        status = 200,
        precheck = prechecks.get(action),
        writes = !isSafe(method),
        describes,
      } = route
      const call: Call = {
        writes,
        ...(precheck !== undefined && { precheck: view => runMethod(view, precheck) }),
        run: view => runMethod(view, action),
        // This and the description are declared for the settings of their own mixin, which are among these.
        status: typeof status === 'number' ? status : status(config as never),
      }
      return {
        action,
        method,
        path: base + route.path,
        readsBody: route.readsBody ?? false,
        ...(describes && { describe: () => describes(definition as never, mixin.own(definition) as never) }),
        answer: context => answer(resource, action, call, context),
      }
    }),
  )
  const custom = Object.entries(config.actions ?? {}).map(([action, spec]): Endpoint => {
    const { method, detail, path = action, status = 200 } = spec
    const call: Call = { spec, writes: !isSafe(method), run: view => runCustom(view, spec), status }
    return {
      action,
      method,
      path: `${base}/${detail ? ':id/' : ''}${path}/`,
      readsBody: false,
      answer: context => answer(resource, action, call, context),
    }
  })
  const endpoints = [...standard, ...custom]
  checkPaths(name, endpoints)
  return endpoints
}

/** One request to an action of a resource, from its permissions to its last hook. */
async function answer(
  resource: AnyResourceClass,
  action: string,
  { spec, writes, precheck, run, status }: Call,
  context: EndpointContext,
): Promise<Reply> {
  const view = new resource({ ...context, action, spec })
  await view.initial()
  await precheck?.(view)
  const result = await (writes ? context.database.transaction(async () => run(view), context.request) : run(view))
  const reply = await view.finalize(replyTo(result, status))
  if (!(reply instanceof Reply)) throw new TypeError('finalize must return a Reply: the one that it gets, or another.')
  return reply
}

/** What an action returned, with its own status or else the endpoint's. */
function replyTo(result: unknown, status: number): Reply {
  if (!(result instanceof Reply)) return new Reply(result, { status })
  return result.status === undefined ? result.with({ status }) : result
}

/** Runs a custom action between the input and the output that it declares. */
async function runCustom(view: GenericViewSet, spec: ActionSpec): Promise<unknown> {
  const input = spec.input ? validateInput(spec.input, view.request.body) : undefined
  // The handler's own types were checked where the action was declared; here, any action runs.
  const result = await spec.handler(view as never, input as never)
  return result instanceof Reply
    ? result.with({ data: await shown(view, spec, result.data) })
    : shown(view, spec, result)
}

/** What an action returned, as its declaration shows it; a record as the serializer does, which knows what to hide. */
async function shown(view: GenericViewSet, { output }: ActionSpec, data: unknown): Promise<unknown> {
  if (output) return output.parse(data)
  return isRecordOf(view.model, data) ? view.serialize(data) : data
}

/** Calls the method that a mixin's route names; a mixin brings both, which no type of the view can tell. */
function runMethod(view: GenericViewSet, action: string): unknown {
  const method: unknown = Reflect.get(view, action)
  if (typeof method !== 'function') throw new Error(`The route's method "${action}" is missing.`)
  return method.call(view)
}

/** @throws ConfigError for two routes of one method and path, and for a path in which a later part would hide an earlier one. */
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
