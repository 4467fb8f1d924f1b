import type { BenchCase } from '../case.ts'
import { cityResource } from '../fixture/resource.ts'
import { type CityRow, cityOf } from '../floor/cities.ts'
import * as pg from '../floor/pg.ts'
import { type Handler, timestamp } from '../floor/server.ts'
import * as sqlite from '../floor/sqlite.ts'

/** Items written to the socket at once. */
const BATCH = 1_000

export const unpaginated: BenchCase = {
  name: 'unpaginated',
  title: 'all 100,000 cities with country and region',
  requests: { sqlite: 1, pg: 1 },
  connections: 1,
  request: () => ({ method: 'GET', path: '/?paginated=false' }),
  viewset: models => cityResource(models),
  floor: {
    sqlite: database => allWith(sqlite.allCities(database)),
    pg: pool => allWith(() => pg.allCities(pool)),
  },
}

function allWith(read: () => Iterable<CityRow> | AsyncIterable<CityRow>): Handler {
  return () => ({ status: 200, body: parts(read()) })
}

async function* parts(rows: Iterable<CityRow> | AsyncIterable<CityRow>): AsyncGenerator<string> {
  let text = `{"success":true,"timestamp":"${timestamp()}","message":"","data":[`
  let index = 0
  for await (const row of rows) {
    if (index > 0) text += ','
    const city = cityOf(row)
    city.index = ++index
    text += JSON.stringify(city)
    if (index % BATCH !== 0) continue
    yield text
    text = ''
  }
  yield `${text}]}`
}
