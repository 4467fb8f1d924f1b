import type { ApiRequest } from '../core/request.ts'
import type { Pagination } from '../query/pagination.ts'
import type { QuerySet, Window } from '../store/queryset.ts'
import { Page } from './reply.ts'
import { type ShowingView, showBatches, shownRepresentation, showRows } from './show-records.ts'

/** A list up to this length is sent at once; a longer one is read while it is sent. */
const BATCH = 1_000

/** All rows of a queryset, in its order. */
export async function wholeList(view: ShowingView, queryset: QuerySet, hasIndex: boolean): Promise<Page> {
  const index = hasIndex ? 1 : undefined
  const start = await queryset.rows(shownRepresentation(view).projection, { limit: BATCH + 1, offset: 0 })
  if (start.length > BATCH) return new Page(showBatches(view, queryset, BATCH, index))
  return new Page([await showRows(view, start, index)])
}

/** The rows of one page, with the links around it. */
export async function listPage(
  view: ShowingView & { readonly request: ApiRequest },
  queryset: QuerySet,
  pagination: Pagination,
  window: Window,
  hasIndex: boolean,
): Promise<Page> {
  const count = await pagination.count(queryset)
  // Whether the total says where the list ends; where it does not, the rows themselves must.
  const isExact = count !== null && pagination.countStrategy.isExact
  if (isExact) pagination.checkWindow(window, count)
  // Without such a total, one row more than the page tells whether there is a next one.
  const limit = isExact ? window.limit : window.limit + 1
  const rows = await queryset.rows(shownRepresentation(view).projection, { ...window, limit })
  // Without such a total, a page without rows tells that there are no more than it skips.
  if (!isExact && rows.length === 0) pagination.checkWindow(window, window.offset)
  const hasNext = isExact ? window.offset + window.limit < count : rows.length > window.limit
  const shown = rows.length > window.limit ? rows.slice(0, window.limit) : rows
  const links = { count, ...pagination.links(view.request, window, hasNext) }
  return new Page([await showRows(view, shown, hasIndex ? window.offset + 1 : undefined)], links)
}
