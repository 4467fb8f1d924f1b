import {
  AllowAny,
  BaseModelSerializer,
  boundedCount,
  type ColumnKit,
  ComputedOrderingFilter,
  CursorPagination,
  defineKind,
  exactCount,
  type JsonSchema,
  LimitOffsetPaginationWithFormat,
  noCount,
  type PaginationSource,
  ReadOnlyViewSet,
  SearchFilter,
  StandardPageNumberPagination,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { lookups } from '../../src/query/lookups.ts'
import { endpointsOf } from '../../src/viewset/endpoints/endpoints.ts'
import type { AnyResourceClass } from '../../src/viewset/mixin.ts'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError } from '../support/expect.ts'
import { accepts } from '../support/schemas.ts'

const money = defineKind('money', { column: c => c.decimal(8, 2), expected: 'an amount' })
const models = (c: ColumnKit) => ({
  visits: c.table('visits', {
    id: c.integer().primaryKey(),
    code: c.text(5).notNull(),
    kind: c.enumeration(['a', 'b']).notNull(),
    big: c.bigint(),
    price: c.decimal(6, 2),
    cost: c.kind(money),
    weight: c.float(),
    open: c.boolean(),
    ref: c.uuid(),
    day: c.date(),
    hour: c.time(),
    moment: c.timestamp(),
    ...c.SoftDeleteMixin(),
  }),
})

const compared = ['exact', 'lt', 'in', 'range', 'isnull'] as const

class Bounded extends StandardPageNumberPagination {
  override readonly countStrategy = boundedCount({ limit: 7 })
}
class Uncounted extends StandardPageNumberPagination {
  override readonly countStrategy = noCount
}
class CountedOtherwise extends StandardPageNumberPagination {
  override async count() {
    return null
  }
}
/** Pages that do not say what they are like. */
class Unsaid extends StandardPageNumberPagination {
  override pageShape() {
    return {}
  }
}
class Exact extends LimitOffsetPaginationWithFormat {
  override readonly countStrategy = exactCount
}

/** What the query string has for a value that a schema describes: an array with commas between its items. */
const written = (value: unknown) => encodeURIComponent([value].flat().join(','))

describeOneDialect('query parameters', dialect => {
  const tables = models(dialect.kit)
  const { visits } = tables
  const config = {
    model: visits,
    serializer: BaseModelSerializer(visits, { fields: ['id', 'code', 'day', 'price'] }),
    permissionClasses: [AllowAny],
  }
  const manyOrderings = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`order_${n}`, 'code' as const]))
  const resources = {
    visits: ReadOnlyViewSet({
      ...config,
      filterFields: {
        id: compared,
        code: [...compared, 'iexact', 'contains', 'icontains', 'startswith', 'istartswith', 'endswith', 'iendswith'],
        kind: compared,
        big: compared,
        price: [...compared, 'lte', 'gt', 'gte'],
        cost: compared,
        weight: compared,
        open: compared,
        ref: compared,
        day: [...compared, 'date', 'year', 'quarter', 'month', 'day', 'iso_week_day'],
        hour: compared,
        moment: [...compared, 'date', 'year', 'quarter', 'month', 'day', 'iso_week_day'],
        isActive: ['state'],
      },
      searchFields: ['code'],
      orderingFields: ['code', 'day'],
      computedOrderingFields: { worth: 'price' },
      ordering: ['-worth', 'isActive'],
    }),
    unordered: ReadOnlyViewSet({ ...config, orderingFields: [] }),
    many: ReadOnlyViewSet({ ...config, computedOrderingFields: manyOrderings }),
    positions: ReadOnlyViewSet({ ...config, paginationClass: LimitOffsetPaginationWithFormat }),
    cursors: ReadOnlyViewSet({ ...config, paginationClass: CursorPagination }),
  }
  const api = useApi(dialect, { tables, resources })
  const describeList = (resource: object) => {
    const endpoints = endpointsOf('list', resource as AnyResourceClass)
    return endpoints.find(({ action }) => action === 'list')?.describe?.() ?? expect.unreachable()
  }
  const parametersOf = (resource: object): Readonly<Record<string, JsonSchema>> => describeList(resource).query ?? {}
  const parameters = parametersOf(resources.visits)

  test('every lookup is tried here', () => {
    const tried = Object.keys(parameters).flatMap(name => (name === 'or' ? [] : [name.split('__')[1] ?? 'exact']))
    expect(new Set([...tried, 'state'])).toEqual(new Set([...Object.keys(lookups), 'ne', 'not_in']))
  })

  test.each(Object.keys(parameters))('%s says what it means and what it takes', name => {
    expect(parameters[name]?.description).toMatch(/^[A-Z].*\.$/)
    expect(() => accepts(parameters[name] ?? {}, null)).not.toThrow()
  })

  const DATES = ['2026-01-15', '2024-02-29', '0001-01-01', '9999-12-31']
  const MOMENTS = ['2026-01-15T10:30:00Z', '2026-01-15T10:30:00.123456+01:00', '2026-01-15t10:30:00z']
  const VALUES: Readonly<Record<string, readonly unknown[]>> = {
    id: [0, -1, 5.5, 2 ** 31 - 1, -(2 ** 31), 2 ** 31, 'x'],
    code: ['', 'a b', '%_', 'longer than the column'],
    kind: ['a', 'b', 'c', 'A'],
    big: [0, Number.MAX_SAFE_INTEGER, '999999999999999999', '-999999999999999999', 1.5, 'x'],
    price: ['1', '-12.50', '99999999999', '1.23456', '1e3', '.5', 'x'],
    cost: ['-1', '1e3'],
    weight: [1, -1.5, 1e300, 5e-324, 1.7976931348623157e308, 'x'],
    open: [true, false, 'maybe'],
    ref: ['01900000-0000-7000-8000-00000000000A', 'x'],
    day: [...DATES, '2026-02-30', '2026-1-1'],
    hour: ['10:30', '23:59:59.999999', '24:00', '10'],
    moment: [...MOMENTS, '2026-02-30T10:00:00Z', 'now'],
    is_active: ['active', 'deleted', 'all', 'some'],
    id__lt: [5, 'x'],
    id__in: [[1], [1, 2, 3], [1, 'x']],
    code__in: [['a'], ['a', 'b c']],
    kind__in: [
      ['a', 'b'],
      ['a', 'c'],
    ],
    big__in: [[1, '999999999999999999']],
    day__in: [DATES],
    id__range: [[1, 2], [1], [1, 2, 3], []],
    code__range: [
      ['a', 'b'],
      ['a,b', 'c'],
    ],
    weight__range: [[-1e300, 1e300]],
    moment__range: [MOMENTS.slice(0, 2)],
    price__isnull: [true, false, 'perhaps'],
    code__iexact: ['A', ''],
    code__icontains: ['%', 'é'],
    day__year: [1000, 2026, 9999, 999, 10000],
    moment__year: [1000, 9999, 26],
    day__month: [1, 12, 0, 13],
    moment__day: [1, 31, 0, 32],
    search: ['', ' a ', 'a b c d e f g h ', 'a b c d e f g h i', '😀'.repeat(200), 'x'.repeat(201)],
    ordering: [[], ['code'], ['-worth', 'day', 'code', 'code'], ['id'], ['--code']],
    paginated: [true, false, 'so'],
    page: [1, 0, -1, 1.5],
    page_size: [1, 100, 1000, 0, -5, 'x'],
  }

  describe.each(Object.entries(VALUES))('%s', (name, values) => {
    test.each(values.map(value => ({ value })))(
      '$value is taken exactly where the schema accepts it',
      async ({ value }) => {
        const response = await api.get(`/visits/?${name}=${written(value)}`)
        // A page that there cannot be is not found.
        const taken = response.status === 200
        const isEmpty = written(value) === ''
        expect({ taken, of: value }).toEqual({ taken: accepts(parameters[name] ?? {}, value) || isEmpty, of: value })
      },
    )
  })

  test('an ordering names the fields that there are, and what stands in for it', () => {
    expect(parameters.ordering).toEqual({
      type: 'array',
      items: { type: 'string', enum: ['code', '-code', 'day', '-day', 'worth', '-worth'] },
      maxItems: 16,
      purpose: 'ordering',
      description:
        'Fields to order by, one after the other; "-" in front of one is for descending. Without it: -worth,is_active.',
    })
    const none = parametersOf(resources.unordered).ordering ?? {}
    expect([accepts(none, []), accepts(none, ['code'])]).toEqual([true, false])
    expect(none.description).toBe('Fields to order by, one after the other; "-" in front of one is for descending.')
  })

  test('an ordering has 16 fields at most', async () => {
    const names = Object.keys(manyOrderings)
    expect((await api.get(`/many/?ordering=${names.slice(1)}`)).status).toBe(200)
    const known = ['id', 'code', 'day', 'price', ...names].join(', ')
    expectError(
      await api.get(`/many/?ordering=${names}`),
      400,
      'You can order by at most 16 fields. Known fields: id, code, day, price, order_0, order_1, order_2, order_3, order_4, order_5, order_6, order_7, order_8, order_9, order_10, order_11, order_12, order_13, order_14, order_15, order_16.',
      {
        ordering: [`You can order by at most 16 fields. Known fields: ${known}.`],
      },
    )
  })

  test('the sizes of pages tell their default and their cap', () => {
    const size = 'Most records of a page. More than 100 are taken for 100.'
    const page = { purpose: 'page', type: 'integer', minimum: 1 }
    expect(parameters.page).toEqual({ ...page, default: 1, description: 'The number of the page.' })
    expect(parameters.page_size).toEqual({ ...page, default: 20, description: size })
    expect(parametersOf(resources.positions)).toMatchObject({
      limit: { type: 'integer', minimum: 1, default: 20, description: size },
      offset: { type: 'integer', minimum: 0, default: 0, maximum: Number.MAX_SAFE_INTEGER },
    })
    expect(Object.keys(parametersOf(resources.cursors)).slice(0, 3)).toEqual(['paginated', 'cursor', 'page_size'])
  })

  describe('the envelope of a page', () => {
    const linksOf = (paginationClass: PaginationSource) =>
      describeList(ReadOnlyViewSet({ ...config, paginationClass })).pages?.links as {
        readonly properties: Readonly<Record<string, JsonSchema>>
        readonly required: readonly string[]
      }

    test.each<[string, PaginationSource, object]>([
      ['counted', StandardPageNumberPagination, { type: 'integer' }],
      ['counted up to a limit', Bounded, { type: 'integer', description: expect.stringContaining('Exact up to 7;') }],
      ['counted exactly', Exact, { type: 'integer' }],
      ['not counted', Uncounted, { type: ['integer', 'null'] }],
      ['counted otherwise', CountedOtherwise, { type: ['integer', 'null'] }],
    ])('%s has a count', (_, paginationClass, count) => {
      const link = { type: ['string', 'null'], format: 'uri' }
      expect(linksOf(paginationClass)).toEqual({
        type: 'object',
        properties: { count: { minimum: 0, ...count }, next: link, previous: link },
        required: ['count', 'next', 'previous'],
      })
    })

    test('with cursors has none, and its items no position', async () => {
      expect(Object.keys(linksOf(CursorPagination).properties)).toEqual(['next', 'previous'])
      const { data, pages } = describeList(resources.cursors)
      expect([JSON.stringify(data), JSON.stringify(pages?.whole)].map(text => text.includes('"index"'))).toEqual([
        false,
        true,
      ])
    })

    test('may have items without a position, where the pages do not say', () => {
      const withPosition = (paginationClass: PaginationSource) =>
        accepts(describeList(ReadOnlyViewSet({ ...config, paginationClass })).data ?? {}, [
          { id: 1, code: 'a', day: null, price: null },
        ])
      expect([StandardPageNumberPagination, Unsaid, CursorPagination].map(withPosition)).toEqual([false, true, true])
    })

    test('is the only one where nobody gets the list whole', () => {
      const listOf = (more: object) => describeList(ReadOnlyViewSet({ ...config, ...more })).pages ?? {}
      expect(listOf({ allowUnpaginated: false })).not.toHaveProperty('whole')
      expect(listOf({ allowUnpaginated: AllowAny })).toHaveProperty('whole')
      expect(listOf({ paginationClass: null, allowUnpaginated: false })).toHaveProperty('whole')
    })

    test('is what a request gets that does not say, where the resource has pages', () => {
      const standard = (more: object) => parametersOf(ReadOnlyViewSet({ ...config, ...more })).paginated?.default
      expect([standard({}), standard({ paginationClass: null })]).toEqual([true, false])
    })
  })

  test('parameters of a subclass have its names and limits', () => {
    class Ordered extends ComputedOrderingFilter {
      override readonly orderingParam = 'sort'
    }
    class Searched extends SearchFilter {
      override readonly searchParam = 'q'
      override readonly maxLength = 5
    }
    const renamed = parametersOf(
      ReadOnlyViewSet({ ...config, filterBackends: [Searched, Ordered], searchFields: ['code'] }),
    )
    expect(renamed).toMatchObject({ q: { maxLength: 5 }, sort: { type: 'array' } })
    expect([renamed.search, renamed.ordering]).toEqual([undefined, undefined])
  })
})
