import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import { pgTable, text } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { createRecord, currentDb, findRecords } from 'viewset'
import { type PostgresOptions, type PostgresSource, postgres } from 'viewset/pg'
import { type SqliteOptions, type SqliteSource, sqlite } from 'viewset/sqlite'
import { createTestDatabase } from 'viewset/testing'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useActions } from '../support/actions.ts'
import { pgDialect, sqliteDialect, type TestDialect } from '../support/dialects.ts'
import { expectSuccess, ID } from '../support/expect.ts'

/** What the application made for itself, to be ended by the application. */
const belongings: (() => unknown)[] = []
afterAll(async () => {
  for (const end of belongings.splice(0)) await end()
})

async function newPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'viewset-test-'))
  belongings.push(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'own.db')
}

function ownPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config)
  // When a test's database is dropped, it ends the connections of a pool that lives on.
  pool.on('error', () => {})
  belongings.push(() => pool.end())
  return pool
}

function ownHandle(path: string): SqliteDatabase.Database {
  const handle = new SqliteDatabase(path)
  handle.pragma('journal_mode = wal')
  belongings.push(() => handle.close())
  return handle
}

/** A database in memory with the tables of the file. */
function inMemory(path: string): SqliteDatabase.Database {
  const [file, memory] = [ownHandle(path), new SqliteDatabase(':memory:')]
  const own = "select sql from sqlite_master where sql is not null and name not like 'sqlite\\_%' escape '\\'"
  for (const { sql } of file.prepare(own).all() as { sql: string }[]) memory.exec(sql)
  belongings.push(() => memory.close())
  return memory
}

const onPostgres = (open: (url: string) => PostgresSource): TestDialect => ({
  name: 'pg',
  kit: pgDialect.kit,
  get server() {
    return pgDialect.server
  },
  open: url => postgres(open(url)),
})
const onSqlite = (open: (path: string) => SqliteSource): TestDialect => ({
  ...sqliteDialect,
  open: path => sqlite(open(path)),
})

const inBerlin = (connectionString: string) => ({ connectionString, options: '-c TimeZone=Europe/Berlin' })

/** Its clients take no statements but those of `pg` itself. */
const pipelining = (connectionString: string) => ({ connectionString, pipeline: true })

describe.each([
  ["pg's configuration", onPostgres(connectionString => ({ connectionString, max: 3 }))],
  ['a pool of its own in another time zone', onPostgres(url => ownPool(inBerlin(url)))],
  ['a pool of its own with one connection', onPostgres(connectionString => ownPool({ connectionString, max: 1 }))],
  ['a pool of its own that pipelines', onPostgres(url => ownPool(pipelining(url)))],
  ['a Drizzle database on its own pool', onPostgres(url => drizzlePg(ownPool({ connectionString: url })))],
  ['a handle of its own', onSqlite(ownHandle)],
  ['a Drizzle database on its own handle', onSqlite(path => drizzleSqlite(ownHandle(path)))],
  ['a handle on a database in memory', onSqlite(inMemory)],
] as const)('an application brings %s', (_name, dialect) => {
  const { api, authors, run, create, names } = useActions(dialect)
  // A database in memory is not the one that is emptied for each test.
  beforeEach(() => api.database.run({ text: 'delete from authors' }, []))

  test('and every action works on it', async () => {
    const created = await api.post('/authors/', { name: 'Ada' })
    expectSuccess(created, 201, { data: { id: ID, name: 'Ada' } })
    const { id } = created.data<{ id: string }>()
    expectSuccess(await api.patch(`/authors/${id}/`, { name: 'Lovelace' }), 200, { data: { id: ID, name: 'Lovelace' } })
    await api.post('/authors/', { name: 'Bob' })
    const all = [
      { id: ID, name: 'Lovelace', index: 1 },
      { id: ID, name: 'Bob', index: 2 },
    ]
    expectSuccess(await api.get('/authors/'), 200, { count: 2, data: all })
    expectSuccess(await api.get('/authors/?paginated=false'), 200, { data: all })
    const file = await api.post('/authors/export/', { file_type: 'csv', includes: ['name'] })
    expect(file.text).toBe('Name\r\nLovelace\r\nBob\r\n')
    expect((await api.delete(`/authors/${id}/`)).status).toBe(204)
    expect(await names()).toEqual(['Bob'])
  })

  test('and timestamps are told in UTC', async () => {
    const before = Date.now()
    await run(() => create('A'))
    const [author] = await api.database.use(() => findRecords(authors))
    expect(author?.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect(Math.abs(Date.parse(String(author?.createdAt)) - before)).toBeLessThan(60_000)
    const [row] = await api.database.use(() => currentDb().select().from(authors))
    expect(row?.createdAt).toBe(author?.createdAt)
  })

  test('and an action that fails stores nothing', async () => {
    await run(async () => {
      await create('A')
      await currentDb().insert(authors).values({ name: 'B' })
      throw new Error('at the end')
    })
    expect(await names()).toEqual([])
  })

  test('and requests at the same time keep to themselves', async () => {
    const responses = await Promise.all([
      ...Array.from({ length: 10 }, (_, i) => api.post('/authors/', { name: `A${i}` })),
      ...Array.from({ length: 10 }, () => api.get('/authors/')),
      run(async () => {
        await create('never')
        throw new Error('at the end')
      }),
    ])
    expect(responses.map(({ status }) => status)).toEqual([...Array(10).fill(201), ...Array(10).fill(200), 500])
    expect(await names()).toHaveLength(10)
  })
})

describe('a pool of the application', () => {
  const opened: { url: string; pool: pg.Pool }[] = []
  const { api, run, create } = useActions(
    onPostgres(url => {
      const pool = ownPool({ ...inBerlin(url), max: 2 })
      opened.push({ url, pool })
      return pool
    }),
  )
  const own = () => opened[0]!

  test('keeps its settings, its types and its connections', async () => {
    const look = async () =>
      Promise.all(
        ["select current_setting('TimeZone') zone, current_setting('statement_timeout') time", 'select now() at'].map(
          async text => (await own().pool.query(text)).rows[0],
        ),
      )
    await run(() => create('A'))
    expect((await api.get('/authors/')).status).toBe(200)
    expect(await look()).toEqual([{ zone: 'Europe/Berlin', time: '0' }, { at: expect.any(Date) }])
    expect(own().pool.listenerCount('error')).toBe(1)
  })

  test('keeps a connection whose statement was refused', async () => {
    await own().pool.query('select 1')
    const removed: unknown[] = []
    own().pool.on('remove', client => removed.push(client))
    await expect(api.database.run({ text: 'select nothing' }, [])).rejects.toThrow('column "nothing" does not exist')
    expect(removed).toEqual([])
  })

  test('gets values of every kind, with a statement that is prepared and with one that is not', async () => {
    const values = ['a', 7, 8n, true, null, undefined, Buffer.from('b'), new Date(0), ['x,y', null], { z: 1 }]
    const types = ['text', 'int', 'bigint', 'boolean', 'text', 'text', 'bytea', 'timestamptz', 'text[]', 'jsonb']
    const rows = ['a', '7', '8', 't', null, null, '\\x62', '1970-01-01 01:00:00+01', '{"x,y",NULL}', '{"z": 1}']
    // Dates and objects are for pg to write: without them, another way is taken.
    for (const length of [7, 10]) {
      const text = `select ${types.slice(0, length).map((type, i) => `$${i + 1}::${type}`)}`
      for (const statement of [{ text }, { text, name: `kinds_${length}` }]) {
        const result = await api.database.run(statement, values.slice(0, length))
        expect(result.rows).toEqual([rows.slice(0, length)])
        expect(result.changes).toBe(1)
      }
    }
  })

  test('answers the last of several statements, and a copy with an error', async () => {
    const { rows } = await api.database.run({ text: 'select 1; select 2, 3' }, [])
    expect(rows).toEqual([['2', '3']])
    await expect(api.database.run({ text: 'copy authors from stdin' }, [])).rejects.toThrow('Nothing is copied here.')
    expect((await api.database.run({ text: '' }, [])).rows).toEqual([])
  })

  test('is not ended with the database', async () => {
    const database = postgres(own().pool)
    await database.use(() => currentDb().execute('select 1'))
    await database.close()
    expect((await own().pool.query('select 1 as n')).rows).toEqual([{ n: 1 }])
  })
})

describe('a handle of the application', () => {
  const opened: SqliteDatabase.Database[] = []
  const { run, create, names } = useActions(
    onSqlite(path => {
      const handle = ownHandle(path)
      handle.pragma('foreign_keys = off')
      handle.pragma('synchronous = off')
      opened.push(handle)
      return handle
    }),
  )
  const own = () => opened[0]!

  test('keeps its settings and its types', async () => {
    await run(() => create('A'))
    const settings = ['foreign_keys', 'synchronous', 'busy_timeout', 'query_only']
    expect(settings.map(name => own().pragma(name, { simple: true }))).toEqual([0, 0, 5000, 0])
    expect(own().prepare('select 1 as n').get()).toEqual({ n: 1 })
  })

  test('never stands in a transaction of ours: what it writes meanwhile is refused, not taken back with ours', async () => {
    own().pragma('busy_timeout = 0')
    const write = () =>
      own().exec(`insert into authors (id, name) values ('00000000-0000-4000-8000-000000000001', 'own')`)
    const response = await run(async () => {
      await create('A')
      expect([own().inTransaction, own().prepare('select * from authors').all()]).toEqual([false, []])
      expect(write).toThrow('database is locked')
      throw new Error('at the end')
    })
    expect(response.status).toBe(500)
    write()
    expect(await names()).toEqual(['own'])
    own().pragma('busy_timeout = 5000')
  })

  test('is not closed with the database', async () => {
    const database = sqlite(own())
    await database.close()
    expect(own().open).toBe(true)
  })
})

describe('a database in memory', () => {
  const opened: SqliteDatabase.Database[] = []
  const { api, authors, run, create, names } = useActions(
    onSqlite(path => {
      const handle = inMemory(path)
      opened.push(handle)
      return handle
    }),
  )
  const own = () => opened[0]!
  beforeEach(() => void own().exec('delete from authors'))

  test('keeps its settings and its types', async () => {
    await run(() => create('A'))
    expect(own().pragma('busy_timeout', { simple: true })).toBe(5000)
    expect(own().prepare('select 1 as n').get()).toEqual({ n: 1 })
  })

  test('shows nobody what another request has not committed', async () => {
    const [written, read] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const writing = run(async () => {
      await create('uncommitted')
      written.resolve()
      await read.promise
      throw new Error('at the end')
    })
    await written.promise
    const reading = names()
    read.resolve()
    expect((await writing).status).toBe(500)
    expect(await reading).toEqual([])
  })

  test("waits for the end of the application's own transaction", async () => {
    own().exec('begin immediate')
    const [writing, reading] = [run(() => create('A')), names()]
    own().exec(`insert into authors (id, name) values ('00000000-0000-4000-8000-000000000001', 'own')`)
    await new Promise(resolve => setTimeout(resolve, 10))
    own().exec('rollback')
    expect((await writing).status).toBe(200)
    expect((await reading).includes('own')).toBe(false)
    expect(await names()).toEqual(['A'])
  })

  test('a rollback that fails does not keep others from writing', async () => {
    const response = await run(async () => {
      await create('never')
      // While the application goes through rows, SQLite runs nothing else on the handle.
      const rows = own().prepare('select 1 union select 2').iterate()
      rows.next()
      setTimeout(() => rows.return?.(), 20)
      throw new Error('at the end')
    })
    expect(response.status).toBe(500)
    expectSuccess(await api.post('/authors/', { name: 'Ada' }), 201, { data: { id: ID, name: 'Ada' } })
    expect(await names()).toEqual(['Ada'])
  })

  test('neither does a commit that fails, and its answer is no success', async () => {
    const response = await run(async () => {
      await create('never')
      const rows = own().prepare('select 1 union select 2').iterate()
      rows.next()
      setTimeout(() => rows.return?.(), 20)
    })
    expect(response.status).toBe(500)
    await api.database.transaction(() => createRecord(authors, { name: 'Ada' }))
    expect(await names()).toEqual(['Ada'])
  })
})

describe('refuses', () => {
  let handle: SqliteDatabase.Database
  let pool: pg.Pool
  beforeEach(() => {
    handle = new SqliteDatabase(':memory:')
    pool = new pg.Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/nothing' })
  })
  afterEach(async () => {
    handle.close()
    await pool.end()
  })

  function problemOf(open: () => unknown): string {
    try {
      open()
    } catch (error) {
      return `${(error as Error).name}: ${(error as Error).message}`
    }
    return 'none'
  }
  const loosePostgres = postgres as (source: unknown, options?: PostgresOptions) => unknown
  const looseSqlite = sqlite as (source: unknown, options?: SqliteOptions) => unknown

  test.each([[null], [5], [{ $client: 5 }], [new pg.Client()], [drizzlePg(new pg.Client())]])(
    'what is no PostgreSQL database (%#)',
    source => {
      expect(problemOf(() => loosePostgres(source))).toBe(
        'ConfigError: postgres: database: must be an address, a configuration or a Pool of "pg", or a database of "drizzle-orm/node-postgres" on a Pool',
      )
    },
  )

  test('a configuration without an address', () => {
    expect(problemOf(() => postgres({ user: 'ann', database: 'shop' }))).toBe(
      'ConfigError: postgres: host: the configuration needs a "host" or a "connectionString"',
    )
  })

  test('our options among those of pg, and the same option twice', () => {
    expect(problemOf(() => loosePostgres({ host: 'db', poolSize: 5 }))).toBe(
      'ConfigError: postgres: poolSize: belongs into the options, the second argument',
    )
    expect(problemOf(() => postgres({ host: 'db', max: 5 }, { poolSize: 6 }))).toBe(
      'ConfigError: postgres: poolSize: the configuration has it as "max"; give one of them',
    )
  })

  test('options that a pool has decided', () => {
    expect(problemOf(() => postgres(pool, { statementTimeout: 5 }))).toBe(
      'ConfigError: postgres: statementTimeout: your own pool decides that; make it with "statement_timeout"',
    )
    expect(problemOf(() => postgres(pool, { namedStatements: false }))).toBe('none')
  })

  test.each([[null], [5], [{}], [{ $client: {} }]])('what is no SQLite database (%#)', source => {
    expect(problemOf(() => looseSqlite(source))).toBe(
      'ConfigError: sqlite: database: must be the path of a file, a handle of "better-sqlite3", or a database of "drizzle-orm/better-sqlite3"',
    )
  })

  test('a handle that is closed, read-only or without WAL', async () => {
    const path = await newPath()
    const file = new SqliteDatabase(path)
    belongings.unshift(() => file.close())
    expect(problemOf(() => sqlite(file))).toBe(
      `ConfigError: sqlite: database: readers and writers need the write-ahead log; run handle.pragma('journal_mode = wal') first, it is "delete" now`,
    )
    const reader = new SqliteDatabase(path, { readonly: true })
    expect(problemOf(() => sqlite(reader))).toBe('ConfigError: sqlite: database: the handle is read-only')
    reader.close()
    expect(problemOf(() => sqlite(reader))).toBe('ConfigError: sqlite: database: the handle is closed')
  })

  test('a way to write that SQLite does not have', () => {
    expect(problemOf(() => looseSqlite('/tmp/shop.db', { synchronous: 'off' as 'normal' }))).toBe(
      'ConfigError: sqlite: synchronous: must be "full" or "normal", not "off"',
    )
  })

  test('nothing that is right', () => {
    expect(problemOf(() => sqlite(handle))).toBe('none')
    expect(problemOf(() => postgres(pool))).toBe('none')
    expect(problemOf(() => postgres(drizzlePg(pool)))).toBe('none')
  })
})

test('sqlite: what is acknowledged is on the disk, unless the application wants it faster', async () => {
  const path = await newPath()
  for (const [options, level] of [
    [{}, 2n],
    [{ synchronous: 'full' }, 2n],
    [{ synchronous: 'normal' }, 1n],
  ] as const) {
    const database = sqlite(path, options)
    const read = () => database.run({ text: 'pragma synchronous' }, [])
    expect((await database.transaction(read)).rows).toEqual([[level]])
    await database.close()
  }
})

describe('sqlite: closing a database', () => {
  test('waits for a transaction that takes longer than the busy timeout', async () => {
    const database = sqlite(await newPath(), { busyTimeout: 1 })
    const writing = await database.driver.begin()
    await writing.run({ text: 'create table kept (id integer)' }, [])
    const closed = database.close()
    // Whoever comes later has run out of time, and so would the close have.
    await expect(database.driver.begin()).rejects.toThrow('The database is busy. Please try again.')
    await writing.commit()
    await expect(closed).resolves.toBeUndefined()
  })
})

test('a connection that begins no transaction is given up, and the next one works', async () => {
  const { url, drop } = await createTestDatabase({
    ...pgDialect.server,
    schema: { notes: pgTable('notes', { id: text() }) },
  })
  const pool = ownPool({ connectionString: url, max: 1 })
  const database = postgres(pool)
  await database.run({ text: 'select 1' }, [])
  // The application leaves it in a transaction that has failed.
  const client = await pool.connect()
  await client.query('begin')
  await expect(client.query('select 1 / 0')).rejects.toThrow('division by zero')
  client.release()
  const one = () => database.transaction(async () => (await database.run({ text: 'select 1' }, [])).rows)
  await expect(one()).rejects.toThrow()
  expect(await one()).toEqual([['1']])
  await drop()
})

test.each([
  [10, 5],
  [3, 1],
  [1, 1],
])('of %i connections, long lists and exports take %i at most', async (poolSize, streams) => {
  const database = postgres('postgres://localhost/none', { poolSize })
  expect(database.driver.maxStreams).toBe(streams)
  await database.close()
})
