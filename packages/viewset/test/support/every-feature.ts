import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import {
  BaseModelSerializer,
  type ColumnKit,
  CustomOutputField,
  DataToDataField,
  DataToIdField,
  defineKind,
  ExpressionField,
  FlexibleField,
  IdOnlyField,
  IdToDataField,
  IdToStrField,
  ManyIdToDataField,
  ReadOnlyDataField,
  ReadOnlyIdField,
  ReadOnlyStrField,
  StrOnlyField,
  StrToDataField,
  scoped,
} from 'viewset'
import * as z from 'zod'

/** An amount, as an application defines one. */
const money = defineKind('money', {
  column: c => c.decimal(12, 2),
  schema: amount => amount.refine(value => !value.startsWith('-'), 'An amount is not negative.'),
  jsonSchema: { pattern: '^[0-9]{1,10}(\\.[0-9]{1,2})?$' },
  expected: 'an amount, such as 12.50',
  note: 'An amount in euro.',
  examples: ['12.50'],
})

/** Tables with every kind of value, every key and every way to refer to each other. */
export function everyTable(c: ColumnKit) {
  const countries = c.table('countries', {
    code: c.text(2).primaryKey(),
    name: c.text(50).notNull().unique(),
  })
  const people = c.table('people', {
    id: c.integer().primaryKey(),
    name: c.text(20).notNull().unique(),
    team: c.text(10).notNull().default('red'),
  })
  const cities = c.table(
    'cities',
    {
      ...c.BaseModelMixin(),
      name: c.text(30).notNull(),
      country: c.foreignKey(countries).notNull(),
      population: c.integer(),
      visitors: c.bigint(),
      area: c.decimal(12, 3),
      height: c.float(),
      budget: c.kind(money).notNull().default('0.00'),
      isCapital: c.boolean().notNull().default(false),
      size: c.enumeration(['small', 'large']).notNull().default('small'),
      founded: c.date(),
      surveyedAt: c.timestamp(),
      wakesAt: c.time(),
      register: c.uuid().unique(),
      extra: c.json(),
      colours: c.array(c.text(10)),
      flag: c.binary(64),
    },
    t => [c.unique(t.country, t.name)],
  )
  const visits = c.table('visits', {
    id: c.bigint().primaryKey(),
    city: c.foreignKey(cities, { onDelete: 'cascade' }).notNull(),
    guest: c.foreignKey(people).notNull(),
    host: c.foreignKey(people),
    driver: c.foreignKey(people),
    cook: c.foreignKey(people),
    guide: c.foreignKey(people),
    guard: c.foreignKey(people),
    pilot: c.foreignKey(people),
    clerk: c.foreignKey(people),
    heir: c.foreignKey(people, { onDelete: 'set null' }),
  })
  const companions = c.table('companions', {
    id: c.uuid().primaryKey().$defaultFn(randomUUID),
    visit: c.foreignKey(visits, { onDelete: 'cascade' }).notNull(),
    person: c.foreignKey(people).notNull(),
  })
  return { countries, people, cities, visits, companions }
}

export type EveryTable = ReturnType<typeof everyTable>

/** Serializers with every sort of field. */
export function everySerializer({ countries, people, cities, visits, companions }: EveryTable) {
  const Country = BaseModelSerializer(countries, { fields: ['code', 'name'] })
  const Person = BaseModelSerializer(people, { fields: ['id', 'name', 'team'], writeOnly: ['team'] })
  const City = BaseModelSerializer(cities, {
    fields: [
      'id',
      'name',
      'country',
      'population',
      'visitors',
      'area',
      'height',
      'budget',
      'isCapital',
      'size',
      'founded',
      'surveyedAt',
      'wakesAt',
      'register',
      'extra',
      'colours',
      'flag',
      'createdAt',
      'createdBy',
    ],
    refine: { name: z.string().min(2).trim(), population: z.number().min(0) },
    extra: {
      countryName: ReadOnlyStrField({ queryset: countries, str: 'name', column: 'country' }),
      label: city => `${city.name} (${city.size})`,
      visitCount: ExpressionField({
        expression: sql`(select count(*) from ${visits} where ${visits.city} = ${cities.id})`,
        type: 'integer',
        notNull: true,
      }),
    },
    validate: ({ founded, surveyedAt }) =>
      founded && surveyedAt && surveyedAt < founded
        ? { founded: 'A city is founded before it is surveyed.' }
        : undefined,
  })
  const queryset = people
  const nested = { queryset, serializer: Person }
  const Visit = BaseModelSerializer(visits, {
    fields: ['id', 'city', 'guest', 'host', 'driver', 'cook', 'guide', 'guard', 'pilot', 'clerk', 'heir'],
    extra: {
      guest: FlexibleField(nested),
      host: IdToDataField({ ...nested, queryset: scoped(people, () => sql`${people.team} = 'red'`), scopeReads: true }),
      driver: IdToStrField({ queryset, str: 'name' }),
      cook: IdOnlyField({ queryset }),
      guide: DataToDataField(nested),
      guard: DataToIdField(nested),
      pilot: StrToDataField({ ...nested, str: 'name' }),
      clerk: StrOnlyField({ queryset, str: 'name' }),
      heir: CustomOutputField({ queryset, output: person => ({ called: person.name }) }),
      guestId: ReadOnlyIdField({ queryset, column: 'guest' }),
      guestData: ReadOnlyDataField({ ...nested, column: 'guest' }),
      companions: ManyIdToDataField({ queryset, serializer: Person, through: companions }),
    },
  })
  return { Country, Person, City, Visit }
}
