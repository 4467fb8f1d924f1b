import { ApiError } from '../../core/errors.ts'
import { boundedCount, type CountStrategy } from '../../query/count-strategies.ts'
import { WindowPagination } from '../../query/window-pagination.ts'
import type { EndpointContext } from '../../viewset/endpoints/endpoint.ts'
import { GenericViewSet } from '../../viewset/generic-viewset.ts'
import { makeView } from '../../viewset/make-view.ts'
import { ListModelMixin } from '../../viewset/mixins/list-model-mixin.ts'
import { neededArounds } from '../../viewset/write/watchers.ts'
import type { RegisteredResource } from '../api-description.ts'

/** Stops at the limit of the API, where an exact count would read the whole table. */
const bounded = boundedCount()

/**
 * The number of records in a list that the user may see. `undefined` if the list does not count, if its count is not
 * exact, or if the list needs parameters.
 */
export async function countList(
  { name, resource }: RegisteredResource,
  context: EndpointContext,
): Promise<number | undefined> {
  // A nested route has a list for each parent.
  const strategy = resource.definition.partitions.some(({ isInPath }) => isInPath)
    ? undefined
    : strategyOf(resource.definition)
  if (!strategy) return undefined
  const view = makeView(resource, { ...context, resourceName: name, action: 'list', method: 'GET' })
  // Only the class knows what its own list shows. `finalize` may refuse an answer, or change its count.
  if (view.overrides('list') || view.finalize !== GenericViewSet.prototype.finalize) return undefined
  try {
    await view.initial()
    // A mixin that encloses the request may decide which records it sees.
    if (neededArounds(view).length > 0) return undefined
    const queryset = await view.filterQueryset(await view.getQueryset())
    const count = await strategy.count(queryset)
    const { isExact } = strategy
    return count !== null && (isExact === true || (isExact !== false && isExact(count))) ? count : undefined
  } catch (error) {
    if (!(error instanceof ApiError)) context.request.logWarning(`The list "${name}" was not counted: ${error}`)
    return undefined
  }
}

function strategyOf(definition: RegisteredResource['resource']['definition']): CountStrategy | undefined {
  const { pages } = ListModelMixin.own(definition)
  // A class with a count of its own may take long.
  if (!(pages instanceof WindowPagination) || pages.count !== WindowPagination.prototype.count) return undefined
  const { countStrategy } = pages
  if (countStrategy.alwaysCounts !== true) return undefined
  return countStrategy.isExact === true ? bounded : countStrategy
}
