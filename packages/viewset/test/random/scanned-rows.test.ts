import BetterSqlite from 'better-sqlite3'
import { and, eq, gt, like, type SQL, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { Database, insertMany } from 'viewset'
import { kit as c } from 'viewset/sqlite'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { resolvePath } from '../../src/model/column-path.ts'
import { modelInfo } from '../../src/model/model-info.ts'
import type { RawRow, Statement } from '../../src/store/connection/driver.ts'
import { SqliteConnection } from '../../src/store/dialect/sqlite-connection.ts'
import { SqliteDriver } from '../../src/store/dialect/sqlite-driver.ts'
import type { ProjectedRelation } from '../../src/store/projection.ts'
import { projection } from '../../src/store/projection.ts'
import { QuerySet } from '../../src/store/queryset.ts'
import type { Ordering } from '../../src/store/select-rows.ts'
import { cases } from '../support/cases.ts'

/** Rows that a loop of a statement in the process goes through at most. */
const MOST = 2_000

/** Cities of a database of which a loop may be too long, and of one of which only two loops are. */
const MANY = 2_600
const FEW = 300

const regions = c.table('regions', {
  id: c.integer().primaryKey(),
  name: c.text(50).notNull(),
  size: c.integer().notNull(),
})
const cities = c.table('cities', {
  id: c.integer().primaryKey(),
  name: c.text(50).notNull(),
  size: c.integer().notNull(),
  note: c.text(50),
  isActive: c.boolean().notNull(),
  region: c.foreignKey(regions, { index: false }).notNull(),
  twin: c.integer(),
  code: c.text(50).unique(),
})

const INDEXES = [
  'cities (name, id)',
  'cities (name)',
  'cities (size desc, id)',
  'cities (note, name)',
  'cities (is_active, name)',
  'cities (region_id, size)',
  'cities (twin)',
  'cities (name, size, note)',
  'cities (name) where is_active',
  'regions (name)',
  'regions (size, name)',
]

// Counts the rows of each loop: it stands in every subquery, and the databases of this file know it.
const probe = sql`probe()`

const number = fc.integer({ min: 0, max: 60 })
const condition: fc.Arbitrary<SQL> = fc.oneof(
  number.map(n => eq(cities.size, n)),
  number.map(n => gt(cities.size, n)),
  number.map(n => sql`(${cities.size}, ${cities.id}) > (${n}, ${n})`),
  number.map(n => eq(cities.id, n)),
  number.map(n => eq(cities.region, n)),
  number.map(n => like(cities.name, `%${n}%`)),
  fc.boolean().map(value => eq(cities.isActive, value)),
  fc.constantFrom(
    sql`${cities.note} is null`,
    sql`${cities.note} = 'rare'`,
    sql`${cities.code} is null`,
    sql`${cities.code} = 'Code 1000'`,
    sql`${cities.twin} = ${cities.id}`,
    sql`${cities.name} = 'City 7' or ${cities.size} = 3`,
    sql`${cities.region} in (select id from regions where probe() and regions.name like '%7%')`,
    sql`${cities.id} in (select value from json_each('[1, 5, 7, 2600]'))`,
    sql`exists (select 1 from regions where probe() and regions.id = ${cities.region} and regions.size > 3)`,
    sql`exists (select 1 from regions where probe() and regions.size = ${cities.size})`,
    sql`exists (select 1 from cities as c where probe() and c.size = ${cities.size} and c.id <> ${cities.id})`,
    sql`not exists (select 1 from cities where probe() and cities.size < 0)`,
    sql`${cities.size} > (select max(size) from cities where probe() and size < 20)`,
  ),
)

const info = modelInfo(cities)
const column = (key: string) => info.byKey.get(key) ?? info.primaryKey
const by: fc.Arbitrary<Ordering['by']> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('id', 'name', 'size', 'note', 'isActive', 'region', 'twin').map(column) },
  fc.constantFrom(sql`abs(${cities.size} - 20)`, resolvePath('test', 'ordering', info, 'region__name')),
)
const term = fc.record({ by, descending: fc.boolean(), nullsLast: fc.boolean() })
const ordering = fc.oneof(
  term.map(only => [only]),
  fc.array(term, { maxLength: 3 }),
)

const relation = (scope?: SQL): ProjectedRelation => ({
  foreignKey: column('region'),
  target: modelInfo(regions).primaryKey,
  projection: projection(modelInfo(regions), modelInfo(regions).columns),
  ...(scope && { scope: () => scope }),
})
const projections = [
  projection(info, info.columns),
  projection(info, [column('id'), column('name')]),
  projection(info, info.columns, [relation()]),
  projection(info, info.columns, [relation(sql`probe() and ${regions.size} > 3`)]),
  projection(info, info.columns, [], [sql`(select name from regions where probe() and regions.id = ${cities.region})`]),
  projection(
    info,
    [column('id')],
    [relation()],
    [sql`(select count(*) from regions where probe() and regions.size = ${cities.size})`],
  ),
]

const read = fc.record({
  conditions: fc.oneof(fc.constant([]), fc.array(condition, { maxLength: 3 })),
  ordering,
  projected: fc.constantFrom(...projections),
  limit: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 2_500 })),
  offset: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    fc.integer({ min: 0, max: 400 }),
    fc.integer({ min: 0, max: MANY }),
  ),
  isSlice: fc.boolean(),
})
type Read = typeof read extends fc.Arbitrary<infer T> ? T : never

async function rowsOf(database: Database, given: Read): Promise<readonly RawRow[]> {
  const { conditions, ordering, projected, limit, offset, isSlice } = given
  const all = QuerySet.of(database, cities).orderBy(ordering).inTotalOrder()
  const set = conditions.length === 0 ? all : all.filter(and(probe, ...conditions))
  return isSlice
    ? set.slice(projected, { from: null, backward: offset % 2 === 1, limit })
    : set.rows(projected, { limit, offset })
}

async function databaseOf(count: number): Promise<TestDatabase> {
  const created = await createTestDatabase({ schema: { regions, cities } })
  await created.database.transaction(async () => {
    await insertMany(
      regions,
      Array.from({ length: 200 }, (_, n) => ({ id: n + 1, name: `Region ${n % 50}`, size: n % 13 })),
    )
    await insertMany(
      cities,
      Array.from({ length: count }, (_, n) => ({
        id: n + 1,
        name: `City ${(n * 7_919) % 1_000}`,
        size: n % 61,
        note: n % 1_500 === 7 ? 'rare' : n % 3 === 0 ? null : `Note ${n % 9}`,
        isActive: n % 10 > 0,
        region: (n % 200) + 1,
        twin: n % 2_000,
        code: n % 1_000 === 0 ? `Code ${n}` : null,
      })),
    )
  })
  return created
}

const stored: TestDatabase[] = []
let probes = 0
beforeAll(async () => {
  const define = BetterSqlite.prototype.function
  vi.spyOn(BetterSqlite.prototype, 'function').mockImplementation(function (
    this: BetterSqlite.Database,
    ...definition: Parameters<typeof define>
  ) {
    Reflect.apply(define, this, ['probe', () => ++probes])
    return Reflect.apply(define, this, definition)
  })
  for (const count of [MANY, FEW]) stored.push(await databaseOf(count))
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => Promise.all(stored.map(database => database.drop())))

test('SQLite: no loop of a read in the process goes through more than 2,000 rows, and the rows are the right ones', async () => {
  const { run } = SqliteConnection.prototype
  const seen = { process: 0, thread: 0 }
  let isWatching = false
  const check = (text: string, went: number) => {
    const loops = text.split('probe()').length - 1
    if (went > MOST * loops) throw new Error(`${went} rows of ${loops} loops: ${text}`)
  }
  vi.spyOn(SqliteConnection.prototype, 'run').mockImplementation(function (
    this: SqliteConnection,
    statement: Statement,
    values: readonly unknown[],
  ) {
    if (!isWatching) return run.call(this, statement, values)
    probes = 0
    try {
      const result = run.call(this, statement, values)
      seen.process++
      // A read without conditions has no probe, so the same is run with one.
      const again = statement.scan?.withCondition('probe()')
      if (again !== undefined) {
        probes = 0
        run.call(this, { text: again }, values)
        check(again, probes)
      }
      return result
    } finally {
      if (!statement.scan) check(statement.text, probes)
    }
  })

  const setUp = fc.record({
    at: fc.constantFrom(0, 0, 1),
    indexes: fc.uniqueArray(fc.constantFrom(...INDEXES)),
    isAnalyzed: fc.boolean(),
    reads: fc.array(read, { minLength: 1, maxLength: 8 }),
  })
  await fc.assert(
    fc.asyncProperty(setUp, async ({ at: place, indexes, isAnalyzed, reads }) => {
      const url = stored[place]?.url ?? ''
      const handle = new BetterSqlite(url)
      for (const [at, index] of indexes.entries()) handle.exec(`create index random_${at} on ${index}`)
      if (isAnalyzed) handle.exec('analyze')
      const database = new Database(new SqliteDriver(url, {}))
      const alone = new Database(new SqliteDriver(url, { readerThreads: 0 }))
      try {
        for (const given of reads) {
          isWatching = false
          const expected = await rowsOf(alone, given)
          isWatching = true
          try {
            expect(await rowsOf(database, given)).toEqual(expected)
          } catch (error) {
            // Threads do not know the probe.
            if (!(error instanceof Error && error.message === 'no such function: probe')) throw error
            seen.thread++
          }
        }
      } finally {
        isWatching = false
        await database.close()
        await alone.close()
        for (const at of indexes.keys()) handle.exec(`drop index random_${at}`)
        if (isAnalyzed) handle.exec('drop table sqlite_stat1; drop table sqlite_stat4')
        handle.close()
      }
    }),
    { numRuns: cases(100) },
  )
  expect(Math.min(seen.process, seen.thread)).toBeGreaterThan(10)
}, 600_000)
