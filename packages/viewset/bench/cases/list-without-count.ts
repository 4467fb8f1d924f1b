import { StandardPageNumberPagination } from 'viewset'
import type { BenchCase } from '../case.ts'
import { cityResource } from '../fixture/resource.ts'
import { listCitiesWithoutCount } from '../floor/pages.ts'
import * as pg from '../floor/pg.ts'
import * as sqlite from '../floor/sqlite.ts'
import { list } from './list.ts'

class PagesWithoutCount extends StandardPageNumberPagination {
  override async count(): Promise<null> {
    return null
  }
}

export const listWithoutCount: BenchCase = {
  name: 'list-without-count',
  title: 'list of 20 cities with country and region, without count',
  requests: { sqlite: 1_000, pg: 600 },
  target: { sqlite: 0.9, pg: 0.9 },
  request: list.request,
  viewset: models => cityResource(models, { paginationClass: PagesWithoutCount }),
  floor: {
    sqlite: database => {
      const reader = sqlite.cityReader(database)
      return request => listCitiesWithoutCount(request, reader)
    },
    pg: pool => {
      const reader = pg.cityReader(pool)
      return request => listCitiesWithoutCount(request, reader)
    },
  },
}
