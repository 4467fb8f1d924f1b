import { checkedCondition } from '../store/checked-condition.ts'
import { QuerySet } from '../store/queryset.ts'
import type { GenericViewSet } from './generic-viewset.ts'

/** The records of a view's model that its scope lets pass. */
export function recordsInScope(view: GenericViewSet): QuerySet {
  const { database, definition, registered } = view
  const all = new QuerySet(database, definition.model)
  const scope = view.getScope()
  if (!scope) return all
  const { resourceName } = registered
  const subject = resourceName === undefined ? definition.subject : `resources.${resourceName}`
  // A scope is written for the view of its own model, which only its declaration knows.
  return all.filter(checkedCondition(subject, 'queryset', scope(view as never)))
}
