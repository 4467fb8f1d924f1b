import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import {
  AllowAny,
  BaseModelSerializer,
  type ColumnKit,
  ExpressionField,
  IdOnlyField,
  insertMany,
  ManyIdToDataField,
  ManyStrOnlyField,
  ReadOnlyViewSet,
  scoped,
} from 'viewset'
import { createClient } from 'viewset/client'
import { beforeEach, describe, expect, test } from 'vitest'
import { readExpression } from '../../src/query/filter-expression.ts'
import { useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeDialects } from '../support/dialects.ts'

function cityTables(c: ColumnKit) {
  const countries = c.table('countries', { code: c.text(2).primaryKey(), name: c.text(20) })
  const cities = c.table('cities', {
    id: c.integer().primaryKey(),
    name: c.text(20).notNull(),
    size: c.integer(),
    country: c.foreignKey(countries),
    words: c.array(c.text(10)),
    facts: c.json(),
    founded: c.date(),
    seen: c.timestamp(),
    secret: c.text(10).notNull().default('x'),
  })
  const labels = c.table('labels', { id: c.integer().primaryKey(), slug: c.text(10).notNull(), hidden: c.boolean() })
  const cityLabels = c.table('city_labels', {
    id: c.integer().primaryKey(),
    city: c.foreignKey(cities).notNull(),
    label: c.foreignKey(labels).notNull(),
  })
  const visits = c.table('visits', {
    id: c.integer().primaryKey(),
    city: c.foreignKey(cities),
    rating: c.integer(),
    from: c.foreignKey(countries),
  })
  return { countries, cities, labels, cityLabels, visits }
}

interface City {
  readonly id: number
  readonly name: string
  readonly size: number | null
  readonly country: string | null
  readonly labels: readonly string[]
  readonly ratings: readonly (number | null)[]
}

const COUNTRIES: Readonly<Record<string, string | null>> = { NO: 'Norway', SE: 'Sweden', XX: null }
const LABELS = ['port', 'old', 'new']
const CITIES: readonly City[] = [
  { id: 1, name: 'Oslo', size: 5, country: 'NO', labels: ['port', 'old'], ratings: [1, 5] },
  { id: 2, name: 'Moss', size: null, country: 'NO', labels: [], ratings: [] },
  { id: 3, name: 'Lund, "S"', size: 1, country: 'SE', labels: ['old'], ratings: [null] },
  { id: 4, name: 'Nowhere', size: 5, country: null, labels: ['new'], ratings: [3, 3, null] },
  { id: 5, name: 'Else', size: 2, country: 'XX', labels: ['port'], ratings: [4] },
]

test.each([
  '( name = Oslo , and ( size = 1 , country__code = SE ) )',
  ' (name=Oslo ,and(size=1 ,country__code=SE )) ',
  '(name="Oslo" , and(size= "1" ,country__code="SE" ))',
])('blanks around conditions, names and values have no meaning: %s', spaced => {
  expect(readExpression(spaced)).toEqual(readExpression('(name=Oslo,and(size=1,country__code=SE))'))
})

test('blanks in double quotes belong to the value', () => {
  expect(readExpression('(name=" Oslo ")')).toEqual({
    kind: 'or',
    parts: [{ kind: 'filter', name: 'name', value: ' Oslo ' }],
  })
})

describeDialects('filters', dialect => {
  const tables = cityTables(dialect.kit)
  const { countries, cities, labels, cityLabels, visits } = tables
  const through = { through: cityLabels, readOnly: true } as const
  const Label = BaseModelSerializer(labels, { fields: ['id', 'slug'] })
  const CitySerializer = BaseModelSerializer(cities, {
    fields: ['id', 'name', 'size', 'country'],
    extra: {
      labels: ManyIdToDataField({ ...through, queryset: labels, serializer: Label, ordering: 'id' }),
      open: ManyStrOnlyField({
        ...through,
        queryset: scoped(labels, () => sql`${labels.hidden} is not true`),
        str: 'slug',
      }),
      visits: ManyIdToDataField({
        queryset: visits,
        serializer: BaseModelSerializer(visits, {
          fields: ['id', 'rating'],
          extra: { from: IdOnlyField({ queryset: countries }) },
        }),
        readOnly: true,
      }),
      visitCount: ExpressionField({
        expression: sql`(select count(*) from ${visits} where ${visits.city} = ${cities.id})`,
        type: 'integer',
        notNull: true,
      }),
      upper: ExpressionField({ expression: sql`upper(${cities.name})`, type: 'text' }),
    },
  })
  const CityViewSet = ReadOnlyViewSet({
    model: cities,
    serializer: CitySerializer,
    permissionClasses: [AllowAny],
    paginationClass: null,
    filterFields: {
      name: ['exact', 'in', 'endswith', 'iendswith', 'icontains'],
      size: ['exact', 'in', 'gte', 'lt', 'isnull'],
      country: ['exact', 'in', 'isnull'],
      country__name: ['exact', 'in', 'isnull'],
      labels: ['exact', 'in', 'isnull'],
      labels__slug: ['exact', 'in'],
      open__slug: ['exact'],
      visits__rating: ['exact', 'gte', 'isnull'],
      visits__from__name: ['exact'],
      visitCount: ['exact', 'gte', 'in'],
      upper: ['exact', 'icontains', 'in'],
      words: ['contains', 'overlap', 'isnull'],
      facts: ['has_key'],
      founded: ['quarter', 'iso_week_day', 'year', 'date'],
      seen: ['quarter', 'iso_week_day', 'date'],
    },
  })
  const api = useApi(dialect, {
    tables,
    resources: {
      cities: CityViewSet,
      others: ReadOnlyViewSet({
        model: cities,
        serializer: BaseModelSerializer(cities, { fields: ['id'] }),
        permissionClasses: [AllowAny],
        filterFields: { size: ['ne'], name: ['exact', 'ne', 'not_in'] },
      }),
    },
  })
  beforeEach(() =>
    api.database.transaction(async () => {
      await insertMany(
        countries,
        Object.entries(COUNTRIES).map(([code, name]) => ({ code, name })),
      )
      const more = [
        { words: ['a', 'b'], facts: { mayor: 'x' }, founded: '2026-11-26', seen: '2026-11-26T23:30:00Z' },
        { words: [], facts: ['mayor'], founded: '2026-03-01', seen: '2026-11-27T00:30:00Z' },
        { words: ['b,c'], facts: { 'a"b': 1 }, founded: '2025-12-31', seen: '2026-01-01T00:00:00Z' },
      ]
      await insertMany(
        cities,
        CITIES.map(({ id, name, size, country }) => ({ id, name, size, country, ...more[id - 1] })),
      )
      await insertMany(
        labels,
        LABELS.map((slug, at) => ({ id: at + 1, slug, hidden: slug === 'old' })),
      )
      const links = CITIES.flatMap(city =>
        city.labels.map(slug => ({ city: city.id, label: LABELS.indexOf(slug) + 1 })),
      )
      await insertMany(
        cityLabels,
        links.map((link, id) => ({ id: id + 1, ...link })),
      )
      const rated = CITIES.flatMap(city => city.ratings.map(rating => ({ city: city.id, rating, from: city.country })))
      // A visit of no city.
      await insertMany(
        visits,
        [...rated, { city: null, rating: 2, from: null }].map((visit, id) => ({ id: id + 1, ...visit })),
      )
    }),
  )
  const found = async (query: string) => {
    const response = await api.get(`/cities/?${query}`)
    expect(response.status, response.text).toBe(200)
    return response.data<{ id: number }[]>().map(({ id }) => id)
  }

  test.each([
    // The negations match rows without a value.
    ['size__ne=5', [2, 3, 5]],
    ['size__not_in=5,1', [2, 5]],
    ['country__ne=NO', [3, 4, 5]],
    ['country__name__ne=Norway', [3, 4, 5]],
    ['country__name__not_in=Norway,Sweden', [4, 5]],
    // Relations to many: "has one that".
    ['labels__slug=old', [1, 3]],
    ['labels__slug__ne=old', [2, 4, 5]],
    ['labels__slug__in=new,port', [1, 4, 5]],
    ['labels=1', [1, 5]],
    ['labels__not_in=1,2', [2, 4]],
    ['labels__isnull=true', [2]],
    ['labels__isnull=false', [1, 3, 4, 5]],
    ['visits__rating__gte=4', [1, 5]],
    ['visits__rating__isnull=true', [3, 4]],
    ['visits__from__name=Norway', [1]],
    // A scope hides records also from filters.
    ['open__slug=old', []],
    ['open__slug=port', [1, 5]],
    // Expressions.
    ['visit_count=0', [2]],
    ['visit_count__gte=2', [1, 4]],
    ['visit_count__not_in=1,3', [1, 2]],
    ['upper=OSLO', [1]],
    ['upper__icontains=os', [1, 2]],
    ['upper__in=OSLO,MOSS', [1, 2]],
    // Texts, lists, JSON and dates.
    ['name__endswith=o', [1]],
    ['name__iendswith=O', [1]],
    ['words__contains=a', [1]],
    ['words__contains=a,b', [1]],
    ['words__contains=a,c', []],
    ['words__overlap=c,b', [1]],
    ['words__isnull=true', [4, 5]],
    ['facts__has_key=mayor', [1]],
    ['facts__has_key=a%22b', [3]],
    ['founded__quarter=4', [1, 3]],
    ['founded__iso_week_day=4', [1]],
    ['founded__iso_week_day=7', [2]],
    ['founded__date=2026-11-26', [1]],
    ['seen__date=2026-11-26', [1]],
    ['seen__quarter=1', [3]],
    ['seen__iso_week_day=5', [2]],
    // Expressions of filters.
    ['or=(size=1,and(country=NO,size__isnull=true))', [2, 3]],
    ['or=(name="Lund, \\"S\\"")', [3]],
    ['or=(not(labels__slug=old))', [2, 4, 5]],
    ['or=(not(size__gte=2))&country__isnull=false', [2, 3]],
    ['or=(size__in="5,2",name=Moss)', [1, 2, 4, 5]],
    ['or=', [1, 2, 3, 4, 5]],
  ])('?%s', async (query, ids) => {
    expect(await found(query)).toEqual(ids)
  })

  test('a negated lookup may be declared, also without the lookup that it negates', async () => {
    const idsOf = async (query: string) =>
      (await api.get(`/others/?${query}`)).data<{ id: number }[]>().map(({ id }) => id)
    expect(await idsOf('size__ne=5')).toEqual([2, 3, 5])
    expect(await idsOf('name=Moss')).toEqual([2])
    expect(await idsOf('name__ne=Moss')).toEqual([1, 3, 4, 5])
    expect(await idsOf('name__not_in=Moss,Oslo')).toEqual([3, 4, 5])
    expect(await idsOf('or=(size__ne=5,name=Oslo)')).toEqual([1, 2, 3, 5])
    const refused = await api.get('/others/?size=5&name__in=Moss')
    expect(refused.status).toBe(400)
    expect(Object.keys(refused.envelope().errors ?? {})).toEqual(['size', 'name__in'])
  })

  describe('an expression that cannot be read is a 400 that says where', () => {
    test.each([
      ['(size=1', 'or', /character 8/],
      ['size=1', 'or', /character 1\b/],
      ['(size=1))', 'or', /character 9/],
      ['(size)', 'or', /character 6/],
      ['()', 'or', /character 2/],
      ['(not(size=1,size=2))', 'or', /character/],
      ['(name="x)', 'or', /character/],
      ['(or(or(or(size=1))))', 'or', /at most 3/],
      [`(${Array(60).fill('size=1').join()})`, 'or', /at most 50/],
      ['(secret=x)', 'or.secret', /Unknown parameter "secret"/],
      ['(sise=1)', 'or.sise', /Did you mean "size"/],
      ['(name__gte=1)', 'or.name__gte', /Unknown/],
      ['(size=x)', 'or.size', /whole number|number/],
      ['(page=1)', 'or.page', /Unknown/],
      ['(or=(size=1))', 'or', /character/],
    ])('%s', async (expression, at, text) => {
      const response = await api.get(`/cities/?or=${encodeURIComponent(expression)}`)
      expect(response.status).toBe(400)
      expect(response.envelope()).toMatchObject({ errors: { [at]: [expect.stringMatching(text)] } })
    })

    test('the tables of a request are bounded', async () => {
      const many = Array(20).fill('labels__slug=old').join()
      const response = await api.get(`/cities/?or=(${many})`)
      expect(response.status).toBe(400)
      expect(response.text).toMatch(/at most 30 tables/)
    })
  })

  type Expression =
    | { readonly kind: 'filter'; readonly name: string; readonly value: string }
    | { readonly kind: 'and' | 'or' | 'not'; readonly parts: readonly Expression[] }

  const sizes = fc.constantFrom('1', '2', '5')
  const filter = fc.oneof(
    fc.record({ name: fc.constantFrom('size', 'size__ne', 'size__gte', 'size__lt'), value: sizes }),
    fc.record({ name: fc.constantFrom('size__in', 'size__not_in'), value: fc.constantFrom('1,5', '2') }),
    fc.record({
      name: fc.constantFrom('size__isnull', 'country__isnull', 'country__name__isnull', 'labels__isnull'),
      value: fc.constantFrom('true', 'false'),
    }),
    fc.record({
      name: fc.constantFrom('country__name', 'country__name__ne'),
      value: fc.constantFrom('Norway', 'Sweden'),
    }),
    fc.record({ name: fc.constantFrom('name', 'name__ne'), value: fc.constantFrom('Lund, "S"', 'Oslo') }),
    fc.record({ name: fc.constantFrom('labels__slug', 'labels__slug__ne'), value: fc.constantFrom(...LABELS) }),
    fc.record({ name: fc.constantFrom('visits__rating', 'visits__rating__gte'), value: fc.constantFrom('3', '5') }),
    fc.record({ name: fc.constantFrom('visit_count', 'visit_count__gte'), value: fc.constantFrom('0', '2') }),
  )
  const leaf = filter.map((one): Expression => ({ kind: 'filter', ...one }))
  const level = (inner: fc.Arbitrary<Expression>): fc.Arbitrary<Expression> =>
    fc.oneof(
      { weight: 2, arbitrary: leaf },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constantFrom('and' as const, 'or' as const),
          parts: fc.array(inner, { minLength: 1, maxLength: 3 }),
        }),
      },
      { weight: 1, arbitrary: inner.map((part): Expression => ({ kind: 'not', parts: [part] })) },
    )

  function written(expression: Expression): string {
    if (expression.kind !== 'filter') return `${expression.kind}(${expression.parts.map(written).join()})`
    const { name, value } = expression
    const needsQuotes = /[(),"]/.test(value)
    return `${name}=${needsQuotes ? `"${value.replaceAll('"', '\\"')}"` : value}`
  }

  function holds(expression: Expression, city: City): boolean {
    if (expression.kind !== 'filter') {
      if (expression.kind === 'or') return expression.parts.some(part => holds(part, city))
      return expression.parts.every(part => holds(part, city)) === (expression.kind === 'and')
    }
    const { name, value } = expression
    const [, path = '', lookup = 'exact'] = /^(.*?)(?:__(ne|gte|lt|in|not_in|isnull))?$/.exec(name) ?? []
    const values: Readonly<Record<string, readonly (string | number | null)[]>> = {
      size: [city.size],
      name: [city.name],
      country: [city.country],
      country__name: [city.country === null ? null : (COUNTRIES[city.country] ?? null)],
      labels: city.labels,
      labels__slug: city.labels,
      visits__rating: city.ratings,
      visit_count: [city.ratings.length],
    }
    const own = values[path] ?? []
    const isPresent = own.some(one => one !== null)
    const has = (test: (one: string | number) => boolean) => own.some(one => one !== null && test(one))
    switch (lookup) {
      case 'isnull':
        return (value === 'true') !== isPresent
      case 'ne':
        return !has(one => String(one) === value)
      case 'in':
        return has(one => value.split(',').includes(String(one)))
      case 'not_in':
        return !has(one => value.split(',').includes(String(one)))
      case 'gte':
        return has(one => Number(one) >= Number(value))
      case 'lt':
        return has(one => Number(one) < Number(value))
      default:
        return has(one => String(one) === value)
    }
  }

  test('a client sends the items of a list', async () => {
    const port = await api.listen()
    const client = createClient<{ cities: typeof CityViewSet }>({ baseUrl: `http://127.0.0.1:${port}/api` })
    const ids = async (query: Parameters<typeof client.cities.list>[0]) =>
      (await client.cities.list(query)).items.map(({ id }) => id)
    expect(await ids({ words__contains: ['a', 'b'] })).toEqual([1])
    expect(await ids({ words__contains: ['a', 'c'] })).toEqual([])
    expect(await ids({ words__overlap: ['c', 'b'] })).toEqual([1])
  })

  test('random expressions find what an evaluator in memory finds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(level(level(leaf)), { minLength: 1, maxLength: 3 }), async parts => {
        const expected = CITIES.filter(city => parts.some(part => holds(part, city))).map(({ id }) => id)
        expect(await found(`or=${encodeURIComponent(`(${parts.map(written).join()})`)}`)).toEqual(expected)
      }),
      { numRuns: cases(1000) },
    )
  })
})
