import { type CityRow, cityOf } from './cities.ts'
import { type FloorRequest, type FloorResponse, failure, timestamp } from './server.ts'

/** What a page is read with; a database's own part of a list. */
export interface PageReader<Row> {
  readonly count: () => number | Promise<number>
  readonly rows: (limit: number, offset: number) => readonly Row[] | Promise<readonly Row[]>
}
export type CityReader = PageReader<CityRow>

/** A list of cities in pages. */
export function listCities(request: FloorRequest, reader: CityReader): Promise<FloorResponse> {
  return listPage(request, reader, cityOf)
}

/** A list in pages, each row of which becomes an item. */
export async function listPage<Row>(
  request: FloorRequest,
  { count, rows }: PageReader<Row>,
  itemOf: (row: Row) => Item,
): Promise<FloorResponse> {
  const window = pageWindow(request)
  if (!window) return failure(404, 'Invalid page. The list ends before it.')
  const { limit, offset } = window
  const total = await count()
  if (offset > 0 && offset >= total) return failure(404, 'Invalid page. The list ends before it.')
  const items = (await rows(limit, offset)).map(itemOf)
  return pageResponse(request, window, { count: total, hasNext: offset + limit < total, items })
}

/** The same without a count: a row more than the page tells whether there is a next one. */
export async function listCitiesWithoutCount(
  request: FloorRequest,
  { rows }: Pick<CityReader, 'rows'>,
): Promise<FloorResponse> {
  const window = pageWindow(request)
  if (!window) return failure(404, 'Invalid page. The list ends before it.')
  const found = await rows(window.limit + 1, window.offset)
  const hasNext = found.length > window.limit
  const items = (hasNext ? found.slice(0, window.limit) : found).map(cityOf)
  return pageResponse(request, window, { count: null, hasNext, items })
}

/** What a list shows; it gets its position. */
interface Item {
  index?: number
}

interface PageWindow {
  readonly page: number
  readonly limit: number
  readonly offset: number
}

/** `page` and `page_size` of a request; `undefined` when they are no numbers above 0. */
function pageWindow({ query }: FloorRequest): PageWindow | undefined {
  const page = Number(query.get('page') ?? 1)
  const size = Number(query.get('page_size') ?? 20)
  if (!Number.isSafeInteger(page) || !Number.isSafeInteger(size) || page < 1 || size < 1) return undefined
  const limit = Math.min(size, 100)
  return { page, limit, offset: (page - 1) * limit }
}

function pageResponse(
  request: FloorRequest,
  { page, offset }: PageWindow,
  found: { readonly count: number | null; readonly hasNext: boolean; readonly items: readonly Item[] },
): FloorResponse {
  const body = {
    success: true,
    timestamp: timestamp(),
    message: '',
    count: found.count,
    next: found.hasNext ? link(request, page + 1) : null,
    previous: page > 1 ? link(request, page - 1) : null,
    data: found.items.map((item, position) => {
      item.index = offset + position + 1
      return item
    }),
  }
  return { status: 200, body: JSON.stringify(body) }
}

/** The same address with another page; the first one is not numbered. */
function link({ origin, path, query }: FloorRequest, page: number): string {
  const parameters = new URLSearchParams(query)
  if (page === 1) parameters.delete('page')
  else parameters.set('page', String(page))
  const search = parameters.toString()
  return search === '' ? origin + path : `${origin}${path}?${search}`
}
