import { and, eq, sql } from 'drizzle-orm'
import {
  AllowAny,
  allRecords,
  BaseModelSerializer,
  BaseViewSet,
  BulkCreateModelMixin,
  BulkImportableViewSet,
  CursorPagination,
  compose,
  ExpressionField,
  FileExportMixin,
  FileImportMixin,
  HistoryModelMixin,
  IdToDataField,
  ImportableViewSet,
  IsAuthenticated,
  ListModelMixin,
  ReadOnlyViewSet,
  type User,
} from 'viewset'
import * as z from 'zod'
import { examples, imports } from './imports.ts'
import type { Models, Region, Visit } from './models.ts'
import { IsAdminOrReadOnly } from './users.ts'

/** A list in a JSON column. The column alone would accept any JSON. */
const listOf = <T>(item: z.ZodType<T, T>) => z.array(item, 'Send a list of items.').readonly()
const code = (pattern: RegExp, message: string) => z.string(message).regex(pattern, message)
const PREFIX = 'A phone prefix is a whole number from 1 to 9999999.'

/** Undoes a soft delete. Lists show active records only, but this action also finds deleted ones. */
const restore = {
  method: 'POST',
  detail: true,
  queryset: () => allRecords,
  describes: { description: 'Lists show it again. The record was deleted before.' },
  handler: async (view: { getObject(): Promise<{ restore(): Promise<unknown> }> }) =>
    (await view.getObject()).restore(),
} as const

/** The resources of the atlas, for `app.register(resources, ...)`. */
export function resources(models: Models) {
  const { continents, countries, regions, cities, visits, events } = models
  const rows = imports(models)
  // A file of 171,075 cities is written in parts, so that no other request waits long for a lock.
  const file = { fileFormat: ['xlsx', 'csv', 'xls'], chunkSize: 5_000 } as const

  const ContinentSerializer = BaseModelSerializer(continents, { fields: ['code', 'name'] })

  const ContinentViewSet = ReadOnlyViewSet({
    model: continents,
    serializer: ContinentSerializer,
    permissionClasses: [AllowAny],
    describes: { description: 'The seven continents.' },
    paginationClass: null,
    ordering: 'code',
  })

  // Shown and ordered by. The index on cities(country, isActive) makes it fast.
  const cityCount = ExpressionField({
    expression: sql`(select count(*) from ${cities} where ${cities.country} = ${countries.id} and ${cities.isActive})`,
    type: 'integer',
    notNull: true,
  })

  const CountryViewSet = BulkImportableViewSet({
    model: countries,
    serializer: BaseModelSerializer(countries, {
      fields: [
        'id',
        'code',
        'name',
        'nativeName',
        'capital',
        'continent',
        'phonePrefixes',
        'currencies',
        'languages',
        'createdAt',
        'updatedAt',
      ],
      extra: { continent: IdToDataField({ queryset: continents, serializer: ContinentSerializer }), cityCount },
      refine: {
        phonePrefixes: listOf(z.int(PREFIX).min(1, PREFIX).max(9_999_999, PREFIX)),
        currencies: listOf(code(/^[A-Z]{3}$/, 'A currency is its ISO 4217 code, such as EUR.')),
        languages: listOf(code(/^[a-z]{2}$/, 'A language is its ISO 639-1 code, such as en.')),
      },
    }),
    permissionClasses: [IsAdminOrReadOnly],
    describes: { description: 'Countries and territories, with the number of their cities.' },
    queryset: () => eq(countries.isActive, true),
    actions: { restore },
    ordering: 'name',
    orderingFields: ['name', 'nativeName', 'code', 'capital', 'continent__name', 'createdAt', 'updatedAt'],
    computedOrderingFields: { city_count: cityCount },
    filterFields: {
      code: ['exact', 'in'],
      name: ['exact', 'icontains', 'istartswith'],
      capital: ['exact', 'isnull'],
      continent: ['exact', 'in'],
      continent__name: ['exact'],
    },
    searchFields: ['name', 'nativeName', 'capital'],
    exportFieldConfig: {
      code: 'Code',
      name: 'Name',
      nativeName: 'Native name',
      capital: 'Capital',
      continent__code: 'Continent code',
      continent__name: 'Continent',
      phonePrefixes: 'Phone prefixes',
      currencies: 'Currencies',
      languages: 'Languages',
    },
    importFileConfig: { ...file, order: ['countries'], models: { countries: rows.countries } },
    importExamples: { countries: examples.countries },
  })

  // Inside another record, a country or a region is only its name.
  const CountryReference = BaseModelSerializer(countries, { fields: ['id', 'code', 'name'] })
  const RegionReference = BaseModelSerializer(regions, { fields: ['id', 'code', 'name'] })
  const country = IdToDataField({ queryset: countries, serializer: CountryReference })

  // A client that sends the version of a region or a city does not overwrite what another user has changed since.
  const versions = { version: 'version', appendEtags: true } as const

  class RegionViewSet extends ImportableViewSet.add(HistoryModelMixin)({
    ...versions,
    model: regions,
    serializer: BaseModelSerializer(regions, {
      fields: ['id', 'code', 'name', 'country', 'createdAt', 'updatedAt'],
      extra: { country },
    }),
    permissionClasses: [IsAdminOrReadOnly],
    describes: { description: 'The first division below a country: states, provinces, counties.' },
    queryset: () => eq(regions.isActive, true),
    actions: { restore },
    ordering: 'code',
    filterFields: { code: ['exact', 'in', 'startswith'], country: ['exact', 'in'], country__code: ['exact', 'in'] },
    searchFields: ['name'],
    exportFieldConfig: { code: 'Code', name: 'Name', country__code: 'Country code', country__name: 'Country' },
    importFileConfig: { ...file, order: ['regions'], models: { regions: rows.regions } },
    importExamples: { regions: examples.regions },
  }) {
    override async performDestroy(region: Region) {
      await region.softDelete()
    }
  }

  const CitySerializer = BaseModelSerializer(cities, {
    fields: ['id', 'name', 'latitude', 'longitude', 'country', 'region', 'createdAt', 'updatedAt'],
    extra: { country, region: IdToDataField({ queryset: regions, serializer: RegionReference }) },
  })

  const CityViewSet = BulkImportableViewSet.add(HistoryModelMixin)({
    ...versions,
    // A bulk create whose answer was lost can be sent again.
    idempotency: ['bulkCreate'],
    model: cities,
    serializer: CitySerializer,
    permissionClasses: [IsAdminOrReadOnly],
    describes: { description: 'Cities of the world, from GeoNames.' },
    queryset: () => eq(cities.isActive, true),
    actions: { restore },
    ordering: 'name',
    orderingFields: ['name', 'latitude', 'longitude', 'country__name', 'region__name', 'createdAt', 'updatedAt'],
    filterFields: {
      name: ['exact', 'icontains', 'istartswith'],
      country: ['exact', 'in'],
      country__code: ['exact', 'in'],
      country__continent: ['exact', 'in'],
      region: ['exact', 'in', 'isnull'],
      region__code: ['exact', 'in'],
      latitude: ['gte', 'lte', 'range'],
      longitude: ['gte', 'lte', 'range'],
    },
    searchFields: ['name', 'region__name', 'country__name'],
    exportFieldConfig: {
      name: 'Name',
      latitude: 'Latitude',
      longitude: 'Longitude',
      country__code: 'Country code',
      country__name: 'Country',
      region__code: 'Region code',
      region__name: 'Region',
    },
    importFileConfig: { ...file, order: ['cities'], models: { cities: rows.cities } },
    importExamples: { cities: examples.cities },
  })

  // One workbook has a sheet for each model. A city may be in a region of the same file.
  const GeographyViewSet = compose(FileImportMixin)({
    model: cities,
    serializer: CitySerializer,
    permissionClasses: [IsAdminOrReadOnly],
    verboseNamePlural: 'countries, regions and cities',
    describes: { description: 'One workbook with countries, regions and cities, a sheet for each.' },
    importFileConfig: {
      ...file,
      fileFormat: 'xlsx',
      order: ['countries', 'regions', 'cities'],
      models: { countries: rows.countries, regions: rows.regions, cities: rows.cities },
    },
    importExamples: examples,
  })

  // Without a user, no visit is visible. The permission has rejected that request before.
  const byAuthor = ({ user }: { readonly user: User | null }) =>
    user ? eq(visits.createdBy, String(user.id)) : sql`false`

  const CityReference = BaseModelSerializer(cities, { fields: ['id', 'name', 'country'], extra: { country } })
  const city = IdToDataField({ queryset: cities, serializer: CityReference })

  class VisitViewSet extends BaseViewSet({
    model: visits,
    serializer: BaseModelSerializer(visits, {
      fields: ['id', 'city', 'note', 'rating', 'visitedOn', 'createdAt', 'updatedAt'],
      extra: { city },
      refine: { rating: z.number().min(1).max(5) },
    }),
    // Everyone can read the geography. Only its author sees a visit; an admin does not.
    permissionClasses: [IsAuthenticated, IsAdminOrReadOnly],
    describes: { description: 'What users have seen of cities; each sees their own visits.' },
    queryset: view => and(byAuthor(view), eq(visits.isActive, true)) ?? sql`false`,
    ordering: '-visitedOn',
    idempotency: true,
    filterFields: {
      rating: ['exact', 'gte', 'lte'],
      visitedOn: ['exact', 'gte', 'lte', 'range', 'year'],
      city: ['exact'],
      city__country__code: ['exact', 'in'],
    },
    searchFields: ['note', 'city__name'],
    exportFieldConfig: {
      city__name: 'City',
      city__country__name: 'Country',
      visitedOn: 'Visited on',
      rating: 'Rating',
      note: 'Note',
    },
    actions: {
      // Also for a deleted visit, only its author can find it.
      restore: { ...restore, queryset: byAuthor },
    },
  }) {
    override async performDestroy(visit: Visit) {
      await visit.softDelete()
    }
  }

  // Only these actions: a client adds events in bulk, and no client changes one.
  const EventViewSet = compose(
    ListModelMixin,
    BulkCreateModelMixin,
    FileExportMixin,
  )({
    model: events,
    serializer: BaseModelSerializer(events, {
      fields: ['id', 'name', 'kind', 'happenedAt', 'city', 'createdAt'],
      extra: { city },
    }),
    permissionClasses: [IsAdminOrReadOnly],
    describes: { description: 'What has happened, newest first; nobody changes it.' },
    // Clients add events while others read the list. New rows would shift the rows of numbered pages.
    paginationClass: CursorPagination,
    ordering: '-happenedAt',
    filterFields: { kind: ['exact', 'in'], happenedAt: ['gte', 'lt'], city__country__code: ['exact', 'in'] },
    exportFieldConfig: {
      name: 'Event',
      kind: 'Kind',
      happenedAt: 'Happened at',
      city__name: 'City',
      city__country__name: 'Country',
    },
  })

  return {
    continents: ContinentViewSet,
    countries: CountryViewSet,
    regions: RegionViewSet,
    cities: CityViewSet,
    geography: GeographyViewSet,
    visits: VisitViewSet,
    events: EventViewSet,
  }
}
