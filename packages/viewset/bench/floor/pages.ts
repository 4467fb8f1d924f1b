import { type City, type CityRow, cityOf } from './cities.ts'
import { type FloorRequest, type FloorResponse, failure, timestamp } from './server.ts'

/** What a page is read with; a database's own part of the list. */
export interface CityReader {
  readonly count: () => number | Promise<number>
  readonly rows: (limit: number, offset: number) => readonly CityRow[] | Promise<readonly CityRow[]>
}

/** A list of cities in pages. */
export async function listCities(request: FloorRequest, { count, rows }: CityReader): Promise<FloorResponse> {
  const window = pageWindow(request)
  if (!window) return failure(404, 'Invalid page.')
  const { limit, offset } = window
  const total = await count()
  if (offset > 0 && offset >= total) return failure(404, 'Invalid page.')
  const cities = await rows(limit, offset)
  return pageResponse(request, window, { count: total, hasNext: offset + limit < total, rows: cities })
}

/** The same without a count: a row more than the page tells whether there is a next one. */
export async function listCitiesWithoutCount(
  request: FloorRequest,
  { rows }: Pick<CityReader, 'rows'>,
): Promise<FloorResponse> {
  const window = pageWindow(request)
  if (!window) return failure(404, 'Invalid page.')
  const found = await rows(window.limit + 1, window.offset)
  const hasNext = found.length > window.limit
  return pageResponse(request, window, { count: null, hasNext, rows: hasNext ? found.slice(0, window.limit) : found })
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
  found: { readonly count: number | null; readonly hasNext: boolean; readonly rows: readonly CityRow[] },
): FloorResponse {
  const body = {
    success: true,
    timestamp: timestamp(),
    message: '',
    count: found.count,
    next: found.hasNext ? link(request, page + 1) : null,
    previous: page > 1 ? link(request, page - 1) : null,
    data: found.rows.map((row, position): City => {
      const city = cityOf(row)
      city.index = offset + position + 1
      return city
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
