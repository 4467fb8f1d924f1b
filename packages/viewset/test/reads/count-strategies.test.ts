import { setTimeout as sleep } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import {
  AllowAny,
  type CountStrategy,
  currentDb,
  exactCount,
  LimitOffsetPaginationWithFormat,
  noCount,
  QuerySet,
  ReadOnlyViewSet,
  StandardPageNumberPagination,
} from 'viewset'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { modelInfo } from '../../src/model/model-info.ts'
import { useApi } from '../support/api.ts'
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

/** On PostgreSQL, a count comes with the version of the data. */
const COUNT = /select count\(\*\) from "authors"/

/** Always says seven. */
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
      expect(statements.filter(text => COUNT.test(text))).toHaveLength(1)
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
    const share = exactCount.count
    let asked = 0
    vi.spyOn(exactCount, 'count').mockImplementation(queryset => {
      const counted = share(queryset)
      if (++asked === 50) all.resolve()
      return counted
    })
    const statements = await api.statementsOf(() => Promise.all(Array.from({ length: 50 }, () => api.get('/authors/'))))
    // The one that was under way, and one for all requests that came meanwhile.
    expect(statements.filter(text => COUNT.test(text))).toHaveLength(2)
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
      exact: ReadOnlyViewSet({ ...common, paginationClass: pages(exactCount) }),
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
    expectError(await api.get('/uncounted/?page=3'), 404, 'Invalid page. The list ends before it.')
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
    expectError(await api.get('/seven/?page=6'), 404, 'Invalid page. The list ends before it.')
    await api.clear()
    expectSuccess(await api.get('/seven/'), 200, { count: 0, data: [] })
  })

  test('exact: requests that come while a count runs share the next one, which knows what was written since', async () => {
    const queryset = () => new QuerySet(api.database, modelInfo(authors))
    const gate = Promise.withResolvers<void>()
    let started = 0
    const count = QuerySet.prototype.count
    const spy = vi.spyOn(QuerySet.prototype, 'count').mockImplementation(async function (this: QuerySet) {
      const result = await count.call(this)
      if (++started === 1) await gate.promise
      return result
    })
    const first = exactCount.count(queryset())
    while (started === 0) await sleep(1)
    await seedAuthors(3)
    const others = [1, 2, 3].map(() => exactCount.count(queryset()))
    const filtered = exactCount.count(queryset().filter(eq(authors.name, 'Author 1')))
    expect(await filtered).toBe(1)
    gate.resolve()
    expect(await first).toBe(0)
    expect(await Promise.all(others)).toEqual([3, 3, 3])
    expect(started).toBe(3)
    expect(await exactCount.count(queryset())).toBe(3)
    spy.mockRestore()
  })

  test('exact: a failed count fails only the request that began it', async () => {
    const queryset = () => new QuerySet(api.database, modelInfo(authors))
    const spy = vi.spyOn(QuerySet.prototype, 'count').mockRejectedValueOnce(new Error('no'))
    const first = exactCount.count(queryset())
    const second = exactCount.count(queryset())
    await expect(first).rejects.toThrow('no')
    expect(await second).toBe(0)
    spy.mockRestore()
  })

  test('exact: a request in a transaction counts alone', async () => {
    await seedAuthors(1)
    await api.database.transaction(async () => {
      await currentDb()
        .insert(authors)
        .values({ id: uuid(2), name: 'Mine' })
      expect(await exactCount.count(new QuerySet(api.database, modelInfo(authors)))).toBe(2)
    })
  })

  test('exact: fifty requests at once are answered as one by one', async () => {
    await seedAuthors(3)
    const ask = () => Promise.all(Array.from({ length: 50 }, () => api.get('/exact/')))
    let responses: Awaited<ReturnType<typeof ask>> = []
    const statements = await api.statementsOf(async () => {
      responses = await ask()
    })
    for (const response of responses) expect(JSON.parse(response.text).count).toBe(3)
    expect(statements.filter(text => COUNT.test(text)).length).toBeLessThan(50)
  })
})
