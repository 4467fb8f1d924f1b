import { ConfigError } from '../core/errors.ts'
import { isRecordOf } from '../records/record.ts'
import { validateInput } from '../serializer/validate-input.ts'
import type { ActionSpec, HttpMethod } from './actions.ts'
import type { AnyResourceClass } from './compose.ts'
import type { GenericViewSet } from './generic-viewset.ts'
import { isSafe } from './permissions.ts'
import { Reply } from './reply.ts'

/** One action at one method and path, whatever server routes to it. */
export interface Endpoint {
  readonly resource: AnyResourceClass
  readonly action: string
  readonly method: HttpMethod
  /** Behind the API's prefix, with a slash at both ends; `:id` is the record's identifier. */
  readonly path: string
  readonly spec: ActionSpec | undefined
  /** All of the action's writes are one transaction. */
  readonly writes: boolean
  /** The body is left for the action to read. */
  readonly streams: boolean
  /** Refuses what needs no database to be refused; runs before the transaction. */
  prepare(view: GenericViewSet): unknown
  /** Calls the action. */
  run(view: GenericViewSet): unknown
  /** Status of a successful answer that names none itself. */
  status(view: GenericViewSet): number
}

/** All endpoints of a resource: those of its mixins, then its custom actions. */
export function endpointsOf(name: string, resource: AnyResourceClass): readonly Endpoint[] {
  const base = `/${name}`
  const { config } = resource.definition
  const routes = resource.mixins.flatMap(mixin => mixin.routes)
  const standard = routes
    .filter(route => route.enabled?.(config) ?? true)
    .map((route): Endpoint => {
      const { status = 200, prepare = nothing, writes = !isSafe(route.method) } = route
      return {
        resource,
        action: route.action,
        method: route.method,
        path: base + route.path,
        spec: undefined,
        writes,
        streams: route.streams ?? false,
        prepare,
        run: view => runMethod(view, route.action),
        status: typeof status === 'number' ? () => status : status,
      }
    })
  const custom = Object.entries(config.actions ?? {}).map(
    ([action, spec]): Endpoint => ({
      resource,
      action,
      method: spec.method,
      path: `${base}/${spec.detail ? ':id/' : ''}${spec.path ?? action}/`,
      spec,
      writes: !isSafe(spec.method),
      streams: false,
      prepare: nothing,
      run: view => runCustom(view, spec),
      status: () => spec.status ?? 200,
    }),
  )
  const endpoints = [...standard, ...custom]
  refuseDoubles(name, endpoints)
  return endpoints
}

function nothing(): void {}

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

function refuseDoubles(name: string, endpoints: readonly Endpoint[]): void {
  const seen = new Set<string>()
  for (const { method, path, action } of endpoints) {
    const route = `${method} ${path}`
    if (seen.has(route)) throw new ConfigError(`resources.${name}`, `actions.${action}`, `${route} exists already`)
    seen.add(route)
  }
}
