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

/** The records of a view's model that its scope lets pass. */
export function recordsInScope(view: ScopedView): QuerySet {
  const { database, definition, registered } = view
  const all = new QuerySet(database, definition.model)
  const scope = view.getScope()
  if (!scope) return all
  const { resourceName } = registered
  const subject = resourceName === undefined ? definition.subject : `resources.${resourceName}`
  // A scope is written for the view of its own model, which only its declaration knows.
  return all.filter(checkedCondition(subject, 'queryset', scope(view as never)))
}
