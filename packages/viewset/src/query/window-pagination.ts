import type { PageLinks } from '../core/envelope.ts'
import type { ApiRequest } from '../core/request.ts'
import type { QuerySet } from '../store/queryset.ts'
import type { RowWindow } from '../store/select.ts'
import { boundedCount, type CountStrategy } from './count-strategies.ts'
import type { PageList } from './page-list.ts'
import { type PageParts, type PageShape, Pagination } from './pagination.ts'

const usualCount = boundedCount()

/**
 * Pages that are a number of rows behind a number of others: what `StandardPageNumberPagination` and
 * `LimitOffsetPaginationWithFormat` have in common.
 */
export abstract class WindowPagination extends Pagination {
  /** The rows that the request asks for. @throws ValidationError, and NotFound for a page that cannot exist */
  abstract window(request: ApiRequest): RowWindow

  /** Refuses a window that lies behind the end; nothing by default. */
  checkWindow(_window: RowWindow, _count: number): void {}

  /** The links around a window. `hasNext` says whether there are rows behind it. */
  abstract links(request: ApiRequest, window: RowWindow, hasNext: boolean): Omit<PageLinks, 'count'>

  /** How the results are counted: `boundedCount()`, or one that costs less or promises more. */
  readonly countStrategy: CountStrategy = usualCount

  /** The total number of results; `null` where a class is set not to count. */
  count(queryset: QuerySet): Promise<number | null> {
    return this.countStrategy.count(queryset)
  }

  override pageShape(): PageShape {
    const { alwaysCounts, description } = this.countStrategy
    if (this.count !== WindowPagination.prototype.count) return { count: 'nullable', hasIndex: true }
    const count = alwaysCounts === true ? 'number' : 'nullable'
    return { count, ...(description !== undefined && { countNote: description }), hasIndex: true }
  }

  override check(request: ApiRequest): void {
    this.window(request)
  }

  async paginate(list: PageList, request: ApiRequest): Promise<PageParts> {
    const window = this.window(request)
    const { limit, offset } = window
    const count = await this.count(list.queryset)
    // Whether the total says where the list ends; where it does not, the rows themselves must.
    const isExact = count !== null && this.#isExact(count)
    if (isExact) this.checkWindow(window, count)
    // Without such a total, one row more than the page tells whether there is a next one.
    const rows = await list.window(isExact ? limit : limit + 1, offset)
    // Without such a total, a page without rows tells that there are no more than it skips.
    if (!isExact && rows.length === 0) this.checkWindow(window, offset)
    const hasNext = isExact ? offset + limit < count : rows.length > limit
    return {
      rows: rows.length > limit ? rows.slice(0, limit) : rows,
      firstIndex: offset + 1,
      count: isExact || count === null ? count : seenCount(count, window, rows.length),
      ...this.links(request, window, hasNext),
    }
  }

  #isExact(count: number): boolean {
    const { isExact } = this.countStrategy
    return typeof isExact === 'boolean' ? isExact : isExact(count)
  }
}

/** A count that is not exact, and what the rows that were read of a window say of it. */
function seenCount(count: number, { limit, offset }: RowWindow, rows: number): number {
  if (rows > limit) return Math.max(count, offset + rows)
  if (rows > 0) return offset + rows
  // Behind the end nothing is known but that there are no more rows than are skipped.
  return Math.min(count, offset)
}
