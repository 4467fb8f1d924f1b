// What a client may send: as build-fields.ts decides it at run time.
import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import {
  BaseModelSerializer,
  type ColumnKit,
  CustomOutputField,
  DataToDataField,
  DataToIdField,
  ExpressionField,
  FlexibleField,
  IdOnlyField,
  IdToDataField,
  IdToStrField,
  ManyDataToDataField,
  ManyDataToIdField,
  ManyIdOnlyField,
  ManyIdToDataField,
  ManyStrOnlyField,
  type NestedList,
  ReadOnlyDataField,
  type SerializerBody,
  type SerializerData,
  type SerializerInput,
  StrOnlyField,
  StrToDataField,
} from 'viewset'
import * as z from 'zod'
import type { Equal, Expect } from './support.ts'

declare const kit: ColumnKit

const countries = kit.table('countries', {
  code: kit.text(2).primaryKey(),
  fullName: kit.text().notNull(),
  area: kit.bigint(),
})
const cities = kit.table('cities', {
  ...kit.BaseModelMixin(),
  name: kit.text().notNull(),
  population: kit.bigint(),
  openSince: kit.timestamp().notNull().default(sql`now()`),
  photo: kit.binary(),
  labels: kit.array(kit.text()).notNull(),
  about: kit.json().$type<{ readonly homePage?: string }>(),
  upper: kit.text().generatedAlwaysAs(sql`upper(name)`),
  kind: kit.enumeration(['town', 'city']).notNull(),
  country: kit.foreignKey(countries).notNull(),
  region: kit.foreignKey(countries),
})
// Without the other column of a soft delete, a column of this name is a field like any other.
const accounts = kit.table('accounts', { id: kit.integer().primaryKey(), isActive: kit.boolean().notNull() })
const Account = BaseModelSerializer(accounts, { fields: ['id', 'isActive'] })
type _account = Expect<Equal<SerializerBody<typeof Account>, { is_active: boolean }>>

const CountrySerializer = BaseModelSerializer(countries, { fields: ['code', 'fullName', 'area'] })

// Keys that fill themselves, audit and soft-delete fields, computed columns and what is read-only are no client's to write.
const columns = BaseModelSerializer(cities, {
  fields: [
    'id',
    'createdAt',
    'createdBy',
    'isActive',
    'deletedAt',
    'name',
    'population',
    'openSince',
    'photo',
    'labels',
    'about',
    'upper',
    'kind',
    'country',
    'region',
  ],
  readOnly: ['region'],
  writeOnly: ['photo'],
  extra: { shout: city => city.name, count: ExpressionField({ expression: sql`1`, type: 'integer' }) },
})
interface CityBody {
  name: string
  labels: readonly string[]
  kind: 'town' | 'city'
  country: string
  population?: number | string | null | undefined
  open_since?: string | undefined
  photo?: string | null | undefined
  about?: { readonly homePage?: string } | null | undefined
}
// A key that nothing fills is the client's to choose.
interface CountryBody {
  code: string
  full_name: string
  area?: number | string | null | undefined
}
type CountryKey = { readonly code: string }
type _columns = [
  Expect<Equal<SerializerBody<typeof columns>, CityBody>>,
  Expect<Equal<SerializerBody<typeof CountrySerializer>, CountryBody>>,
]

// Relations, by what they take.
const queryset = countries
const serializer = CountrySerializer

const relations = {
  idToData: BaseModelSerializer(cities, { fields: [], extra: { country: IdToDataField({ queryset, serializer }) } }),
  idToStr: BaseModelSerializer(cities, { fields: [], extra: { country: IdToStrField({ queryset, str: 'fullName' }) } }),
  idOnly: BaseModelSerializer(cities, { fields: [], extra: { country: IdOnlyField({ queryset }) } }),
  custom: BaseModelSerializer(cities, {
    fields: [],
    extra: { country: CustomOutputField({ queryset, output: country => country.fullName }) },
  }),
  dataToId: BaseModelSerializer(cities, { fields: [], extra: { country: DataToIdField({ queryset, serializer }) } }),
  dataToData: BaseModelSerializer(cities, {
    fields: [],
    extra: { country: DataToDataField({ queryset, serializer }) },
  }),
  strToData: BaseModelSerializer(cities, {
    fields: [],
    extra: { country: StrToDataField({ queryset, str: 'area', serializer }) },
  }),
  strOnly: BaseModelSerializer(cities, { fields: [], extra: { country: StrOnlyField({ queryset, str: 'fullName' }) } }),
  flexible: BaseModelSerializer(cities, { fields: [], extra: { country: FlexibleField({ queryset, serializer }) } }),
}
type Country<K extends keyof typeof relations> = SerializerBody<(typeof relations)[K]>
type _relations = [
  Expect<Equal<Country<'idToData'>, { country: string }>>,
  Expect<Equal<Country<'idToStr'>, { country: string }>>,
  Expect<Equal<Country<'idOnly'>, { country: string }>>,
  Expect<Equal<Country<'custom'>, { country: string }>>,
  Expect<Equal<Country<'dataToId'>, { country: CountryBody | CountryKey }>>,
  Expect<Equal<Country<'dataToData'>, { country: CountryBody | CountryKey }>>,
  Expect<Equal<Country<'strToData'>, { country: number | string }>>,
  Expect<Equal<Country<'strOnly'>, { country: string }>>,
  Expect<Equal<Country<'flexible'>, { country: string | CountryBody | CountryKey }>>,
]

// A relation may be kept in a column of another name, may be null where that may, and may be one that is only read.
const named = BaseModelSerializer(cities, {
  fields: ['id'],
  extra: {
    homeRegion: IdToDataField({ queryset, serializer, column: 'region' }),
    shownRegion: ReadOnlyDataField({ queryset, serializer, column: 'region' }),
    country: IdToDataField({ queryset, serializer, readOnly: true }),
    otherCountries: ManyIdToDataField({ queryset, serializer, column: 'code' }),
    shownCountries: ManyIdToDataField({ queryset, serializer, column: 'code', readOnly: true }),
  },
})
type _named = Expect<
  Equal<
    SerializerBody<typeof named>,
    { home_region?: string | null | undefined; other_countries?: readonly string[] | undefined }
  >
>

// Drizzle's own columns.
const things = pg.pgTable('things', {
  id: pg.integer().primaryKey().generatedAlwaysAsIdentity(),
  madeAt: pg.timestamp().notNull(),
  total: pg.numeric({ mode: 'number' }),
  updatedAt: pg.timestamp().notNull(),
})
const _things = BaseModelSerializer(things, { fields: ['id', 'madeAt', 'total', 'updatedAt'] })
type _plain = Expect<
  Equal<
    SerializerBody<typeof _things>,
    { made_at: string; updated_at: string; total?: number | string | null | undefined }
  >
>

// Children are written as records of their own, and an item with a key changes a stored one.
const orders = kit.table('orders', { ...kit.BaseModelMixin(), number: kit.text().notNull() })
const lines = kit.table('lines', {
  ...kit.BaseModelMixin(),
  order: kit.foreignKey(orders).notNull(),
  text: kit.text().notNull(),
  quantity: kit.integer().notNull().default(1),
})
const LineSerializer = BaseModelSerializer(lines, { fields: ['id', 'text', 'quantity'] })
const byUrn = z.templateLiteral(['urn:', z.string()]).transform(urn => urn.slice(4))
const lists = BaseModelSerializer(orders, {
  fields: ['number'],
  extra: {
    lines: ManyDataToDataField({ queryset: lines, serializer: LineSerializer }),
    ids: ManyDataToIdField({ queryset: lines, serializer: LineSerializer }),
    texts: ManyStrOnlyField({ queryset: lines, str: 'text' }),
    urns: ManyIdOnlyField({ queryset: lines, input: byUrn }),
  },
})
type ListBody = SerializerBody<typeof lists>
type _lists = Expect<Equal<ListBody['urns'], readonly `urn:${string}`[] | undefined>>
type _texts = Expect<Equal<ListBody['texts'], readonly string[] | undefined>>
const body: ListBody = { number: '1', lines: [{ text: 'a' }, { id: '1', quantity: 2 }] }
// @ts-expect-error A new child needs its required fields.
const incomplete: ListBody = { number: '1', lines: [{ quantity: 2 }] }
// @ts-expect-error A child has no such field.
const misspelt: ListBody = { number: '1', lines: [{ text: 'a', quantitty: 2 }] }
type _shownIds = Expect<Equal<SerializerData<typeof lists>['ids'], string[]>>
type _code = Expect<Equal<SerializerInput<typeof lists>['lines'], NestedList<typeof lines> | undefined>>
ManyDataToDataField({
  queryset: lines,
  serializer: LineSerializer,
  // @ts-expect-error There is no such mode.
  modes: { PUT: 'replace' },
})

export { body, incomplete, misspelt }
