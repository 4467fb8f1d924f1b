import { type Column, sql } from 'drizzle-orm'
import {
  type ApiRequest,
  type FilterBackend,
  linkTo,
  type PageList,
  Pagination,
  queryValue,
  ValidationError,
} from 'viewset'

/** A filter of an application: `?odd=true`. */
export function oddOnly(column: Column): FilterBackend {
  return {
    queryParameters: { odd: { type: 'boolean', description: 'Only records with an odd number.' } },
    filterQueryset: (request, queryset) => {
      const odd = queryValue(request, 'odd')
      if (!['true', 'false', '', undefined].includes(odd)) throw new ValidationError({ odd: ['Enter true or false.'] })
      return odd === 'true' ? queryset.filter(sql`${column} % 2 = 1`) : queryset
    },
  }
}

/** Pages of an application: `?half=first`. */
export class Halves extends Pagination {
  readonly queryParameters = { half: { type: 'string', enum: ['first', 'second'] } }

  override pageShape() {
    return { count: 'number', hasIndex: false } as const
  }

  override check(request: ApiRequest) {
    if (['first', 'second', undefined].includes(queryValue(request, 'half'))) return
    throw new ValidationError({ half: ['Enter first or second.'] })
  }

  async paginate(list: PageList, request: ApiRequest) {
    const count = await list.count()
    const first = Math.ceil(count / 2)
    const isSecond = queryValue(request, 'half') === 'second'
    return {
      rows: isSecond ? await list.window(count, first) : await list.window(first, 0),
      count,
      next: isSecond ? null : linkTo(request, { half: 'second' }),
      previous: isSecond ? linkTo(request, { half: 'first' }) : null,
    }
  }
}
