import { eq, sql } from 'drizzle-orm'
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
  ManyDataToDataField,
  ManyIdToDataField,
  ReadOnlyViewSet,
  RestoreModelMixin,
  scoped,
  type User,
} from 'viewset'
import * as z from 'zod'
import { examples, imports } from './imports.ts'
import type { Models } from './models.ts'
import { IsAdminOrReadOnly } from './users.ts'

const listOf = <T>(item: z.ZodType<T, T>) => z.array(item, 'Send a list of items.')
const code = (pattern: RegExp, message: string) => z.string(message).regex(pattern, message)
const PREFIX = 'A phone prefix is a whole number from 1 to 9999999.'

/** Also finds the deleted records, which `queryset` hides. */
const restoreQueryset = () => allRecords

/** The resources of the atlas, for `app.register(resources, ...)`. */
export function resources(models: Models) {
  const { continents, countries, regions, cities, visits, events } = models
  const { labels, trips, stops, tripLabels, visitLabels } = models
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

  const CountrySerializer = BaseModelSerializer(countries, {
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
  })

  const CountryViewSet = BulkImportableViewSet.add(RestoreModelMixin)({
    model: countries,
    serializer: CountrySerializer,
    permissionClasses: [IsAdminOrReadOnly],
    describes: { description: 'Countries and territories, with the number of their cities.' },
    queryset: () => eq(countries.isActive, true),
    restoreQueryset,
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

  const RegionSerializer = BaseModelSerializer(regions, {
    fields: ['id', 'code', 'name', 'country', 'createdAt', 'updatedAt'],
    extra: { country },
  })

  const RegionViewSet = ImportableViewSet.add(
    HistoryModelMixin,
    RestoreModelMixin,
  )({
    ...versions,
    model: regions,
    serializer: RegionSerializer,
    permissionClasses: [IsAdminOrReadOnly],
    describes: { description: 'The first division below a country: states, provinces, counties.' },
    softDelete: true,
    ordering: 'code',
    filterFields: { code: ['exact', 'in', 'startswith'], country: ['exact', 'in'], country__code: ['exact', 'in'] },
    searchFields: ['name'],
    exportFieldConfig: { code: 'Code', name: 'Name', country__code: 'Country code', country__name: 'Country' },
    importFileConfig: { ...file, order: ['regions'], models: { regions: rows.regions } },
    importExamples: { regions: examples.regions },
  })

  const CitySerializer = BaseModelSerializer(cities, {
    fields: ['id', 'name', 'latitude', 'longitude', 'country', 'region', 'createdAt', 'updatedAt'],
    extra: { country, region: IdToDataField({ queryset: regions, serializer: RegionReference }) },
  })

  // `?fields=name,country.code&expand=country` chooses what a list of cities shows.
  const cityLists = {
    model: cities,
    serializer: CitySerializer,
    permissionClasses: [IsAdminOrReadOnly],
    queryset: () => eq(cities.isActive, true),
    sparseFields: true,
    expandableFields: { country: CountrySerializer, region: RegionSerializer },
    ordering: 'name',
  } as const

  const CityViewSet = BulkImportableViewSet.add(
    HistoryModelMixin,
    RestoreModelMixin,
  )({
    ...versions,
    ...cityLists,
    // A bulk create whose answer was lost can be sent again.
    idempotency: ['bulkCreate'],
    // All users read cities, so they may also read the history of a deleted one.
    historyOfDeleted: true,
    describes: { description: 'Cities of the world, from GeoNames.' },
    restoreQueryset,
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

  // The cities of a country, by its code: `/countries/NO/cities/`.
  const CityOfCountryViewSet = BaseViewSet({
    ...versions,
    ...cityLists,
    describes: { description: 'The cities of one country, which the path names by its code.' },
    parent: { field: 'country', lookupField: 'code', queryset: scoped(countries, () => eq(countries.isActive, true)) },
    filterFields: { name: ['exact', 'icontains', 'istartswith'], region__code: ['exact', 'in'] },
    searchFields: ['name'],
    exportFieldConfig: { name: 'Name', latitude: 'Latitude', longitude: 'Longitude', region__name: 'Region' },
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

  // Without a user, no record is visible. The permission has rejected that request before.
  const byAuthorOf =
    ({ createdBy }: Models['visits'] | Models['trips']) =>
    ({ user }: { readonly user: User | null }) =>
      user ? eq(createdBy, String(user.id)) : sql`false`

  const CityReference = BaseModelSerializer(cities, { fields: ['id', 'name', 'country'], extra: { country } })
  const city = IdToDataField({ queryset: cities, serializer: CityReference })

  const LabelViewSet = BaseViewSet.add(RestoreModelMixin)({
    model: labels,
    serializer: BaseModelSerializer(labels, { fields: ['id', 'name', 'slug'] }),
    permissionClasses: [IsAdminOrReadOnly],
    describes: { description: 'Words for trips and visits. Without a slug, a label gets one from its name.' },
    softDelete: true,
    // A deleted label is restored by its id: another one may have its slug by now.
    lookupField: 'slug',
    ordering: 'name',
    filterFields: { slug: ['exact', 'in'], name: ['icontains'] },
    exportFieldConfig: { name: 'Name', slug: 'Slug' },
  })

  // A client writes the ids of active labels and reads the labels.
  const LabelReference = BaseModelSerializer(labels, { fields: ['id', 'name', 'slug'] })
  const activeLabels = scoped(labels, () => eq(labels.isActive, true))
  const labelled = { queryset: activeLabels, serializer: LabelReference, ordering: 'name' } as const

  const TripViewSet = BaseViewSet.add(
    HistoryModelMixin,
    RestoreModelMixin,
  )({
    ...versions,
    requireIfMatch: true,
    model: trips,
    serializer: BaseModelSerializer(trips, {
      fields: ['id', 'title', 'status', 'startsOn', 'endsOn', 'createdAt', 'updatedAt'],
      extra: {
        stops: ManyDataToDataField({
          queryset: stops,
          serializer: BaseModelSerializer(stops, {
            fields: ['id', 'city', 'position', 'nights', 'note'],
            extra: { city },
            refine: { position: z.number().min(1), nights: z.number().min(0).max(365) },
          }),
          ordering: 'position',
        }),
        labels: ManyIdToDataField({ ...labelled, through: tripLabels }),
      },
      validate: ({ startsOn, endsOn }, { record }) => {
        const [first, last] = [startsOn ?? record?.startsOn, endsOn ?? record?.endsOn]
        return first && last && last < first ? { endsOn: 'A trip ends after its start.' } : undefined
      },
    }),
    permissionClasses: [IsAuthenticated, IsAdminOrReadOnly],
    describes: { description: 'Trips with their stops; each user sees their own.' },
    queryset: byAuthorOf(trips),
    softDelete: true,
    ordering: '-startsOn',
    orderingNulls: 'last',
    filterFields: {
      status: ['exact', 'in'],
      startsOn: ['exact', 'gte', 'lte', 'year', 'isnull'],
      stops__city__country__code: ['exact', 'in'],
      labels__slug: ['exact', 'in'],
    },
    searchFields: ['title'],
    exportFieldConfig: { title: 'Title', status: 'Status', startsOn: 'From', endsOn: 'To' },
  })

  const VisitViewSet = BaseViewSet.add(RestoreModelMixin)({
    model: visits,
    serializer: BaseModelSerializer(visits, {
      fields: ['id', 'city', 'note', 'rating', 'visitedOn', 'createdAt', 'updatedAt'],
      extra: { city, labels: ManyIdToDataField({ ...labelled, through: visitLabels }) },
      refine: { rating: z.number().min(1).max(5) },
    }),
    // Everyone can read the geography. Only its author sees a visit; an admin does not.
    permissionClasses: [IsAuthenticated, IsAdminOrReadOnly],
    describes: { description: 'What users have seen of cities; each sees their own visits.' },
    // Also a deleted visit can be restored by its author only.
    queryset: byAuthorOf(visits),
    softDelete: true,
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
  })

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
    'countries/:country/cities': CityOfCountryViewSet,
    labels: LabelViewSet,
    trips: TripViewSet,
    visits: VisitViewSet,
    events: EventViewSet,
  }
}
