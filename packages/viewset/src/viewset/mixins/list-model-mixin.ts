import { allValid } from '../../core/all-valid.ts'
import { readPaginated, StandardPageNumberPagination } from '../../query/pagination.ts'
import type { QuerySet, Window } from '../../store/queryset.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { defineMixin } from '../mixin.ts'
import { Page } from '../reply.ts'
import { showBatches, shownRepresentation, showRows } from '../show-records.ts'

const fallbackPagination = new StandardPageNumberPagination()

const paginationOf = ({ definition }: GenericViewSet) => definition.pagination ?? fallbackPagination

/** `GET /resource/`: the list, in pages or whole (SPEC, "List query parameters"). */
export const ListModelMixin = defineMixin('ListModelMixin', {
  settings: [
    'filterBackends',
    'filterFields',
    'searchFields',
    'ordering',
    'orderingFields',
    'computedOrderingFields',
    'appendIndexes',
    'paginationClass',
    'allowUnpaginated',
  ],
  routes: [{ method: 'GET', path: '/', action: 'list' }],
  methods: {
    async list(this: GenericViewSet): Promise<Page> {
      let paginated = true
      const [queryset, , window] = await allValid(
        async () => this.filterQueryset(await this.getQueryset()),
        () => {
          paginated = readPaginated(this.request) ?? this.definition.pagination !== null
        },
        () => (paginated ? paginationOf(this).window(this.request) : undefined),
      )
      if (!window) await this.checkUnpaginated()
      return window ? paginatedList(this, queryset, window) : wholeList(this, queryset)
    },
  },
})

/** A list up to this length is sent at once; a longer one is read while it is sent. */
const BATCH = 1_000

async function wholeList(view: GenericViewSet, queryset: QuerySet): Promise<Page> {
  const index = firstIndex(view, 0)
  const start = await queryset.rows(shownRepresentation(view).projection, { limit: BATCH + 1, offset: 0 })
  if (start.length > BATCH) return new Page(showBatches(view, queryset, BATCH, index))
  return new Page([await showRows(view, start, index)])
}

async function paginatedList(view: GenericViewSet, queryset: QuerySet, window: Window): Promise<Page> {
  const pagination = paginationOf(view)
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
  return new Page([await showRows(view, shown, firstIndex(view, window.offset))], links)
}

/** The `index` of the first item, or `undefined` where items carry none. */
function firstIndex(view: GenericViewSet, offset: number): number | undefined {
  return (view.config.appendIndexes ?? true) ? offset + 1 : undefined
}
