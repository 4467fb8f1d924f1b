import type { BenchCase } from '../case.ts'
import { cityResource } from '../fixture/resource.ts'
import { CITIES, cityId } from '../fixture/rows.ts'
import { type CityRow, cityOf } from '../floor/cities.ts'
import * as pg from '../floor/pg.ts'
import { failure, type Handler, success } from '../floor/server.ts'
import * as sqlite from '../floor/sqlite.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const retrieve: BenchCase = {
  name: 'retrieve',
  title: 'retrieve of a city with country and region',
  requests: { sqlite: 2_000, pg: 1_500 },
  target: { sqlite: 0.9, pg: 0.9 },
  request: n => ({ method: 'GET', path: `/${cityId((n * 7_919) % CITIES)}/` }),
  viewset: models => cityResource(models),
  floor: {
    sqlite: database => retrieveWith(sqlite.cityFinder(database)),
    pg: pool => retrieveWith(pg.cityFinder(pool)),
  },
}

/** The floor sends no `ETag`: beside `retrieve`, the case says what a version costs. */
export const retrieveVersion: BenchCase = {
  ...retrieve,
  name: 'retrieve-version',
  title: 'retrieve of a city with an ETag',
  viewset: models => cityResource(models, { version: 'updatedAt' }),
}

function retrieveWith(find: (id: string) => CityRow | undefined | Promise<CityRow | undefined>): Handler {
  return async ({ id }) => {
    const row = UUID.test(id) ? await find(id) : undefined
    return row ? success(cityOf(row)) : failure(404, 'There is no such record, or you may not see it.')
  }
}
