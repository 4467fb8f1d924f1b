import type { PageLinks } from '../core/envelope.ts'
import { type FieldErrors, NotFound, ValidationError } from '../core/errors.ts'
import { type ApiRequest, linkTo, queryValue } from '../core/request.ts'
import type { QuerySet, Window } from '../store/queryset.ts'
import { type CountStrategy, exactCount } from './count-strategies.ts'
import { readBoolean } from './filter-value.ts'

/** How a list is cut into pages. Subclass one of the two classes, or this one for a style of your own. */
export abstract class Pagination {
  /** Names of the query parameters that this style reads. */
  abstract readonly queryParameters: readonly string[]

  /** The rows that the request asks for. */
  abstract window(request: ApiRequest): Window

  /** Refuses a window that lies behind the end; nothing by default. */
  checkWindow(_window: Window, _count: number): void {}

  /** The links around a window. `hasNext` says whether there are rows behind it. */
  abstract links(request: ApiRequest, window: Window, hasNext: boolean): Omit<PageLinks, 'count'>

  /** How the results are counted: `exactCount`, or one that costs less and promises less. */
  readonly countStrategy: CountStrategy = exactCount

  /** The total number of results; `null` where a class is set not to count. */
  count(queryset: QuerySet): Promise<number | null> {
    return this.countStrategy.count(queryset)
  }
}

/** What `paginationClass` takes: a class, not an instance, as in DRF. */
export type PaginationClass = new () => Pagination

/** Where an offset ends; beyond it, arithmetic would no longer be exact. */
export const MAX_OFFSET: number = Number.MAX_SAFE_INTEGER

/**
 * Pages by number (SPEC, "Limits"): `page` and `page_size`, 20 by default and at most 100.
 *
 * @example
 * class SmallPages extends StandardPageNumberPagination {
 *   override readonly pageSize = 5
 * }
 */
export class StandardPageNumberPagination extends Pagination {
  readonly pageSize: number = 20
  readonly maxPageSize: number = 100
  readonly pageQueryParam: string = 'page'
  readonly pageSizeQueryParam: string = 'page_size'

  get queryParameters(): readonly string[] {
    return [this.pageQueryParam, this.pageSizeQueryParam]
  }

  window(request: ApiRequest): Window {
    const limit = readSize(request, this.pageSizeQueryParam, this.pageSize, this.maxPageSize)
    if (limit === undefined) throw badParameters({ [this.pageSizeQueryParam]: [SIZE] })
    const text = queryValue(request, this.pageQueryParam) ?? '1'
    const page = /^\d{1,16}$/.test(text) ? Number(text) : 0
    const offset = (page - 1) * limit
    if (page < 1 || offset > MAX_OFFSET) throw new NotFound('Invalid page.')
    return { limit, offset }
  }

  /** An empty set has one page, which is empty. */
  override checkWindow({ offset }: Window, count: number): void {
    if (offset > 0 && offset >= count) throw new NotFound('Invalid page.')
  }

  links(request: ApiRequest, { limit, offset }: Window, hasNext: boolean): Omit<PageLinks, 'count'> {
    const page = offset / limit + 1
    // As in DRF, the link to the first page does not number it.
    const previous = page === 2 ? undefined : String(page - 1)
    return {
      next: hasNext ? linkTo(request, { [this.pageQueryParam]: String(page + 1) }) : null,
      previous: page > 1 ? linkTo(request, { [this.pageQueryParam]: previous }) : null,
    }
  }
}

/** What a page size or limit must be. */
export const SIZE = 'Enter a whole number above 0.'

/** Reads a page size or limit, capped at `max`; `undefined` for what is not a positive whole number. */
export function readSize(request: ApiRequest, parameter: string, standard: number, max: number): number | undefined {
  const text = queryValue(request, parameter)
  if (text === undefined) return standard
  return /^\d{1,16}$/.test(text) && Number(text) > 0 ? Math.min(Number(text), max) : undefined
}

export function badParameters(errors: FieldErrors): ValidationError {
  return new ValidationError(errors, 'A query parameter is not valid.')
}

/** Reads the `paginated` switch (SPEC, "List query parameters"); `undefined` when it is absent. */
export function readPaginated(request: ApiRequest): boolean | undefined {
  const text = queryValue(request, 'paginated')
  if (text === undefined) return undefined
  const value = readBoolean(text)
  if (value === undefined) throw badParameters({ paginated: ['Enter "true" or "false".'] })
  return value
}
