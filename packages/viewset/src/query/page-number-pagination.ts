import type { PageLinks } from '../core/envelope.ts'
import { NotFound } from '../core/errors.ts'
import { type ApiRequest, linkTo, queryValue } from '../core/request.ts'
import type { RowWindow } from '../store/select.ts'
import { badParameters, MAX_OFFSET, readSize, SIZE, sizeSchema } from './page-parameters.ts'
import type { QueryParameters } from './query-parameters.ts'
import { WindowPagination } from './window-pagination.ts'

/**
 * Pages by number (SPEC, "Limits"): `page` and `page_size`, 20 by default and at most 100.
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
    // As in DRF, an empty parameter is the first page: forms send it.
    const text = queryValue(request, this.pageQueryParam) || '1'
    const page = /^\d+$/.test(text) ? Number(text) : 0
    if (page < 1) throw new NotFound('Invalid page. Pages are numbered from 1.')
    return { limit, offset: Math.min((page - 1) * limit, MAX_OFFSET) }
  }

  /** An empty set has one page, which is empty. */
  override checkWindow({ limit, offset }: RowWindow, count: number, isTotal = true): void {
    if (offset === 0 || offset < count) return
    const last = Math.max(1, Math.ceil(count / limit))
    throw new NotFound(isTotal ? `Invalid page. The last page is ${last}.` : 'Invalid page.')
  }

  links(request: ApiRequest, { limit, offset }: RowWindow, hasNext: boolean): Omit<PageLinks, 'count'> {
    const page = offset / limit + 1
    // As in DRF, the link to the first page does not number it.
    const previous = page === 2 ? undefined : String(page - 1)
    return {
      next: hasNext ? linkTo(request, { [this.pageQueryParam]: String(page + 1) }) : null,
      previous: page > 1 ? linkTo(request, { [this.pageQueryParam]: previous }) : null,
    }
  }
}
