import { stderrLog, type User } from '../core/context.ts'
import { NotFound } from '../core/errors.ts'
import type { ApiRequest } from '../core/request.ts'
import type { ApiSettings } from '../core/settings.ts'
import { keyOf } from '../records/record.ts'
import { dependsOnUser, forUser } from '../serializer/for-user.ts'
import type { Database } from '../store/connection/database.ts'
import { QuerySet } from '../store/queryset.ts'
import type { GenericViewSet } from './generic-viewset.ts'
import type { AnyResourceClass } from './mixin.ts'
import type { ActionName } from './permissions.ts'
import { withinScopes } from './records-in-scope.ts'
import { hasPreconditions } from './version/preconditions.ts'
import type { ViewContext } from './view.ts'
import { checkGuards, guardsOfPath } from './write/guards.ts'

/**
 * An override may leave out `super`. Fields of some users stay theirs, still narrow its queryset, and scopes and
 * guards check its record.
 */
export function makeView(resource: AnyResourceClass, context: ViewContext): GenericViewSet {
  const view = new resource(context)
  const { scopes, guards } = resource.definition
  const { serializer, serializers = [] } = resource.definition.config
  if (view.overrides('getSerializer') || [serializer, ...serializers].some(dependsOnUser)) {
    const { getSerializer } = view
    replace(view, 'getSerializer', () => forUser(getSerializer.call(view), view.user))
  }
  if (scopes.length > 0 && view.overrides('getQueryset')) {
    const { getQueryset } = view
    replace(view, 'getQueryset', async () => withinScopes(view, await getQueryset.call(view)))
  }
  const isGuarded = scopes.length > 0 || guards.length > 0 || hasPreconditions(context)
  if (isGuarded && view.overrides('getObject')) {
    const { getObject } = view
    replace(view, 'getObject', async () => {
      const wanted = guardsOfPath(view)
      const record = await getObject.call(view)
      const all = withinScopes(view, new QuerySet(view.database, view.definition.model))
      if (scopes.length > 0 && (await all.missing([keyOf(record)])).length > 0) {
        throw new NotFound(undefined, view.definition.model.name)
      }
      await checkGuards(view, wanted, record)
      return record
    })
  }
  return view
}

/** The view of the same request, if it asked for another action of the resource: for the permissions of that action. */
export function viewForAction(
  view: GenericViewSet,
  call: { readonly action: ActionName; readonly method: string },
): GenericViewSet {
  const { registered, request, user, database, settings } = view
  const context = { ...registered, request, user, database, settings, ...call, spec: undefined, writes: false }
  return makeView(view.constructor as AnyResourceClass, context)
}

function replace<K extends 'getQueryset' | 'getObject' | 'getSerializer'>(
  view: GenericViewSet,
  hook: K,
  value: GenericViewSet[K],
): void {
  Object.defineProperty(view, hook, { value, configurable: true, writable: true })
}

const NO_REQUEST: ApiRequest = {
  id: '',
  method: 'GET',
  origin: 'http://localhost',
  url: '/',
  path: '/',
  search: '',
  params: {},
  query: {},
  headers: {},
  body: undefined,
  bodyStream: null,
  get native(): never {
    throw new Error('No server has received this request.')
  },
  ...stderrLog,
}

/** `undefined` if the class needs a request. Without a database, the view cannot read records. */
export function viewWithoutRequest(
  resource: AnyResourceClass,
  database: Database | undefined,
  settings: ApiSettings,
  call: { readonly action: string; readonly method: string } = { action: 'list', method: 'GET' },
  user: User | null = null,
): GenericViewSet | undefined {
  const make = () =>
    makeView(resource, { request: NO_REQUEST, user, database: database as Database, settings, ...call })
  try {
    return database ? database.use(make) : make()
  } catch {
    return undefined
  }
}
