import { and } from 'drizzle-orm'
import { checkedCondition } from '../store/checked-condition.ts'
import type { Database } from '../store/database.ts'
import { QuerySet } from '../store/queryset.ts'
import type { ResourceConfig, ResourceDefinition } from './resource.ts'

/** What of a view decides which records it sees. */
interface ScopedView {
  readonly database: Database
  readonly definition: ResourceDefinition
  readonly registered: { readonly resourceName?: string | undefined }
  getScope(): ResourceConfig['queryset']
}

/** The records of a view's model that its `queryset` and the scopes of its mixins let pass. */
export function recordsInScope(view: ScopedView): QuerySet {
  const { database, definition } = view
  const all = withinScopes(view, new QuerySet(database, definition.model))
  const scope = view.getScope()
  // A scope is written for the view of its own model, which only its declaration knows.
  return scope ? all.filter(checkedCondition(subjectOf(view), 'queryset', scope(view as never))) : all
}

function withinScopes(view: Omit<ScopedView, 'getScope' | 'database'>, queryset: QuerySet): QuerySet {
  const { scopes } = view.definition
  if (scopes.length === 0) return queryset
  const conditions = scopes.map(({ mixin, condition }) =>
    checkedCondition(subjectOf(view), `scope of ${mixin}`, condition(view as never)),
  )
  return queryset.filter(and(...conditions))
}

function subjectOf({ definition, registered }: Pick<ScopedView, 'definition' | 'registered'>): string {
  const { resourceName } = registered
  return resourceName === undefined ? definition.subject : `resources.${resourceName}`
}

/** A view whose `getQueryset` a class, a mixin or a property may override. */
interface OverridableView extends Pick<ScopedView, 'definition' | 'registered'> {
  overrides(hook: string): boolean
  getQueryset(): Promise<QuerySet>
}

/**
 * Keeps a view within the scopes of its mixins: what an overridden `getQueryset` returns is narrowed by them, since the
 * override may forget `super`. Call it once for each new view.
 */
export function keepScopes<V extends OverridableView>(resource: Pick<ScopedView, 'definition'>, view: V): V {
  if (resource.definition.scopes.length === 0 || !view.overrides('getQueryset')) return view
  const { getQueryset } = view
  const value = async () => withinScopes(view, await getQueryset.call(view))
  return Object.defineProperty(view, 'getQueryset', { value, configurable: true, writable: true })
}
