import { eq, sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  CursorPagination,
  type Database,
  IdToDataField,
  insertMany,
  ManyDataToDataField,
  noCount,
  ReadOnlyViewSet,
  StandardPageNumberPagination,
} from 'viewset'
import { createHandler } from 'viewset/fetch'
import { kit as c, sqlite } from 'viewset/sqlite'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { SqliteConnection } from '../../src/store/dialect/sqlite-connection.ts'
import { SqliteThreads } from '../../src/store/dialect/sqlite-threads.ts'

const CITIES = 6_000

const regions = c.table('regions', { id: c.integer().primaryKey(), name: c.text(50).notNull() })
const cities = c.table(
  'cities',
  {
    id: c.integer().primaryKey(),
    name: c.text(50).notNull(),
    isActive: c.boolean().notNull(),
    note: c.text(50),
    region: c.foreignKey(regions),
  },
  t => [c.index(t.name, t.id)],
)

class Pages extends StandardPageNumberPagination {
  override readonly countStrategy = noCount
}

const Region = BaseModelSerializer(regions, { fields: ['id', 'name'] })
const Plain = BaseModelSerializer(cities, { fields: ['id', 'name', 'isActive', 'note'] })
const toRegion = { region: IdToDataField({ queryset: regions, serializer: Region }) }
const common = {
  permissionClasses: [AllowAny],
  paginationClass: Pages,
}
const ofCities = {
  ...common,
  model: cities,
  serializer: BaseModelSerializer(cities, { fields: ['id', 'name', 'isActive', 'note', 'region'], extra: toRegion }),
  filterFields: ['note', 'region'],
  searchFields: ['name'],
} as const

const resources = {
  plain: ReadOnlyViewSet({ ...ofCities, serializer: Plain }),
  cities: ReadOnlyViewSet(ofCities),
  active: ReadOnlyViewSet({ ...ofCities, queryset: () => eq(cities.isActive, true) }),
  cursor: ReadOnlyViewSet({ ...ofCities, ordering: 'name', paginationClass: CursorPagination }),
  ranked: ReadOnlyViewSet({
    ...ofCities,
    computedOrderingFields: { rank: sql`(select count(*) from cities as c where c.name < ${cities.name})` },
  }),
  regions: ReadOnlyViewSet({
    ...common,
    model: regions,
    serializer: BaseModelSerializer(regions, {
      fields: ['id', 'name'],
      extra: { cities: ManyDataToDataField({ queryset: cities, serializer: Plain }) },
    }),
  }),
}

describe('sqlite: a page of a large table', () => {
  let stored: TestDatabase
  const opened: Database[] = []
  beforeAll(async () => {
    stored = await createTestDatabase({ schema: { regions, cities } })
    await stored.database.transaction(async () => {
      await insertMany(
        regions,
        Array.from({ length: 600 }, (_, n) => ({ id: n + 1, name: `Region ${n}` })),
      )
      await insertMany(
        cities,
        Array.from({ length: CITIES }, (_, n) => ({
          id: n + 1,
          name: `City ${(n * 7_919) % CITIES}`,
          isActive: n % 10 > 0,
          note: n >= CITIES - 3 ? 'rare' : null,
          region: (n % 600) + 1,
        })),
      )
    })
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await Promise.all(opened.splice(0).map(database => database.close()))
  })
  afterAll(() => stored.drop())

  /** A server of its own, and the texts of the statements that it runs in the process and in threads. */
  function open(options?: { readonly readerThreads: number }) {
    const database = sqlite(stored.url, options)
    opened.push(database)
    const handler = createHandler({ prefix: '/api', database, resources })
    const get = async (path: string) => {
      const response = await handler(new Request(`http://localhost/api/${path}`))
      const { timestamp, ...body } = JSON.parse(await response.text())
      return { status: response.status, body }
    }
    return { get, ...watch() }
  }

  function watch() {
    const inThreads: string[] = []
    const { run } = SqliteThreads.prototype
    vi.spyOn(SqliteThreads.prototype, 'run').mockImplementation(function (this: SqliteThreads, task) {
      inThreads.push(task.kind === 'run' ? task.text : task.kind)
      return run.call(this, task)
    })
    return { inThreads }
  }

  test.each([
    ['in the order of the primary key', 'plain/'],
    ['in the reverse order of the primary key', 'plain/?ordering=-id&page=9'],
    ['in the order of an index', 'plain/?ordering=name'],
    ['in the reverse order of an index', 'plain/?ordering=-name&page=9'],
    ['with a relation, in the order of the primary key', 'cities/?page=2'],
    ['with a relation, in the order of an index', 'cities/?ordering=name&page_size=100&page=9'],
    ['of rows that most rows resemble', 'active/?ordering=name&page=3'],
    ['of rows that an index finds', 'cities/?region=7&ordering=-name'],
    ['with lists of other records', 'regions/?page=2'],
    ['by a cursor', 'cursor/'],
  ])('is read in the process %s', async (_name, path) => {
    vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    const { get, inThreads } = open()
    const first = await get(path)
    const { next } = first.body
    const second = next ? await get(next.replace(/^.*\/api\//, '')) : undefined
    expect(inThreads).toEqual([])
    expect([first.status, second?.status ?? 200]).toEqual([200, 200])
    const { get: getAlone } = open({ readerThreads: 0 })
    expect(await getAlone(path)).toEqual(first)
  })

  test.each([
    ['of a search', 'cities/?search=nowhere'],
    ['in an order without an index', 'cities/?ordering=note'],
    ['far behind the start', 'cities/?page_size=100&page=40'],
    ['in the order of an expression that goes through the table', 'ranked/?ordering=rank&page_size=1'],
  ])('is read in a thread %s', async (_name, path) => {
    const { get, inThreads } = open()
    expect((await get(path)).status).toBe(200)
    expect(inThreads).toHaveLength(1)
  })

  test('of rows that are rare is read in a thread after 1,000 rows, and at once for the next requests', async () => {
    const { get, inThreads } = open()
    const counted = vi.spyOn(SqliteConnection.prototype, 'runWithin')
    const answers = [await get('cities/?note=rare'), await get('cities/?note=rare')]
    expect(answers.map(({ body }) => body.data.length)).toEqual([3, 3])
    expect(counted.mock.results.map(({ value }) => value)).toEqual([undefined])
    expect(inThreads).toHaveLength(2)
    expect(inThreads[0]).not.toContain('count_row')
  })

  test('of rows that are large is read in a thread after 10 ms', async () => {
    const { get, inThreads } = open()
    let now = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 11
      return now
    })
    const { body } = await get('active/?page_size=100')
    expect(body.data).toHaveLength(100)
    expect(inThreads).toHaveLength(1)
  })

  test('shows what was committed before it', async () => {
    const { get } = open()
    await stored.database.driver.run({ text: "update cities set name = 'Aa' where id = 10" }, [])
    expect((await get('active/?ordering=name&page_size=1')).body.data[0].name).toBe('Aa')
  })
})
