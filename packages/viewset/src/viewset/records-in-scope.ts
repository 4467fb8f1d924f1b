import { and } from 'drizzle-orm'
import { checkedCondition } from '../store/checked-condition.ts'
import type { Database } from '../store/connection/database.ts'
import { QuerySet } from '../store/queryset.ts'
import type { ResourceConfig, ResourceDefinition } from './resource.ts'

interface ScopedView {
  readonly database: Database
  readonly definition: ResourceDefinition
  readonly registered: { readonly resourceName?: string | undefined }
  getScope(): ResourceConfig['queryset']
}

export function recordsInScope(view: ScopedView): QuerySet {
  const { database, definition } = view
  const all = withinScopes(view, new QuerySet(database, definition.model))
  const scope = view.getScope()
  // TypeScript cannot check this: a scope expects the view of its own model.
  return scope ? all.filter(checkedCondition(subjectOf(view), 'queryset', scope(view as never))) : all
}

export function withinScopes(view: Omit<ScopedView, 'getScope' | 'database'>, queryset: QuerySet): QuerySet {
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
