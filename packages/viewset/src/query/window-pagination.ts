import type { PageLinks } from '../core/envelope.ts'
import type { ApiRequest } from '../core/request.ts'
import type { QuerySet } from '../store/queryset.ts'
import type { RowWindow } from '../store/select.ts'
import { type CountStrategy, usualCount } from './count-strategies.ts'
import type { PageList } from './page-list.ts'
import { type PageParts, type PageShape, Pagination } from './pagination.ts'

/** Milliseconds above which a count is reported in development. */
const SLOW_COUNT = 200

/**
 * Pages that are a number of rows behind a number of others: what `StandardPageNumberPagination` and
 * `LimitOffsetPaginationWithFormat` have in common.
 */
export abstract class WindowPagination extends Pagination {
  /** The rows that the request asks for. @throws ValidationError, and NotFound for a page that cannot exist */
  abstract window(request: ApiRequest): RowWindow

  /** Refuses a window behind the end; nothing by default. Unless it `isTotal`, `count` is only known to be too high. */
  checkWindow(_window: RowWindow, _count: number, _isTotal?: boolean): void {}

  /** The links around a window. `hasNext` says whether there are rows behind it. */
  abstract links(request: ApiRequest, window: RowWindow, hasNext: boolean): Omit<PageLinks, 'count'>

  /** How the results are counted: exactly, unless the API sets `COUNT_LIMIT`. Or take one that costs less. */
  readonly countStrategy: CountStrategy = usualCount

  /** The total number of results; `null` where a class is set not to count. */
  count(queryset: QuerySet): Promise<number | null> {
    return this.countStrategy.count(queryset)
  }

  #hasReportedSlowCount = false

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
    const count = await this.#timedCount(list.queryset, request)
    // Whether the total says where the list ends; where it does not, the rows themselves must.
    const isExact = count !== null && this.#isExact(count)
    if (isExact) this.checkWindow(window, count)
    // Without such a total, one row more than the page tells whether there is a next one.
    const rows = await list.window(isExact ? limit : limit + 1, offset)
    // Without such a total, a page without rows tells that there are no more than it skips.
    if (!isExact && rows.length === 0) this.checkWindow(window, offset, false)
    const hasNext = isExact ? offset + limit < count : rows.length > limit
    return {
      rows: rows.length > limit ? rows.slice(0, limit) : rows,
      firstIndex: offset + 1,
      count: isExact || count === null ? count : seenCount(count, window, rows.length),
      ...this.links(request, window, hasNext),
    }
  }

  /** The count; in development, the first slow one is logged with the settings that help. */
  async #timedCount(queryset: QuerySet, request: ApiRequest): Promise<number | null> {
    const start = performance.now()
    const count = await this.count(queryset)
    const took = performance.now() - start
    if (took > SLOW_COUNT && !this.#hasReportedSlowCount && process.env.NODE_ENV !== 'production') {
      this.#hasReportedSlowCount = true
      request.logWarning(slowCount(request.path, took, count))
    }
    return count
  }

  #isExact(count: number): boolean {
    const { isExact } = this.countStrategy
    return typeof isExact === 'boolean' ? isExact : isExact(count)
  }
}

function slowCount(path: string, took: number, count: number | null): string {
  return [
    `GET ${path}: counting took ${Math.round(took)} ms (count: ${count}).`,
    'An index on the filtered columns helps: npx viewset index-advice.',
    'For a cheaper count, set COMMON: { COUNT_LIMIT: 10_000 } for the API,',
    'or countStrategy = boundedCount({ limit: 10_000 }) or noCount in the pagination class.',
    'This is logged once, and not in production.',
  ].join(' ')
}

/** A count that is not exact, and what the rows that were read of a window say of it. */
function seenCount(count: number, { limit, offset }: RowWindow, rows: number): number {
  if (rows > limit) return Math.max(count, offset + rows)
  if (rows > 0) return offset + rows
  // Behind the end nothing is known but that there are no more rows than are skipped.
  return Math.min(count, offset)
}
