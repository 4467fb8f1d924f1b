import { and, eq, type SQL } from 'drizzle-orm'
import {
  AllowAny,
  allRecords,
  BaseModelSerializer,
  type ColumnKit,
  CursorPagination,
  IdToDataField,
  LimitOffsetPaginationWithFormat,
  ReadOnlyViewSet,
  type User,
} from 'viewset'
import { beforeAll, expect, test } from 'vitest'
import { TestApi } from '../../../viewset/test/support/api.ts'
import { describeDialects, type TestDialect } from '../../../viewset/test/support/dialects.ts'
import { uuid } from '../../../viewset/test/support/expect.ts'
import { adviceFor } from '../../src/advice/index-advice.ts'

declare module 'viewset' {
  interface User {
    readonly shop?: string
  }
}

function models(c: ColumnKit) {
  const zones = c.table('zones', { id: c.uuid().primaryKey(), label: c.text(30).notNull() })
  const places = c.table('places', {
    id: c.uuid().primaryKey(),
    code: c.text(10).notNull().unique(),
    name: c.text(30).notNull(),
    zone: c.foreignKey(zones, { index: false }).notNull(),
  })
  const goods = c.table('goods', {
    id: c.uuid().primaryKey(),
    shop: c.text(36).notNull(),
    isActive: c.boolean().notNull(),
    name: c.text(60).notNull(),
    sku: c.text(20).notNull().unique(),
    note: c.text(60),
    rating: c.integer(),
    price: c.decimal(8, 2).notNull(),
    soldAt: c.timestamp().notNull(),
    status: c.enumeration(['new', 'used', 'broken']).notNull(),
    place: c.foreignKey(places, { index: false }).notNull(),
    origin: c.foreignKey(places, { index: false }),
  })
  return { zones, places, goods }
}

type Goods = ReturnType<typeof models>['goods']

/** What a queryset leaves of the rows. */
const SCOPES: Readonly<Record<string, (goods: Goods, user: User | null) => SQL | undefined>> = {
  all: () => undefined,
  active: goods => eq(goods.isActive, true),
  own: (goods, user) => eq(goods.shop, user?.shop ?? ''),
  'own active': (goods, user) => and(eq(goods.shop, user?.shop ?? ''), eq(goods.isActive, true)),
}
const ORDERINGS = ['name', '-soldAt', ['-rating', 'name'], 'sku', ['note', '-price'], 'place__name', undefined] as const
const FILTERS = {
  note: ['exact', 'in'],
  price: ['gte', 'range'],
  soldAt: ['year'],
  status: ['exact'],
  isActive: ['exact'],
  sku: ['exact'],
  place: ['exact', 'in'],
  origin__name: ['exact'],
  place__zone__label: ['exact'],
} as const
const OFFERED = ['name', 'price', 'status', 'place__name'] as const

/** A value that each filter takes. */
const VALUES: Readonly<Record<string, string>> = {
  note: 'note 3',
  note__in: 'note 3,note 4',
  price__gte: '990',
  price__range: '5,6',
  sold_at__year: '2026',
  status: 'new',
  is_active: 'true',
  sku: 'sku 5',
  place: uuid(3),
  place__in: uuid(3),
  origin__name: 'Place 4',
  place__zone__label: 'Zone 1',
}

/** One less than a prime number. */
const ROWS = 12_006

/** Rows of all tables, made by the database itself. */
function fill(dialect: TestDialect): readonly string[] {
  const isPg = dialect.name === 'pg'
  const id = (n: string, of: string) =>
    isPg
      ? `('${of}0000000-0000-4000-8000-' || lpad((${n})::text, 12, '0'))::uuid`
      : `'${of}0000000-0000-4000-8000-' || substr('000000000000' || (${n}), -12)`
  const numbers = (count: number) =>
    isPg
      ? `generate_series(1, ${count}) as n`
      : `(with recursive s(n) as (select 1 union all select n + 1 from s where n < ${count}) select n from s) as s`
  const truth = isPg ? 'n % 2 = 0' : 'n % 2'
  const time = isPg
    ? `timestamp '2020-01-01' + n * interval '1 day'`
    : `'2020-01-01T00:00:00.' || substr('000000' || n, -6) || 'Z'`
  return [
    `insert into zones (id, label) select ${id('n', 'a')}, 'Zone ' || n from ${numbers(300)}`,
    `insert into places (id, code, name, zone_id) select ${id('n', 'b')}, 'p' || n, 'Place ' || n, ${id('1 + n % 300', 'a')} from ${numbers(3_000)}`,
    `insert into goods (id, shop, is_active, name, sku, note, rating, price, sold_at, status, place_id, origin_id)
      select ${id(`n * 7919 % ${ROWS + 1}`, 'c')}, 'shop ' || n % 40, ${truth}, 'Good ' || n % 4000, 'sku ' || n, 'note ' || n % 1500, n % 50, n % 1000,
        ${time}, 'new', ${id('1 + n % 3000', 'b')}, ${id('1 + n % 2500', 'b')} from ${numbers(ROWS)}`,
    isPg ? 'vacuum analyze' : 'analyze',
  ]
}

/** What a resource is made of that asks for other indexes. */
type Case = {
  readonly title: string
  readonly path: string
  readonly scope: string
  readonly ordering: (typeof ORDERINGS)[number]
}

/** Every scope with every ordering. */
export const ALL_CASES: readonly Case[] = Object.keys(SCOPES).flatMap((scope, at) =>
  ORDERINGS.map((ordering, index) => ({ title: `${scope}, by ${ordering}`, path: `g${at}${index}`, scope, ordering })),
)
/** Each scope and each ordering at least once. */
export const SOME_CASES = ALL_CASES.filter(({ path }) => (Number(path[1]) + Number(path[2])) % 4 === 0)

/** Holds advice to what it is for: what is made by it is used by the requests that it names, and it is then silent. */
export function describeAdvice(cases: readonly Case[]): void {
  describeDialects('advice on indexes', dialect => {
    const isPg = dialect.name === 'pg'
    const tables = models(dialect.kit)
    const { places, goods } = tables
    const Place = BaseModelSerializer(places, { fields: ['id', 'code', 'name'] })
    const Good = BaseModelSerializer(goods, {
      fields: ['id', 'name', 'sku', 'note', 'place'],
      extra: { place: IdToDataField({ queryset: places, serializer: Place }) },
    })
    const byCursor = ReadOnlyViewSet({
      model: goods,
      serializer: Good,
      permissionClasses: [AllowAny],
      paginationClass: CursorPagination,
      queryset: () => eq(goods.isActive, true),
      ordering: '-soldAt',
      orderingFields: [],
    })
    const ofCases = Object.fromEntries(
      ALL_CASES.map(({ path, scope, ordering }) => [
        path,
        ReadOnlyViewSet({
          model: goods,
          serializer: Good,
          permissionClasses: [AllowAny],
          paginationClass: LimitOffsetPaginationWithFormat,
          queryset: ({ user }) => SCOPES[scope]?.(goods, user) ?? allRecords,
          ...(ordering && { ordering }),
          orderingFields: OFFERED,
          filterFields: FILTERS,
        }),
      ]),
    )
    const resources: Readonly<Record<string, typeof byCursor>> = { ...ofCases, byCursor }
    let api: TestApi
    beforeAll(async () => {
      api = await TestApi.start(dialect, {
        tables,
        resources,
        users: { ann: { id: 'ann', shop: 'shop 3' } },
        settings: { COMMON: { SECRET_KEY: 'a key that is the same in all processes' } },
      })
      for (const text of fill(dialect)) await run(text)
      return () => api.close()
    })
    const run = async (text: string) => (await api.database.driver.run({ text }, [])).rows
    const adviceOf = (names: readonly string[], rows = 0) => {
      const own = Object.fromEntries(names.map(name => [name, resources[name]]))
      return adviceFor({ resources: own }, api.database, rows)
    }
    const indexNames = async () => {
      const listed = isPg
        ? `select indexname from pg_indexes where schemaname = 'public'`
        : `select name from sqlite_schema where type = 'index' and sql is not null`
      return new Set((await run(listed)).map(([name]) => String(name)))
    }
    let plans = 0
    /** How a statement is planned, whatever its values. */
    const planOf = async (text: string) => {
      if (!isPg) {
        const values = Array.from({ length: text.split('?').length - 1 }, () => null)
        // A plan is kept with its statement, whatever becomes of the indexes.
        const { rows } = await api.database.driver.run({ text: `explain query plan /* ${++plans} */ ${text}` }, values)
        return rows.map(row => String(row[3])).join('\n')
      }
      const transaction = await api.database.driver.begin()
      await transaction.run({ text: 'set local enable_seqscan = off' }, [])
      const { rows } = await transaction.run({ text: `explain (generic_plan) ${text}` }, [])
      await transaction.rollback()
      return rows.map(([line]) => String(line)).join('\n')
    }
    /** The plans of all statements that read a list. */
    const plansOf = async (path: string) => {
      const texts = await api.statementsOf(async () => expect((await api.get(path, { as: 'ann' })).status).toBe(200))
      const read: string[] = []
      for (const text of new Set(texts.filter(statement => statement.includes('"goods"'))))
        read.push(await planOf(text))
      return read.join('\n')
    }
    const pathOf = (name: string, request: string) => {
      if (request === 'every list') return `/${name}/?limit=7&offset=1000`
      const [parameter = '', value = ''] = request.slice(1).split('=')
      return `/${name}/?limit=7&${parameter}=${encodeURIComponent(value || (VALUES[parameter] ?? ''))}`
    }

    test.each(cases)('is followed by what is then used: $title', async ({ path }) => {
      const before = await indexNames()
      const { tables: advised } = await adviceOf([path])
      const made: { readonly name: string; readonly requests: readonly string[] }[] = []
      for (const { indexes } of advised) {
        for (const { statements, reasons } of indexes) {
          const known = await indexNames()
          for (const text of statements) await run(text)
          const [name] = [...(await indexNames())].filter(each => !known.has(each))
          if (name === undefined) throw new Error(`Nothing was made by ${statements}`)
          made.push({ name, requests: reasons.map(({ request }) => request) })
        }
      }
      expect(made.length).toBeGreaterThan(5)
      await run('analyze')
      expect((await adviceOf([path])).tables).toEqual([])
      const unused: string[] = []
      for (const { name, requests } of made) {
        let read = ''
        for (const request of requests) read += await plansOf(pathOf(path, request))
        if (!read.includes(name)) unused.push(`${name} for ${requests}:\n${read}`)
      }
      for (const name of await indexNames()) if (!before.has(name)) await run(`drop index ${name}`)
      expect(unused).toEqual([])
    })

    test('makes pages far behind the start be read of the index alone', async () => {
      for (const [path, index] of [
        ['g00', 'goods_name_id_index'],
        ['g10', 'goods_is_active_name_id_index'],
        ['g30', 'goods_shop_is_active_name_id_index'],
      ] as const) {
        const before = await indexNames()
        const { tables: advised } = await adviceOf([path])
        for (const { statements } of advised.flatMap(({ indexes }) => indexes))
          for (const text of statements) await run(text)
        await run('vacuum analyze'.slice(0, isPg ? undefined : 6))
        expect(await plansOf(`/${path}/?limit=7&offset=1000`)).toContain(
          isPg ? `Index Only Scan using ${index}` : `USING COVERING INDEX ${index}`,
        )
        for (const name of await indexNames()) if (!before.has(name)) await run(`drop index ${name}`)
      }
    })

    test('makes each page by cursor begin in the middle of the index', async () => {
      const { tables: advised } = await adviceOf(['byCursor'])
      const [index, ...others] = advised.flatMap(({ indexes }) => indexes)
      expect([index?.line, others]).toEqual(['c.index(t.isActive, t.soldAt, t.id)', []])
      for (const text of index?.statements ?? []) await run(text)
      await run('analyze')
      const { next } = JSON.parse((await api.get('/byCursor/?page_size=7')).text)
      const plan = await plansOf(next.slice(next.indexOf('/byCursor')))
      expect(plan).toMatch(
        isPg
          ? /goods_is_active_sold_at_id_index.*Index Cond: \(\(is_active = .* AND \(sold_at <= /s
          : /goods_is_active_sold_at_id_index \(is_active=\? AND sold_at<\?\)/,
      )
      await run('drop index goods_is_active_sold_at_id_index')
    })

    test('is silent about columns that few values tell apart, and about small tables', async () => {
      const { tables: all } = await adviceOf(['g00'])
      const lines = all.flatMap(({ indexes }) => indexes.map(({ line }) => line))
      expect(lines).toEqual([
        'c.index(t.name, t.id)',
        'c.index(t.note, t.name, t.id)',
        'c.index(t.place, t.name, t.id)',
        'c.index(t.origin, t.name, t.id)',
        'c.index(t.price, t.id)',
        'c.index(t.soldAt)',
        'c.index(t.status, t.id)',
        'c.index(t.name)',
        'c.index(t.zone)',
        'c.index(t.label)',
      ])
      const { tables: large, small } = await adviceOf(['g00'], 1_000)
      expect(large.map(({ table, rows }) => [table.name, rows])).toEqual([
        ['goods', ROWS],
        ['places', 3_000],
      ])
      expect(small).toEqual(['zones'])
    })
  })
}
