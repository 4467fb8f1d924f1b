import { existsSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { currentDb, type Database } from 'viewset'
import { type SqliteOptions, sqlite } from 'viewset/sqlite'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, afterEach, beforeAll, describe, expect, type MockInstance, test, vi } from 'vitest'
import { SqliteConnection } from '../../src/store/dialect/sqlite-connection.ts'
import { SqliteThreads, ThreadNotStarted } from '../../src/store/dialect/sqlite-threads.ts'
import { cases } from '../support/cases.ts'
import { storeTowns, towns, townsApi } from '../support/scanned-towns.ts'
import { turnsDuring } from '../support/turns.ts'

/** More than are gone through in the process. */
const ROWS = 20_000

/** A statement that needs no table, and more time than tests give it. */
const LONG = 'with recursive r(n) as (select 1 union all select n + 1 from r where n < 2000000) select count(*) from r'

function textsOf(inThread: MockInstance<SqliteThreads['run']>): readonly string[] {
  return inThread.mock.calls.map(([task]) => (task.kind === 'run' ? task.text : task.kind))
}

describe('sqlite: a statement that goes through many rows', () => {
  let stored: TestDatabase
  const opened: Database[] = []
  const open = (options?: SqliteOptions) => {
    const database = sqlite(stored.url, options)
    opened.push(database)
    return { database, ask: townsApi(database) }
  }
  beforeAll(async () => {
    stored = await createTestDatabase({ schema: { towns } })
    await storeTowns(stored.database, ROWS)
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await Promise.all(opened.splice(0).map(database => database.close()))
  })
  afterAll(() => stored.drop())

  test.each([
    ['a search', '?search=nowhere'],
    ['a filter without an index', '?note__icontains=nowhere'],
    ['an ordering without an index', '?ordering=-note'],
  ])('is %s: records are retrieved before it is answered', async (_name, query) => {
    const { ask } = open()
    const order: string[] = []
    const scan = ask(query).then(({ status }) => order.push(`scan ${status}`))
    for (let id = 1; id <= 10; id++) order.push(`record ${(await ask(`${id}/`)).status}`)
    await scan
    expect(order).toEqual([...Array(10).fill('record 200'), 'scan 200'])
  })

  test('is an export: records are retrieved before its first bytes are there', async () => {
    const { ask } = open()
    const order: string[] = []
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"file_type":"csv"}' }
    const scan = ask('export/?search=nowhere', init).then(({ status }) => order.push(`export ${status}`))
    for (let id = 1; id <= 10; id++) order.push(`record ${(await ask(`${id}/`)).status}`)
    await scan
    expect(order).toEqual([...Array(10).fill('record 200'), 'export 200'])
  })

  test('holds nobody up who writes', async () => {
    const { ask } = open()
    const order: string[] = []
    const scan = ask('?search=nowhere').then(({ status }) => order.push(`scan ${status}`))
    for (let id = 1; id <= 3; id++) {
      const { status } = await ask(`${id}/`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ population: id }),
      })
      order.push(`written ${status}`)
    }
    await scan
    expect(order).toEqual(['written 200', 'written 200', 'written 200', 'scan 200'])
  })

  test('sees everything that was written before it', async () => {
    const { ask } = open()
    for (let n = 0; n < 10; n++) {
      const name = `Newtown ${n}`
      const { status } = await ask('', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name, is_capital: false }),
      })
      expect(status).toBe(201)
      const found = JSON.parse((await ask(`?search=newtown&name__iexact=${encodeURIComponent(name)}`)).text)
      expect([found.count, found.data[0]?.name]).toEqual([1, name])
    }
  })

  test('is answered as it would be in the process', async () => {
    const threads = open()
    const alone = open({ readerThreads: 0 })
    const filter = fc.oneof(
      fc.constantFrom(
        'search=ära',
        'search=NOTE%203%201',
        'name__iexact=town%208%20É',
        'name__istartswith=TOWN%2012',
        'note__in=Note%203%20of%201,x',
        'note__isnull=true',
        'is_capital=true',
        'population__isnull=false',
        'founded__year=1950',
        'founded__month=3',
        'surveyed_at__day=3',
        'visitors__gte=9007199254740993000',
        'area__range=3.5,7.25',
        'height__lt=77.125',
      ),
      fc.integer({ min: 0, max: 96 }).map(n => `population__gte=${n}`),
    )
    const field = fc.constantFrom('id', 'name', 'note', 'population', 'visitors', 'area', 'height', 'founded')
    const query = fc.record({
      filters: fc.uniqueArray(filter, { maxLength: 3, selector: text => text.split('=')[0] }),
      ordering: fc.uniqueArray(field, { maxLength: 2 }),
      descending: fc.boolean(),
      page: fc.integer({ min: 1, max: 3 }),
      isExport: fc.integer({ max: 5, min: 0 }).map(n => n === 0),
    })
    await fc.assert(
      fc.asyncProperty(query, async ({ filters, ordering, descending, page, isExport }) => {
        const by = ordering.map(name => (descending ? `-${name}` : name)).join()
        const narrowed = [...filters, ...(by === '' ? [] : [`ordering=${by}`])].join('&')
        const init = {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ file_type: 'csv' }),
        }
        const [path, options] = isExport ? ([`export/?${narrowed}`, init] as const) : [`?${narrowed}&page=${page}`]
        const [first, second] = await Promise.all([threads.ask(path, options), alone.ask(path, options)])
        const masked = ({ status, text }: typeof first) => [status, text.replace(/"timestamp":"[^"]*"/, '')]
        expect(masked(first)).toEqual(masked(second))
      }),
      { numRuns: cases(10) },
    )
  })

  test.each([
    ['of the driver', (database: Database) => database.driver.run({ text: LONG }, [])],
    [
      'of currentDb()',
      () =>
        currentDb()
          .select({ count: sql`(${sql.raw(LONG)})` })
          .from(towns)
          .limit(1),
    ],
  ])('%s is 503 after the time limit, and the next one is answered', async (_name, run) => {
    const { database, ask } = open({ statementTimeout: 100 })
    const answered = await ask.read(() => run(database))
    expect([answered.status, JSON.parse(answered.text).success]).toEqual([503, false])
    expect((await ask('?search=nowhere&page_size=1')).status).toBeOneOf([200, 503])
  })

  test('waits for its turn, and is 503 where others take too long', async () => {
    const { database } = open({ readerThreads: 1, busyTimeout: 50 })
    const first = database.driver.run({ text: LONG }, [])
    await expect(database.driver.run({ text: `${LONG} -- again` }, [])).rejects.toMatchObject({ status: 503 })
    expect((await first).rows).toEqual([[2_000_000n]])
  })

  test.each([
    ['value', 'select count(*) from towns where name > ?', 'Z', ''],
    ['LIMIT', 'select * from towns order by id limit +?', 1, 10_000],
    ['LIMIT, written plainly', 'select * from towns order by id limit ?', 1, 10_000],
    ['OFFSET', 'select * from towns order by id limit 1 offset ?', 0, 10_000],
  ])('is left to a thread for its slow %s, though it was quick with another one', async (_name, text, quick, slow) => {
    const { database } = open()
    for (let n = 0; n < 5; n++) await database.driver.run({ text }, [quick])
    const inProcess = vi.spyOn(SqliteConnection.prototype, 'run')
    await database.driver.run({ text }, [slow])
    expect(inProcess).not.toHaveBeenCalled()
  })

  test('is not a page of a list that an index orders', async () => {
    const { ask } = open()
    const inThread = vi.spyOn(SqliteThreads.prototype, 'run')
    for (const query of ['?ordering=id', '?ordering=-id&page=3']) expect((await ask(query)).status).toBe(200)
    // The count goes through the table.
    expect(textsOf(inThread).filter(text => !text.includes('count(*)'))).toEqual([])
  })

  test('is one no longer as soon as another connection has made an index for it', async () => {
    const { ask } = open()
    const inThread = vi.spyOn(SqliteThreads.prototype, 'run')
    const pagesInThread = () => textsOf(inThread).filter(text => !text.includes('count(*)')).length
    await ask('?ordering=note')
    expect(pagesInThread()).toBe(1)
    await stored.database.driver.run({ text: 'create index towns_note on towns (note desc, id)' }, [])
    await ask('?ordering=-note')
    expect(pagesInThread()).toBe(1)
    await stored.database.driver.run({ text: 'drop index towns_note' }, [])
  })

  test('is one that many ask for at once: all are answered', async () => {
    const { ask } = open({ busyTimeout: 60_000 })
    const answers = await Promise.all(Array.from({ length: 500 }, () => ask('?ordering=note&page_size=1')))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('keeps nobody waiting where a thread cannot be started', async () => {
    const threads = new SqliteThreads({
      file: new URL('http://127.0.0.1/reader.js'),
      data: { path: stored.url, settings: { busyTimeout: 1_000, synchronous: 'normal' } },
      limit: 1,
      patience: 100,
      timeLimit: 30_000,
      heap: 32,
    })
    for (let n = 0; n < 2; n++) {
      await expect(threads.run({ kind: 'run', text: 'select 1', values: [] })).rejects.toBeInstanceOf(ThreadNotStarted)
    }
    await threads.close()
  })

  test('is 503 when its thread dies, and the next one has another thread', async () => {
    const threads = new SqliteThreads({
      file: new URL('../../src/store/dialect/sqlite-reader.ts', import.meta.url),
      data: { path: stored.url, settings: { busyTimeout: 1_000, synchronous: 'normal' } },
      limit: 1,
      patience: 60_000,
      timeLimit: 30_000,
      heap: 32,
    })
    const text = 'with recursive r(n) as (select 1 union all select n + 1 from r) select hex(randomblob(2000)) from r'
    await expect(threads.run({ kind: 'run', text, values: [] })).rejects.toMatchObject({ status: 503 })
    const { rows } = await threads.run({ kind: 'run', text: 'select count(*) from towns', values: [] })
    expect(Number(rows[0]?.[0])).toBeGreaterThanOrEqual(ROWS)
    await threads.close()
  })

  test('gives bytes as a buffer, as it would in the process', async () => {
    const { database } = open()
    const inThread = vi.spyOn(SqliteThreads.prototype, 'run')
    const text = "select x'00ff', count(*) > 0 from towns where note like '%'"
    const { rows } = await database.driver.run({ text }, [])
    expect(inThread).toHaveBeenCalledTimes(1)
    expect(rows).toStrictEqual([[Buffer.from([0, 255]), 1n]])
  })

  test('is left by a reader while it takes long: the next one has answers of its own', async () => {
    const threads = new SqliteThreads({
      file: new URL('../../src/store/dialect/sqlite-reader.ts', import.meta.url),
      data: { path: stored.url, settings: { busyTimeout: 1_000, synchronous: 'normal' } },
      limit: 1,
      patience: 60_000,
      timeLimit: 30_000,
      heap: 32,
    })
    const text = LONG.replace('count(*) from r', 'n from r where n in (1, 2000000)')
    for await (const { rows } of threads.stream(text, [], 1)) {
      expect(rows).toEqual([[1n]])
      break
    }
    expect((await threads.run({ kind: 'run', text: 'select 42', values: [] })).rows).toEqual([[42n]])
    await threads.close()
  })

  test('fails as it would in the process', async () => {
    const { database } = open()
    const text = `${LONG} where abs(case when n = 5000 then -9223372036854775808 else n end) > 0`
    await expect(database.driver.run({ text }, [])).rejects.toMatchObject({
      name: 'SqliteError',
      code: 'SQLITE_ERROR',
      message: 'integer overflow',
    })
  })

  test('is waited for when the database is closed', async () => {
    const { database } = open()
    const scan = database.driver.run({ text: LONG }, [])
    await database.close()
    expect((await scan).rows).toEqual([[2_000_000n]])
  })

  test('has given the file back when the database is closed: all of it is in the one file then', async () => {
    const copy = await createTestDatabase({ schema: { towns } })
    await storeTowns(copy.database, 3)
    const scan = copy.database.driver.run({ text: LONG }, [])
    await Promise.all([scan, copy.database.close()])
    expect(existsSync(`${copy.url}-wal`)).toBe(false)
    await copy.drop()
  })

  test('is not run once the database is closed, though nothing was read in a thread before', async () => {
    const { database } = open()
    const text = 'select count(hex(zeroblob(20000000))) from sqlite_schema'
    await database.driver.run({ text }, [])
    await database.close()
    await expect(database.driver.run({ text }, [])).rejects.toThrow('not open')
  })

  test('is not streamed where the database is closed before it begins', async () => {
    const { database } = open()
    const first = database.stream({ text: 'select 1' }, [], 1).next()
    await Promise.all([expect(first).rejects.toMatchObject({ status: 503 }), database.close()])
  })

  test('that is quick is an export in the process, and others have their turn after each of its batches', async () => {
    const { ask } = open({ readerThreads: 0 })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"file_type":"csv"}' }
    const turns = await turnsDuring(async () => {
      const { text } = await ask('export/', init)
      expect(text.trimEnd().split('\n').length).toBeGreaterThan(ROWS)
    })
    expect(turns).toBeGreaterThanOrEqual(ROWS / 1_000)
  })

  test('may be one that has no plan', async () => {
    const { database } = open()
    expect((await database.driver.run({ text: 'explain query plan select * from towns' }, [])).rows).not.toEqual([])
    expect((await database.driver.run({ text: ';select 1' }, [])).rows).toEqual([[1n]])
  })

  test('is left alone by a reader who goes away, whose thread another one gets', async () => {
    const { database } = open()
    for (let n = 0; n < 8; n++) {
      for await (const rows of database.stream({ text: 'select * from towns order by note, name' }, [], 100)) {
        expect(rows).toHaveLength(100)
        break
      }
    }
  })
})
