import type { GenericViewSet } from './generic-viewset.ts'
import { withinScopes } from './records-in-scope.ts'
import type { AnyResourceClass } from './resource-class.ts'
import type { ViewContext } from './view-context.ts'

/**
 * Makes the view of a request. If `getQueryset` is overridden, its records are narrowed by the scopes of the mixins, since
 * the override may leave out `super`.
 */
export function makeView(resource: AnyResourceClass, context: ViewContext): GenericViewSet {
  const view = new resource(context)
  if (resource.definition.scopes.length === 0 || !view.overrides('getQueryset')) return view
  const { getQueryset } = view
  const value = async () => withinScopes(view, await getQueryset.call(view))
  return Object.defineProperty(view, 'getQueryset', { value, configurable: true, writable: true })
}
