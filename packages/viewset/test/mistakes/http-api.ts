import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  CursorPagination,
  IdToDataField,
  IsAdminUser,
  IsAuthenticated,
  importForeignKey,
  importModel,
  LimitOffsetPaginationWithFormat,
  ManyIdToDataField,
  ReadOnlyViewSet,
} from 'viewset'
import { anyOf, apiKey, bearerJwt, hashApiKey } from 'viewset/auth'
import { kit } from 'viewset/sqlite'
import type { TestResponse } from 'viewset/testing'
import * as z from 'zod'
import type { RequestOptions } from '../support/api.ts'
import { form, type Part } from '../support/multipart.ts'
import { workbook } from '../support/workbook.ts'

/*
 * A small atlas: the API that the mistakes are made with. It has the countries NO, SE and FI, and the cities Oslo (1) and
 * Bergen (2).
 */

const countries = kit.table('countries', {
  id: kit.integer().primaryKey(),
  code: kit.text(2).notNull().unique(),
  name: kit.text(30).notNull(),
})
const labels = kit.table('labels', { id: kit.integer().primaryKey(), text: kit.text(20).notNull().unique() })
const cities = kit.table(
  'cities',
  {
    id: kit.integer().primaryKey(),
    name: kit.text(30).notNull(),
    country: kit.foreignKey(countries, { onDelete: 'restrict' }).notNull(),
    population: kit.integer(),
    area: kit.decimal(8, 2),
    kind: kit.enumeration(['city', 'town']).notNull().default('town'),
    founded: kit.date(),
    seenAt: kit.timestamp(),
    opens: kit.time(),
    isCapital: kit.boolean().notNull().default(false),
    plate: kit.text(5).unique(),
    reference: kit.uuid(),
    info: kit.json(),
  },
  t => [kit.unique(t.country, t.name)],
)
const cityLabels = kit.table('city_labels', {
  id: kit.integer().primaryKey(),
  city: kit.foreignKey(cities, { onDelete: 'cascade' }).notNull(),
  label: kit.foreignKey(labels, { onDelete: 'restrict' }).notNull(),
})
export const tables = { countries, labels, cities, cityLabels, ...kit.JobTables() }

const CountrySerializer = BaseModelSerializer(countries, { fields: ['id', 'code', 'name'] })
const LabelSerializer = BaseModelSerializer(labels, { fields: ['id', 'text'] })
const CitySerializer = BaseModelSerializer(cities, {
  // biome-ignore format: a list of names
  fields: [
    'id', 'name', 'country', 'population', 'area', 'kind', 'founded', 'seenAt', 'opens', 'isCapital', 'plate',
    'reference', 'info',
  ],
  refine: { population: z.int().min(0).max(50_000_000) },
  extra: {
    country: IdToDataField({ queryset: countries, serializer: CountrySerializer }),
    labels: ManyIdToDataField({ queryset: labels, through: cityLabels, serializer: LabelSerializer }),
  },
})
const common = { model: cities, serializer: CitySerializer, permissionClasses: [AllowAny] }
const importedCities = importModel({
  model: cities,
  fields: ['name', 'population', 'area', 'kind', 'founded', 'seenAt', 'opens', 'isCapital', 'plate'],
  uniqueFields: ['country', 'name'],
  foreignKeys: { country: importForeignKey({ model: countries, lookupField: 'code', sourceField: 'country' }) },
})
const importedCountries = importModel({ model: countries, fields: ['code', 'name'], uniqueFields: ['code'] })

export const resources = {
  cities: BulkImportableViewSet({
    ...common,
    filterFields: {
      ...({ name: ['exact', 'icontains'], country__code: ['exact', 'in'], kind: ['exact'] } as const),
      ...({ population: ['gte', 'lte', 'range'], founded: ['exact', 'year'], isCapital: ['exact'] } as const),
      ...({ seenAt: ['gte', 'isnull'], reference: ['exact'] } as const),
    },
    searchFields: ['name'],
    orderingFields: ['name', 'population'],
    exportFieldConfig: { name: 'Name', population: 'Inhabitants', country__code: 'Country' },
    importFileConfig: { fileFormat: ['csv', 'xlsx'], order: ['cities'], models: { cities: importedCities } },
  }),
  countries: BulkImportableViewSet({
    model: countries,
    serializer: CountrySerializer,
    permissionClasses: [AllowAny],
    importFileConfig: {
      fileFormat: ['xlsx'],
      order: ['countries', 'cities'],
      models: { countries: importedCountries, cities: importedCities },
    },
  }),
  staedte: BulkImportableViewSet({
    ...common,
    importFileConfig: { fileFormat: 'csv', order: ['cities'], models: { cities: importedCities }, locale: 'de-DE' },
  }),
  slices: ReadOnlyViewSet({ ...common, paginationClass: LimitOffsetPaginationWithFormat }),
  feed: ReadOnlyViewSet({ ...common, paginationClass: CursorPagination }),
  plain: ReadOnlyViewSet({ ...common, paginationClass: null }),
  members: ReadOnlyViewSet({ ...common, permissionClasses: [IsAuthenticated] }),
  admins: ReadOnlyViewSet({ ...common, permissionClasses: [IsAdminUser] }),
}

export const authenticate = anyOf(
  bearerJwt({ secret: 'a secret of the tests that is long enough' }),
  apiKey({ keys: { [hashApiKey('key-of-ann')]: { id: 'ann' } } }),
)

/** A request body, in one of its forms. */
type Sent = RequestOptions | Promise<RequestOptions>

/** A mistake: its name, the method and path, what is sent, and the answer that {@link said} shows. */
export type HttpMistake = readonly [name: string, request: `${string} /${string}`, sent: Sent, ...said: string[]]

export const nothing: Sent = {}

export const json = (body: unknown): Sent => ({ body })

/** A body as it is, such as broken JSON. */
export const raw = (payload: string, type = 'application/json'): Sent => ({
  payload: Buffer.from(payload),
  headers: { 'content-type': type },
})

export const header = (name: string, value: string): Sent => ({ headers: { [name]: value } })

export const ann: Sent = header('x-api-key', 'key-of-ann')

/** The form of an import; `fields` may replace `append_data`. */
export function file(filename: string, content: string | Uint8Array, fields: Record<string, string> = {}): Sent {
  const others = Object.entries({ append_data: 'true', ...fields }).map(([name, value]): Part => ({ name, value }))
  return form({ name: 'file', filename, content }, ...others)
}

export const csv = (...lines: readonly string[]): Sent => file('cities.csv', lines.join('\n'))

export const xlsx = async (sheets: Parameters<typeof workbook>[0], append = 'true'): Promise<RequestOptions> =>
  file('cities.xlsx', await workbook(sheets), { append_data: append })

export const fields = (...parts: readonly Part[]): Sent => form(...parts)

/** A file of the fixtures. */
export const fixture = (name: string): Uint8Array =>
  readFileSync(join(import.meta.dirname, '../fixtures/workbooks', name))

interface ImportErrors {
  readonly errors?: readonly { readonly row: number; readonly field: string; readonly message: string }[]
}

/** What an answer says: its status and message, then each error with its place. A message with all errors is enough. */
export function said(response: Pick<TestResponse, 'status' | 'envelope'>): readonly string[] {
  const { status } = response
  const { message, errors = {}, data } = response.envelope<ImportErrors | null>()
  const texts = [
    ...Object.entries(errors).flatMap(([field, all]) => all.map(text => ({ field, text }))),
    ...(data?.errors ?? []).map(({ row, field, message }) => ({ field: `row ${row}, ${field}`, text: message })),
  ]
  const lineOf = (field: string, text: string) => (field === 'non_field_errors' ? text : `${field}: ${text}`)
  const [first] = texts
  if (first && texts.every(({ field, text }) => field === first.field && message.includes(text))) {
    return [`${status} ${lineOf(first.field, message)}`]
  }
  return [`${status} ${message}`, ...texts.map(({ field, text }) => lineOf(field, text))]
}
