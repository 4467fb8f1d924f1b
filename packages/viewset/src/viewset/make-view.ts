import type { GenericViewSet } from './generic-viewset.ts'
import { withinScopes } from './records-in-scope.ts'
import type { AnyResourceClass } from './resource-class.ts'
import type { ViewContext } from './view-context.ts'
import { checkGuards, guardsOfPath } from './write/guards.ts'

/** An override may leave out `super`: scopes still narrow its queryset, and guards still check its record. */
export function makeView(resource: AnyResourceClass, context: ViewContext): GenericViewSet {
  const view = new resource(context)
  const { scopes, guards } = resource.definition
  if (scopes.length > 0 && view.overrides('getQueryset')) {
    const { getQueryset } = view
    replace(view, 'getQueryset', async () => withinScopes(view, await getQueryset.call(view)))
  }
  if (guards.length > 0 && view.overrides('getObject')) {
    const { getObject } = view
    replace(view, 'getObject', async () => {
      const guardsOfRecord = guardsOfPath(view)
      const record = await getObject.call(view)
      checkGuards(view, guardsOfRecord, record)
      return record
    })
  }
  return view
}

function replace<K extends 'getQueryset' | 'getObject'>(view: GenericViewSet, hook: K, value: GenericViewSet[K]): void {
  Object.defineProperty(view, hook, { value, configurable: true, writable: true })
}
