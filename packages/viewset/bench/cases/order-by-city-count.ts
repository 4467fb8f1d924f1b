import { sql } from 'drizzle-orm'
import { AllowAny, BaseModelSerializer, ExpressionField, ReadOnlyViewSet } from 'viewset'
import type { BenchCase } from '../case.ts'
import type { Models } from '../fixture/models.ts'
import { countryOf } from '../floor/countries.ts'
import { listPage } from '../floor/pages.ts'
import * as pg from '../floor/pg.ts'
import * as sqlite from '../floor/sqlite.ts'

export const orderByCityCount: BenchCase = {
  name: 'order-by-city-count',
  title: 'list of 20 countries by the number of their cities, which is shown as well',
  // Each request counts the cities of every country.
  requests: { sqlite: 60, pg: 300 },
  request: n => ({ method: 'GET', path: `/?page_size=20&page=${1 + (n % 10)}` }),
  viewset: countryResource,
  floor: {
    sqlite: database => {
      const reader = sqlite.countryReader(database)
      return request => listPage(request, reader, countryOf)
    },
    pg: pool => {
      const reader = pg.countryReader(pool)
      return request => listPage(request, reader, countryOf)
    },
  },
}

function countryResource({ cities, countries }: Models) {
  const cityCount = ExpressionField({
    expression: sql`(select count(*) from ${cities} where ${cities.country} = ${countries.id})`,
    type: 'integer',
    notNull: true,
  })
  return ReadOnlyViewSet({
    model: countries,
    serializer: BaseModelSerializer(countries, { fields: ['id', 'code', 'name'], extra: { cityCount } }),
    permissionClasses: [AllowAny],
    computedOrderingFields: { city_count: cityCount },
    ordering: '-city_count',
  })
}
