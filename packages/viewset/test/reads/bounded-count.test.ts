import { eq, sql } from 'drizzle-orm'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  AllowAny,
  boundedCount,
  currentDb,
  LimitOffsetPaginationWithFormat,
  type Model,
  QuerySet,
  ReadOnlyViewSet,
  StandardPageNumberPagination,
} from 'viewset'
import { afterEach, expect, test, vi } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectSuccess, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const LIMIT = 20

describeDialects('a count up to a limit', dialect => {
  const isPg = dialect.name === 'pg'
  const tables = models(dialect.kit)
  const { authors, shelves } = tables
  const common = {
    model: authors,
    serializer: serializers(tables).AuthorReference,
    permissionClasses: [AllowAny],
    ordering: 'name',
    filterFields: { name: ['exact', 'lt', 'lte'] },
  } as const
  class Few extends StandardPageNumberPagination {
    override readonly countStrategy = boundedCount({ limit: 3 })
  }
  const api = useApi(dialect, {
    tables,
    settings: { COMMON: { COUNT_LIMIT: LIMIT } },
    openapi: true,
    resources: {
      usual: ReadOnlyViewSet(common),
      limits: ReadOnlyViewSet({ ...common, paginationClass: LimitOffsetPaginationWithFormat }),
      few: ReadOnlyViewSet({ ...common, paginationClass: Few }),
    },
  })
  const id = (n: number) => uuid(n)
  const author = (n: number) => ({ id: id(n), name: `Author ${String(n).padStart(3, '0')}` })
  const run = (statement: string) => api.database.driver.run({ text: statement }, [])
  const seedAuthors = async (count: number) => {
    await seed(api.database, tables, { authors: Array.from({ length: count }, (_, i) => author(i + 1)) })
    await run('analyze')
  }
  const read = async (path: string) => JSON.parse((await api.get(path)).text)
  const countOf = async (path: string) => (await read(path)).count
  /** Beyond the time for which a large count is remembered, which every test is. */
  let now = 0
  const later = () => {
    now += 61_000
    vi.spyOn(performance, 'now').mockReturnValue(now)
  }
  afterEach(() => later())

  test('is exact up to it, and knows what was written a moment ago', async () => {
    await seedAuthors(LIMIT - 1)
    expect(await countOf('/usual/')).toBe(LIMIT - 1)
    await seed(api.database, tables, { authors: [author(LIMIT)] })
    expect(await countOf('/usual/')).toBe(LIMIT)
    expect(await countOf('/usual/?name__lte=Author+007')).toBe(7)
    expectError(await api.get('/usual/?page=2'), 404, 'Invalid page. The last page is 1.')
    await api.clear()
    expectSuccess(await api.get('/usual/'), 200, { count: 0, data: [] })
  })

  test('is an estimate above it, by which no page is refused and no link left out', async () => {
    await seedAuthors(50)
    expect(await countOf('/usual/')).toBe(50)
    // What the planner says of a condition is about right; SQLite knows of one row more than it counts.
    const filtered = await countOf('/usual/?name__lte=Author+040')
    expect(filtered).toBeGreaterThan(LIMIT)
    expect(filtered).toBeLessThan(isPg ? 60 : LIMIT + 2)
    const seen: number[] = []
    for (let url = '/api/usual/?page_size=7&name__lte=Author+040'; url; ) {
      const page = await read(url.replace(/^.*\/api/, ''))
      seen.push(...page.data.map(({ index }: { index: number }) => index))
      expect(page.count).toBeGreaterThanOrEqual(seen.length)
      if (!page.next) expect(page.count).toBe(40)
      url = page.next
    }
    expect(seen).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
    expectError(
      await api.get('/usual/?page_size=7&page=7&name__lte=Author+040'),
      404,
      'Invalid page. The list ends before it.',
    )
    expect((await api.get('/limits/?limit=7&offset=42&name__lte=Author+040')).status).toBe(200)
  })

  test('looks at no more rows than the limit and one, and for a minute at none', async () => {
    await seedAuthors(50)
    later()
    const first = await api.statementsOf(() => api.get('/usual/'))
    expect(first).toHaveLength(isPg ? 3 : 2)
    expect(first[0]).toMatch(isPg ? /limit 21\) as counted\b/ : /limit 1 offset 20/)
    expect(await api.statementsOf(() => api.get('/usual/'))).toHaveLength(1)
    later()
    expect(await api.statementsOf(() => api.get('/usual/'))).toHaveLength(isPg ? 3 : 2)
  })

  test('is put right by a page that knows better, when many rows went within that minute', async () => {
    await seedAuthors(50)
    expect(await countOf('/usual/')).toBe(50)
    await api.database.transaction(() => currentDb().delete(authors).where(sql`${authors.name} > 'Author 004'`))
    expectSuccess(await api.get('/usual/?page_size=3'), 200, {
      count: 50,
      next: 'http://localhost:80/api/usual/?page_size=3&page=2',
      data: [1, 2, 3].map(n => ({ ...author(n), index: n })),
    })
    expect(await countOf('/usual/?page_size=3&page=2')).toBe(4)
    expectError(await api.get('/usual/?page_size=3&page=3'), 404, 'Invalid page. The list ends before it.')
    expect((await api.get('/limits/?limit=3&offset=20')).envelope().count).toBeLessThanOrEqual(20)
    later()
    expect(await countOf('/usual/?page_size=3')).toBe(4)
  })

  test('has a limit of the class, where it says one', async () => {
    await seedAuthors(6)
    expect(await countOf('/few/?name__lte=Author+003')).toBe(3)
    expect(await countOf('/few/?page_size=2&name__lte=Author+005')).toBeGreaterThan(3)
    expect((await api.get('/openapi.json')).text).toContain('How many there are. Exact up to 3; about right above it.')
  })

  test('sees in a transaction what nobody else does', async () => {
    await seedAuthors(LIMIT + 5)
    const usual = new Few().countStrategy
    await api.database.transaction(async () => {
      await currentDb().delete(authors).where(sql`${authors.name} > 'Author 002'`)
      expect(await usual.count(QuerySet.of(api.database, authors))).toBe(2)
    })
  })

  test('is asked for once by all who wait for it', async () => {
    await seedAuthors(50)
    later()
    const statements = await api.statementsOf(() =>
      Promise.all(Array.from({ length: 30 }, () => api.get('/usual/?name__lt=Author+016'))),
    )
    expect(statements.filter(text => text.includes('as counted')).length).toBeLessThan(10)
  })

  test('is about right where numbers of rows were left out', async () => {
    const labels = Array.from({ length: 60 }, (_, i) => ({ id: i * 1000 - 5000, label: 'x' }))
    await seed(api.database, tables, { shelves: labels })
    await run('analyze')
    expect(await QuerySet.of(api.database, shelves).countTo(LIMIT)).toBe(60)
    expect(await QuerySet.of(api.database, shelves).countTo(59)).toBe(60)
    expect(await QuerySet.of(api.database, shelves).countTo(60)).toBe(60)
    await api.database.transaction(() => currentDb().delete(shelves).where(eq(shelves.id, 0)))
    expect(await QuerySet.of(api.database, shelves).countTo(LIMIT)).toBeGreaterThan(LIMIT)
    expect(await QuerySet.of(api.database, shelves).countTo(1_000)).toBe(59)
  })

  if (!isPg) {
    test('counts what has no numbers of its own: views, and tables without rowid', async () => {
      await seedAuthors(50)
      await run(`create view "author's" as select id, name from authors`)
      await run('create table bare (id text primary key not null, name text) without rowid')
      await run('insert into bare select id, name from authors')
      await run('create table odd (id text primary key not null, name text, rowid text)')
      await run("insert into odd select id, name, 'z' || name from authors")
      // As the parts of the statement that counts are called.
      await run('create table ends as select id, name from authors')
      for (const name of ["author's", 'bare', 'odd', 'ends']) {
        const model: Model = sqliteTable(name, { id: text('id').primaryKey(), name: text('name') })
        const rows = QuerySet.of(api.database, model)
        expect(await rows.countTo(LIMIT)).toBeGreaterThan(LIMIT)
        expect(await rows.countTo(50)).toBe(50)
      }
      for (const drop of [`view "author's"`, 'table bare', 'table odd', 'table ends']) await run(`drop ${drop}`)
    })
  }
})
