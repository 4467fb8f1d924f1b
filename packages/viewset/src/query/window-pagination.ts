import type { PageLinks } from '../core/envelope.ts'
import { NotFound } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import { type ApiRequest, linkTo, queryValue } from '../core/request.ts'
import type { QuerySet } from '../store/queryset.ts'
import type { RowWindow } from '../store/select.ts'
import { type CountStrategy, usualCount } from './count-strategies.ts'
import type { PageList } from './page-list.ts'
import {
  badParameters,
  MAX_OFFSET,
  type PageParts,
  type PageShape,
  Pagination,
  readSize,
  SIZE,
  sizeSchema,
} from './pagination.ts'
import type { QueryParameters } from './query-parameters.ts'

const SLOW_COUNT = 200

/** Pages by limit and offset: the base of `StandardPageNumberPagination` and `LimitOffsetPaginationWithFormat`. */
export abstract class WindowPagination extends Pagination {
  /** The requested rows. @throws ValidationError, and NotFound for a page that cannot exist */
  abstract window(request: ApiRequest): RowWindow

  /** Rejects a window behind the end; by default nothing. If not `isTotal`, `count` is only an upper limit. */
  checkWindow(_window: RowWindow, _count: number, _isTotal?: boolean): void {}

  /** The links around a window. `hasNext` says whether there are rows behind it. */
  abstract links(request: ApiRequest, window: RowWindow, hasNext: boolean): Omit<PageLinks, 'count'>

  /** How results are counted. Default: exactly, unless the API sets `COUNT_LIMIT`. */
  readonly countStrategy: CountStrategy = usualCount

  /** The total number of results; `null` if the class does not count. */
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
    // Whether the total shows the end of the list. If not, the rows do.
    const isExact = count !== null && this.#isExact(count)
    if (isExact) this.checkWindow(window, count)
    // One more row shows whether there is a next page.
    const rows = await list.window(isExact ? limit : limit + 1, offset)
    // A page without rows shows that the list has at most `offset` rows.
    if (!isExact && rows.length === 0) this.checkWindow(window, offset, false)
    const hasNext = isExact ? offset + limit < count : rows.length > limit
    return {
      rows: rows.length > limit ? rows.slice(0, limit) : rows,
      firstIndex: offset + 1,
      count: isExact || count === null ? count : seenCount(count, window, rows.length),
      ...this.links(request, window, hasNext),
    }
  }

  /** The count. In development, the first slow one is logged with the settings that help. */
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

function seenCount(count: number, { limit, offset }: RowWindow, rows: number): number {
  if (rows > limit) return Math.max(count, offset + rows)
  if (rows > 0) return offset + rows
  // An empty page shows that there are at most `offset` rows.
  return Math.min(count, offset)
}

/**
 * Pages by number: `page` and `page_size`, 20 by default and at most 100.
 *
 * @example
 * class SmallPages extends StandardPageNumberPagination {
 *   override readonly pageSize = 5
 * }
 */
export class StandardPageNumberPagination extends WindowPagination {
  readonly pageSize: number = 20
  readonly maxPageSize: number = 100
  readonly pageQueryParam: string = 'page'
  readonly pageSizeQueryParam: string = 'page_size'

  get queryParameters(): QueryParameters {
    return {
      [this.pageQueryParam]: { type: 'integer', minimum: 1, default: 1, description: 'The number of the page.' },
      [this.pageSizeQueryParam]: sizeSchema(this.pageSize, this.maxPageSize),
    }
  }

  window(request: ApiRequest): RowWindow {
    const limit = readSize(request, this.pageSizeQueryParam, this.pageSize, this.maxPageSize)
    if (limit === undefined) throw badParameters({ [this.pageSizeQueryParam]: [SIZE] })
    // As in DRF, an empty parameter means the first page: forms send it.
    const text = queryValue(request, this.pageQueryParam) || '1'
    const page = /^\d+$/.test(text) ? Number(text) : 0
    if (page < 1) throw new NotFound(message('not_found.page_numbers'))
    return { limit, offset: Math.min((page - 1) * limit, MAX_OFFSET) }
  }

  /** An empty list has one empty page. */
  override checkWindow({ limit, offset }: RowWindow, count: number, isTotal = true): void {
    if (offset === 0 || offset < count) return
    const last = Math.max(1, Math.ceil(count / limit))
    throw new NotFound(isTotal ? message('not_found.last_page', { last }) : message('not_found.page'))
  }

  links(request: ApiRequest, { limit, offset }: RowWindow, hasNext: boolean): Omit<PageLinks, 'count'> {
    const page = offset / limit + 1
    // As in DRF, the link to the first page has no number.
    const previous = page === 2 ? undefined : String(page - 1)
    return {
      next: hasNext ? linkTo(request, { [this.pageQueryParam]: String(page + 1) }) : null,
      previous: page > 1 ? linkTo(request, { [this.pageQueryParam]: previous }) : null,
    }
  }
}

/**
 * Pages by position: `limit`, 20 by default and at most 100, and `offset`.
 *
 * @example
 * class LongPages extends LimitOffsetPaginationWithFormat {
 *   override readonly maxLimit = 1000
 * }
 */
export class LimitOffsetPaginationWithFormat extends WindowPagination {
  readonly defaultLimit: number = 20
  readonly maxLimit: number = 100
  readonly limitQueryParam: string = 'limit'
  readonly offsetQueryParam: string = 'offset'

  get queryParameters(): QueryParameters {
    const description = 'How many records come before the page.'
    return {
      [this.limitQueryParam]: sizeSchema(this.defaultLimit, this.maxLimit),
      [this.offsetQueryParam]: { type: 'integer', minimum: 0, maximum: MAX_OFFSET, default: 0, description },
    }
  }

  window(request: ApiRequest): RowWindow {
    const limit = readSize(request, this.limitQueryParam, this.defaultLimit, this.maxLimit)
    const text = queryValue(request, this.offsetQueryParam) ?? '0'
    const offset = /^\d{1,16}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY
    const isOffset = offset <= MAX_OFFSET
    if (limit !== undefined && isOffset) return { limit, offset }
    throw badParameters({
      ...(limit === undefined && { [this.limitQueryParam]: [SIZE] }),
      ...(!isOffset && {
        [this.offsetQueryParam]: [message('invalid_parameter', { expected: message('expected.offset') })],
      }),
    })
  }

  links(request: ApiRequest, { limit, offset }: RowWindow, hasNext: boolean): Omit<PageLinks, 'count'> {
    const link = (start: number) =>
      linkTo(request, {
        [this.limitQueryParam]: String(limit),
        // As in DRF, the link to the start has no offset.
        [this.offsetQueryParam]: start > 0 ? String(start) : undefined,
      })
    return { next: hasNext ? link(offset + limit) : null, previous: offset > 0 ? link(offset - limit) : null }
  }
}
