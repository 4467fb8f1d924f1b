import { setTimeout as sleep } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import {
  AllowAny,
  type CountStrategy,
  cachedCount,
  currentDb,
  estimatedCount,
  LimitOffsetPaginationWithFormat,
  noCount,
  QuerySet,
  ReadOnlyViewSet,
  StandardPageNumberPagination,
  sharedCount,
} from 'viewset'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { modelInfo } from '../../src/model/model-info.ts'
import { type TestApi, useApi } from '../support/api.ts'
import { capturedLog } from '../support/captured-log.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectSuccess, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

function pages(countStrategy: CountStrategy) {
  return class extends StandardPageNumberPagination {
    override readonly pageSize = 2
    override readonly countStrategy = countStrategy
  }
}

class UncountedLimits extends LimitOffsetPaginationWithFormat {
  override readonly defaultLimit = 2
  override readonly countStrategy = noCount
}

/** Says seven, whatever there is. */
const seven: CountStrategy = { isExact: false, count: async () => 7 }

describeDialects('a list counts its results', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const common = {
    model: authors,
    serializer: serializers(tables).AuthorReference,
    permissionClasses: [AllowAny],
  } as const
  const log = capturedLog('warn')
  const api = useApi(dialect, {
    tables,
    server: log.server,
    openapi: true,
    resources: {
      authors: ReadOnlyViewSet(common),
      limits: ReadOnlyViewSet({ ...common, paginationClass: LimitOffsetPaginationWithFormat }),
      // Each resource logs one slow count, so these tests have their own.
      slow: ReadOnlyViewSet(common),
      quick: ReadOnlyViewSet(common),
    },
  })
  beforeEach(() => {
    log.lines.length = 0
  })
  afterEach(() => vi.restoreAllMocks())
  const seedAuthors = (count: number) =>
    seed(api.database, tables, {
      authors: Array.from({ length: count }, (_, i) => ({ id: uuid(i + 1), name: `Author ${i + 1}` })),
    })
  /** Counts take so many milliseconds. */
  const slowCounts = (milliseconds: number) => {
    let now = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const count = QuerySet.prototype.count
    vi.spyOn(QuerySet.prototype, 'count').mockImplementation(async function (this: QuerySet) {
      now += milliseconds
      return count.call(this)
    })
  }

  test('exactly, all of them, unless a setting says otherwise', async () => {
    await seedAuthors(3)
    const countTo = vi.spyOn(QuerySet.prototype, 'countTo')
    for (const path of ['/authors/', '/limits/']) {
      const statements = await api.statementsOf(async () => expect((await api.get(path)).envelope().count).toBe(3))
      expect(statements[0]).toMatch(/^select count\(\*\) from "?authors"?$/)
    }
    expect(countTo).not.toHaveBeenCalled()
    expect((await api.get('/openapi.json')).text).not.toContain('about right')
  })

  test('once for all requests that wait for the same count', async () => {
    await seedAuthors(3)
    const all = Promise.withResolvers<void>()
    const count = QuerySet.prototype.count
    vi.spyOn(QuerySet.prototype, 'count').mockImplementation(async function (this: QuerySet) {
      await all.promise
      return count.call(this)
    })
    const share = sharedCount.count
    let asked = 0
    vi.spyOn(sharedCount, 'count').mockImplementation(queryset => {
      const counted = share(queryset)
      if (++asked === 50) all.resolve()
      return counted
    })
    const statements = await api.statementsOf(() => Promise.all(Array.from({ length: 50 }, () => api.get('/authors/'))))
    // The one that was under way, and one for all who came while it was.
    expect(statements.filter(text => text.startsWith('select count'))).toHaveLength(2)
  })

  test('and if that is slow, the log names once the settings that help', async () => {
    await seedAuthors(2)
    slowCounts(201)
    for (let i = 0; i < 3; i++) expect((await api.get('/slow/?page_size=1')).status).toBe(200)
    expect(log.lines).toEqual([
      expect.objectContaining({
        level: 40,
        msg: expect.stringMatching(
          /^GET \/api\/slow\/: counting took 201 ms \(count: 2\)\..* COMMON: \{ COUNT_LIMIT: 10_000 \} .* countStrategy = boundedCount\(\{ limit: 10_000 \}\) or noCount/,
        ),
      }),
    ])
  })

  test('and if that is quick, or in production, the log says nothing', async () => {
    slowCounts(199)
    expect((await api.get('/quick/')).status).toBe(200)
    vi.restoreAllMocks()
    vi.stubEnv('NODE_ENV', 'production')
    slowCounts(5_000)
    expect((await api.get('/quick/')).status).toBe(200)
    vi.unstubAllEnvs()
    expect(log.lines).toEqual([])
  })
})

describeDialects('count strategies', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const common = {
    model: authors,
    serializer: serializers(tables).AuthorReference,
    permissionClasses: [AllowAny],
    ordering: 'name',
    filterFields: ['name'],
  } as const
  const api = useApi(dialect, {
    tables,
    resources: {
      shared: ReadOnlyViewSet({ ...common, paginationClass: pages(sharedCount) }),
      // Remembered for the whole file, so each test asks for names of its own.
      cached: ReadOnlyViewSet({ ...common, paginationClass: pages(cachedCount({ seconds: 30 })) }),
      estimated: ReadOnlyViewSet({ ...common, paginationClass: pages(estimatedCount()) }),
      'always-estimated': ReadOnlyViewSet({ ...common, paginationClass: pages(estimatedCount({ exactBelow: 0 })) }),
      uncounted: ReadOnlyViewSet({ ...common, paginationClass: pages(noCount) }),
      'uncounted-limits': ReadOnlyViewSet({ ...common, paginationClass: UncountedLimits }),
      seven: ReadOnlyViewSet({ ...common, paginationClass: pages(seven) }),
    },
  })
  const author = (n: number) => ({ id: uuid(n), name: `Author ${n}` })
  const seedAuthors = (count: number) =>
    seed(api.database, tables, { authors: Array.from({ length: count }, (_, i) => author(i + 1)) })
  const link = (resource: string, page: number) => `http://localhost:80/api/${resource}/?page=${page}`

  test('without a count, the links still tell whether there is more', async () => {
    await seedAuthors(3)
    const statements = await api.statementsOf(async () => {
      expectSuccess(await api.get('/uncounted/'), 200, {
        count: null,
        next: link('uncounted', 2),
        data: [
          { ...author(1), index: 1 },
          { ...author(2), index: 2 },
        ],
      })
    })
    expect(statements).toHaveLength(1)
    expectSuccess(await api.get('/uncounted/?page=2'), 200, {
      count: null,
      previous: 'http://localhost:80/api/uncounted/',
      data: [{ ...author(3), index: 3 }],
    })
    expectError(await api.get('/uncounted/?page=3'), 404, 'Invalid page.')
    expectSuccess(await api.get('/uncounted-limits/?offset=2'), 200, {
      count: null,
      previous: 'http://localhost:80/api/uncounted-limits/?limit=2',
      data: [{ ...author(3), index: 3 }],
    })
  })

  test('a count that is not exact neither refuses a page nor invents one, nor contradicts the page', async () => {
    await seedAuthors(9)
    expect(JSON.parse((await api.get('/seven/?page=3')).text).count).toBe(7)
    expect(JSON.parse((await api.get('/seven/?page=4')).text).count).toBe(9)
    expectSuccess(await api.get('/seven/?page=5'), 200, {
      count: 9,
      previous: link('seven', 4),
      data: [{ ...author(9), index: 9 }],
    })
    expectError(await api.get('/seven/?page=6'), 404, 'Invalid page.')
    await api.clear()
    expectSuccess(await api.get('/seven/'), 200, { count: 0, data: [] })
  })

  test('estimated: small numbers are counted', async () => {
    await seedAuthors(3)
    expectSuccess(await api.get('/estimated/?name=Author+3'), 200, { count: 1, data: [{ ...author(3), index: 1 }] })
  })

  test('estimated: the planner is asked where there is one', async () => {
    await seedAuthors(50)
    await api.database.driver.run({ text: 'analyze' }, [])
    const [first] = await api.statementsOf(async () => {
      const { count, data } = JSON.parse((await api.get('/always-estimated/')).text)
      expect([count, data.length]).toEqual([50, 2])
    })
    expect(first).toMatch(dialect.name === 'pg' ? /^explain/ : /^select count/)
    const { count } = JSON.parse((await api.get('/always-estimated/?name=Author+7')).text)
    expect(count).toBe(1)
  })

  test('cached: counted once in its time, for each filter', async () => {
    const counts = async (name: string) => {
      const statements = await api.statementsOf(() => api.get(`/cached/?name=${name}`))
      return statements.filter(text => text.startsWith('select count')).length
    }
    expect(await counts('Ann')).toBe(1)
    await seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ann' }] })
    expect(await counts('Ann')).toBe(0)
    expect(await counts('Bob')).toBe(1)
    const later = performance.now() + 30_000
    const clock = vi.spyOn(performance, 'now').mockReturnValue(later)
    expect(await counts('Ann')).toBe(1)
    clock.mockRestore()
  })

  test('cached: a failure is not remembered', async () => {
    const spy = vi.spyOn(QuerySet.prototype, 'count').mockRejectedValueOnce(new Error('no'))
    expect((await api.get('/cached/?name=Zoe')).status).toBe(500)
    spy.mockRestore()
    expect((await api.get('/cached/?name=Zoe')).status).toBe(200)
  })

  test('shared: who comes while a count runs shares the next one, which knows what was written since', async () => {
    const queryset = () => new QuerySet(api.database, modelInfo(authors))
    const gate = Promise.withResolvers<void>()
    let started = 0
    const count = QuerySet.prototype.count
    const spy = vi.spyOn(QuerySet.prototype, 'count').mockImplementation(async function (this: QuerySet) {
      const result = await count.call(this)
      if (++started === 1) await gate.promise
      return result
    })
    const first = sharedCount.count(queryset())
    while (started === 0) await sleep(1)
    await seedAuthors(3)
    const others = [1, 2, 3].map(() => sharedCount.count(queryset()))
    const filtered = sharedCount.count(queryset().filter(eq(authors.name, 'Author 1')))
    expect(await filtered).toBe(1)
    gate.resolve()
    expect(await first).toBe(0)
    expect(await Promise.all(others)).toEqual([3, 3, 3])
    expect(started).toBe(3)
    expect(await sharedCount.count(queryset())).toBe(3)
    spy.mockRestore()
  })

  test('shared: a failure is shared with nobody who came later', async () => {
    const queryset = () => new QuerySet(api.database, modelInfo(authors))
    const spy = vi.spyOn(QuerySet.prototype, 'count').mockRejectedValueOnce(new Error('no'))
    const first = sharedCount.count(queryset())
    const second = sharedCount.count(queryset())
    await expect(first).rejects.toThrow('no')
    expect(await second).toBe(0)
    spy.mockRestore()
  })

  test('shared: inside a transaction everybody counts for himself', async () => {
    await seedAuthors(1)
    await api.database.transaction(async () => {
      await currentDb()
        .insert(authors)
        .values({ id: uuid(2), name: 'Mine' })
      expect(await sharedCount.count(new QuerySet(api.database, modelInfo(authors)))).toBe(2)
    })
  })

  test('shared: fifty requests at once are answered as one by one', async () => {
    await seedAuthors(3)
    const ask = (shared: TestApi) => Promise.all(Array.from({ length: 50 }, () => shared.get('/shared/')))
    let responses: Awaited<ReturnType<typeof ask>> = []
    const statements = await api.statementsOf(async () => {
      responses = await ask(api)
    })
    for (const response of responses) expect(JSON.parse(response.text).count).toBe(3)
    expect(statements.filter(text => text.startsWith('select count')).length).toBeLessThan(50)
  })
})
