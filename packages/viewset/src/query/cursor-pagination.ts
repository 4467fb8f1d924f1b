import { randomBytes } from 'node:crypto'
import { type ApiRequest, linkTo, queryValue } from '../core/request.ts'
import type { ApiSettings } from '../core/settings.ts'
import { type Cursor, Cursors } from './cursor.ts'
import type { PageList } from './page-list.ts'
import { badParameters, readSize, SIZE, sizeSchema } from './page-parameters.ts'
import { type PageParts, type PageShape, Pagination } from './pagination.ts'
import type { QueryParameters } from './query-parameters.ts'

/**
 * Pages by cursor: `next` and `previous` go on behind the last row and before the first one, wherever these stand by
 * then. Rows that come or go meanwhile are neither shown twice nor lost, and the last page costs no more than the first
 * one. It counts nothing: lists have no `count` and items no `index`.
 *
 * Cursors are signed with the setting `SECRET_KEY`, and hold for the list and the ordering that they were made for.
 *
 * @example
 * const EventViewSet = ReadOnlyViewSet({ ...config, ordering: '-happenedAt', paginationClass: CursorPagination })
 */
export class CursorPagination extends Pagination {
  readonly pageSize: number = 20
  readonly maxPageSize: number = 100
  readonly pageSizeQueryParam: string = 'page_size'
  readonly cursorQueryParam: string = 'cursor'

  get queryParameters(): QueryParameters {
    return {
      [this.cursorQueryParam]: { type: 'string', description: 'Where the page begins: `next` and `previous` tell it.' },
      [this.pageSizeQueryParam]: sizeSchema(this.pageSize, this.maxPageSize),
    }
  }

  override pageShape(): PageShape {
    return { count: 'none', hasIndex: false }
  }

  override check(request: ApiRequest): void {
    this.#sizeIn(request)
    queryValue(request, this.cursorQueryParam)
  }

  async paginate(list: PageList, request: ApiRequest): Promise<PageParts> {
    const size = this.#sizeIn(request)
    const cursors = new Cursors(secretKey(list.settings), purposeOf(list, request))
    const given = queryValue(request, this.cursorQueryParam)
    const { from, backward } = given ? cursors.read(given) : START
    const { rows, hasMore, first, last } = await (backward ? list.before(from, size) : list.after(from, size))
    const link = (to: Cursor) => {
      const isStart = to.from === null && !to.backward
      return linkTo(request, { [this.cursorQueryParam]: isStart ? undefined : cursors.write(to) })
    }
    // A cursor stands where there was a row, so there is another side; an empty page is left for the end of that one.
    const hasNext = backward ? from !== null : hasMore
    const hasPrevious = backward ? hasMore : from !== null
    return {
      rows,
      next: hasNext ? link({ from: last, backward: false }) : null,
      previous: hasPrevious ? link({ from: first, backward: true }) : null,
    }
  }

  #sizeIn(request: ApiRequest): number {
    const size = readSize(request, this.pageSizeQueryParam, this.pageSize, this.maxPageSize)
    if (size === undefined) throw badParameters({ [this.pageSizeQueryParam]: [SIZE] })
    return size
  }
}

const START: Cursor = { from: null, backward: false }

/** What a cursor is for: this list in this order. In another one it would mean another place, or none. */
function purposeOf({ queryset }: PageList, { path }: ApiRequest): string {
  return JSON.stringify(['cursor', path.replace(/\/$/, ''), queryset.orderKey])
}

/** The key of this process, where the settings have none. */
let ownKey: string | undefined

/**
 * The key for what clients send back as they were given it: the setting `SECRET_KEY` or, with a warning, one that lasts
 * as long as the process.
 */
function secretKey({ COMMON: { SECRET_KEY } }: ApiSettings): string {
  if (SECRET_KEY !== null) return SECRET_KEY
  if (ownKey === undefined) {
    ownKey = randomBytes(32).toString('hex')
    process.emitWarning(
      'Cursors are signed with a key that this process has made up, so no other process takes them, nor this one after ' +
        'a restart. Set COMMON.SECRET_KEY (or COMMON_SECRET_KEY in the environment) to the same secret text of at ' +
        'least 32 characters in all processes.',
      { type: 'viewset', code: 'VIEWSET_SECRET_KEY' },
    )
  }
  return ownKey
}
