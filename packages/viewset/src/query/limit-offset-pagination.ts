import type { PageLinks } from '../core/envelope.ts'
import { type ApiRequest, linkTo, queryValue } from '../core/request.ts'
import type { RowWindow } from '../store/select.ts'
import { badParameters, MAX_OFFSET, readSize, SIZE, sizeSchema } from './page-parameters.ts'
import type { QueryParameters } from './query-parameters.ts'
import { WindowPagination } from './window-pagination.ts'

/**
 * Pages by position (SPEC, "Limits"): `limit`, 20 by default and at most 100, and `offset`.
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
      ...(!isOffset && { [this.offsetQueryParam]: ['Enter a whole number that is not negative.'] }),
    })
  }

  links(request: ApiRequest, { limit, offset }: RowWindow, hasNext: boolean): Omit<PageLinks, 'count'> {
    const link = (start: number) =>
      linkTo(request, {
        [this.limitQueryParam]: String(limit),
        // As in DRF, the link to the start does not say where it is.
        [this.offsetQueryParam]: start > 0 ? String(start) : undefined,
      })
    return { next: hasNext ? link(offset + limit) : null, previous: offset > 0 ? link(offset - limit) : null }
  }
}
