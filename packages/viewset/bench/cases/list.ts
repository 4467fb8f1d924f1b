import type { BenchCase } from '../case.ts'
import { cityResource } from '../fixture/resource.ts'
import { listCities } from '../floor/pages.ts'
import * as pg from '../floor/pg.ts'
import * as sqlite from '../floor/sqlite.ts'

export const list: BenchCase = {
  name: 'list',
  title: 'list of 20 cities with country and region, with count',
  // Counting 100,000 rows costs PostgreSQL more than all the rest together.
  requests: { sqlite: 800, pg: 150 },
  target: { sqlite: 0.9, pg: 0.9 },
  request: n => ({ method: 'GET', path: `/?page_size=20&page=${1 + (n % 10)}` }),
  viewset: models => cityResource(models),
  floor: {
    sqlite: database => {
      const reader = sqlite.cityReader(database)
      return request => listCities(request, reader)
    },
    pg: pool => {
      const reader = pg.cityReader(pool)
      return request => listCities(request, reader)
    },
  },
}
