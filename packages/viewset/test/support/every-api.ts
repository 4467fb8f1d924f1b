import { eq, sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseViewSet,
  BulkUpsertModelMixin,
  BulkViewSet,
  ComputedOrderingFilter,
  CursorPagination,
  FieldFilter,
  IsAuthenticatedOrReadOnly,
  importForeignKey,
  importModel,
  LimitOffsetPaginationWithFormat,
  ReadOnlyViewSet,
} from 'viewset'
import * as z from 'zod'
import type { ApiOptions } from './api.ts'
import type { TestDialect } from './dialects.ts'
import { Halves, oddOnly } from './every-extension.ts'
import { type EveryTable, everySerializer, everyTable } from './every-feature.ts'
import { FullViewSet } from './full-viewset.ts'
import { TouchModelMixin } from './touch-model-mixin.ts'

const comparisons = ['exact', 'in', 'lt', 'lte', 'gt', 'gte', 'range', 'isnull'] as const
const ofText = [...comparisons, 'iexact', 'contains', 'icontains', 'startswith', 'istartswith'] as const
const ofDates = [...comparisons, 'year', 'month', 'day'] as const

/** Resources with every action, every filter and every pagination. */
function resourcesOf(tables: EveryTable) {
  const { countries, people, cities, visits } = tables
  const { Country, Person, City, Visit } = everySerializer(tables)
  const permissionClasses = [IsAuthenticatedOrReadOnly]
  const country = importForeignKey({ model: countries, lookupField: 'code', sourceField: 'country' })
  const cityConfig = {
    model: cities,
    serializer: City,
    permissionClasses,
    upsertFields: ['country', 'name'],
    searchFields: ['name', 'country__name'],
    ordering: 'name',
    computedOrderingFields: { age: sql`${cities.founded}` },
    filterFields: {
      id: comparisons,
      name: ofText,
      country: ['exact', 'in'],
      country__name: ofText,
      population: comparisons,
      visitors: comparisons,
      area: comparisons,
      height: comparisons,
      budget: comparisons,
      isCapital: ['exact', 'isnull'],
      isActive: ['state'],
      size: comparisons,
      founded: ofDates,
      surveyedAt: ofDates,
      wakesAt: comparisons,
      register: comparisons,
      extra: ['isnull'],
    },
    exportFieldConfig: { name: 'Name', country__name: 'Country', founded: 'Founded' },
    importFileConfig: {
      fileFormat: ['csv', 'xlsx'],
      order: ['cities'],
      models: {
        cities: importModel({
          model: cities,
          fields: ['name', 'country', 'population'],
          uniqueFields: ['country', 'name'],
          foreignKeys: { country },
        }),
      },
    },
  } as const
  return {
    countries: BulkViewSet.add(
      BulkUpsertModelMixin,
      TouchModelMixin,
    )({
      model: countries,
      serializer: Country,
      permissionClasses,
      upsertFields: ['name'],
      paginationClass: LimitOffsetPaginationWithFormat,
      describes: {
        label: 'Countries',
        actions: { touch: { summary: 'Saves it again.', errors: { 418: 'A teapot.' } } },
      },
    }),
    cities: FullViewSet({
      ...cityConfig,
      actions: {
        rate: {
          method: 'POST',
          detail: true,
          status: 201,
          input: z.object({ stars: z.int().min(1).max(5), why: z.string().max(20).optional() }),
          output: z.object({ stars: z.int(), of: z.string() }).meta({ id: 'Rating', description: 'What was said.' }),
          handler: async (view, { stars }) => ({ stars, of: String((await view.getObject()).name) }),
        },
        sizes: {
          method: 'GET',
          detail: false,
          path: 'known-sizes',
          output: z.array(z.enum(['small', 'large'])),
          describes: { summary: 'The sizes that a city may have.', deprecated: true },
          handler: (): ('small' | 'large')[] => ['small', 'large'],
        },
      },
    }),
    'countries/:country/cities': FullViewSet({
      ...cityConfig,
      checkScope: 'always',
      returnDataOnCreate: false,
      returnDataOnUpdate: false,
      destroyStatus: 200,
      bulkBatchSize: 5,
      queryset: view => eq(cities.country, String(view.request.params.country)),
    }),
    people: BaseViewSet({
      model: people,
      serializer: Person,
      permissionClasses: [AllowAny],
      paginationClass: CursorPagination,
      allowUnpaginated: false,
    }),
    visits: BulkViewSet.add(BulkUpsertModelMixin)({
      model: visits,
      serializer: Visit,
      permissionClasses,
      upsertFields: ['id'],
      paginationClass: new Halves(),
      filterFields: { id: comparisons, guest: ['exact'], guest__name: ofText },
      filterBackends: [FieldFilter, ComputedOrderingFilter, oddOnly(visits.id)],
      describes: { deprecated: true },
    }),
    whole: ReadOnlyViewSet({ model: people, serializer: Person, permissionClasses: [AllowAny], paginationClass: null }),
  }
}

/** An API that uses all that there is. */
export function everyApi({ kit }: Pick<TestDialect, 'kit'>) {
  const tables = everyTable(kit)
  const openapi = {
    info: { title: 'Everything', license: { name: 'MIT', identifier: 'MIT' } },
    errors: { 429: 'Too many requests.' },
  }
  return { tables, resources: resourcesOf(tables), openapi } satisfies ApiOptions
}
