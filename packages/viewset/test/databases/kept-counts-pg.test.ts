import { sql } from 'drizzle-orm'
import { Client } from 'pg'
import { currentDb, type Database, insertMany, QuerySet } from 'viewset'
import { kit as c, type PostgresOptions, postgres } from 'viewset/pg'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { administer } from '../support/administer.ts'
import { countsOf } from '../support/kept-counts.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { startTransactionPooler } from '../support/transaction-pooler.ts'

const tableOf = (name: string) => c.table(name, { id: c.integer().primaryKey(), text: c.text(50) })
const notes = tableOf('notes')
const other = tableOf('other')
const note = (id: number) => ({ id, text: `Note ${id}` })

describe('counts of PostgreSQL', () => {
  let server: PostgresServer
  let made: TestDatabase
  let database: Database
  const opened: Database[] = []
  const open = (url = made.url, options: PostgresOptions = {}) => {
    const another = postgres(url, options)
    opened.push(another)
    return another
  }
  const run = (...statements: readonly string[]) => administer(made.url, ...statements)
  const count = (table = notes, of = database) => QuerySet.of(of, table).count()
  const isKept = async (read: () => Promise<unknown>, of = database) => {
    await read()
    await read()
    return (await countsOf(of, read)) === 0
  }
  /** As another user of the database. */
  const as = (user: string) => Object.assign(new URL(made.url), { username: user, password: 'secret' }).href

  beforeAll(async () => {
    server = await startPostgresServer({
      // A commit that is not waited for stays in memory, and a crash loses it.
      settings: {
        autovacuum: 'off',
        synchronous_commit: 'off',
        wal_writer_delay: '10s',
        max_prepared_transactions: '2',
      },
    })
    await administer(server.url, `create role reader login password 'secret'`)
  }, 60_000)
  afterAll(() => server?.stop())
  beforeEach(async () => {
    made = await createTestDatabase({ postgres: server.url, schema: { notes } })
    database = open()
    await database.use(() => insertMany(notes, [note(1), note(2)]))
    await run('grant select on notes to reader')
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(each => each.close()))
    await made.drop()
  })

  test('are kept for a table', async () => {
    expect(await isKept(() => count())).toBe(true)
  })

  test('may be read by parallel workers', async () => {
    const statement = String(database.driver.versions?.statement('select count(*) from "notes"'))
    const plan = await run(
      'set min_parallel_table_scan_size = 0; set parallel_setup_cost = 0; set parallel_tuple_cost = 0',
      `explain ${statement.replace('$1', 'null')}`,
    )
    expect(plan.join('\n')).toMatch(/Gather[\s\S]*Parallel/)
  })

  test.each<readonly [string, readonly string[]]>([
    ['a view', ['create view other as select * from notes']],
    ['a materialized view', ['create materialized view other as select * from notes']],
    ['an unlogged table, which a crash empties', ['create unlogged table other as table notes']],
    [
      'a table with partitions',
      [
        'create table other (id int, text text) partition by range (id)',
        'create table part partition of other for values from (0) to (10)',
        'insert into other table notes',
      ],
    ],
    [
      'a table that others inherit from',
      ['create table other as table notes', 'create table heir () inherits (other)'],
    ],
    [
      'a table with row level security',
      ['create table other as table notes', 'alter table other enable row level security'],
    ],
    [
      'a table whose column is a function of the application',
      [
        'create table other as table notes',
        `create function shown(other) returns boolean stable language sql as $$ select now() > 'epoch' $$`,
      ],
    ],
  ])('are read each time from %s', async (_, statements) => {
    await run(...statements)
    const read = () => QuerySet.of(database, other).filter(sql`"other"."id" > 0`).count()
    const shown = () => QuerySet.of(database, other).filter(sql`"other"."shown"`).count()
    const isFunction = statements.some(text => text.includes('function'))
    expect(await (isFunction ? shown : read)()).toBe(2)
    expect(await isKept(isFunction ? shown : read)).toBe(false)
  })

  test('are read each time from a table of another server', async () => {
    const { hostname, port, pathname, username, password } = new URL(made.url)
    await run(
      'create extension postgres_fdw',
      `create server far foreign data wrapper postgres_fdw
        options (host '${hostname}', port '${port}', dbname '${pathname.slice(1)}')`,
      `create user mapping for current_user server far options (user '${username}', password '${password}')`,
      `create foreign table other (id int, text text) server far options (table_name 'notes')`,
    )
    expect(await count(other)).toBe(2)
    expect(await isKept(() => count(other))).toBe(false)
  })

  test('are of one user: row level security may show each another set of rows', async () => {
    await run(
      'alter table notes enable row level security',
      `create policy own on notes using (id = current_setting('app.id', true)::int)`,
    )
    const reader = open(as('reader'), { poolSize: 1 })
    const setting = (id: number) => reader.run({ text: `select set_config('app.id', '${id}', false)` }, [])
    await setting(1)
    expect(await isKept(() => count(notes, reader), reader)).toBe(false)
    await setting(3)
    expect(await count(notes, reader)).toBe(0)
  })

  test('are of one role, schema and time zone of a connection', async () => {
    await run('create schema second', 'create table second.notes as select * from notes where id = 1')
    const single = open(made.url, { poolSize: 1 })
    const set = (text: string) => single.run({ text }, [])
    const evening = () =>
      QuerySet.of(single, notes).filter(sql`'2026-01-15 23:30+00'::timestamptz::date = '2026-01-15'::date`).count()
    for (let round = 0; round < 2; round++) {
      await set('set search_path = public')
      expect([await count(notes, single), await count(notes, single), await count(notes, single)]).toEqual([2, 2, 2])
      await set('set search_path = second')
      expect([await count(notes, single), await count(notes, single), await count(notes, single)]).toEqual([1, 1, 1])
      await set('set search_path = public')
      await set('set role reader')
      expect(await count(notes, single)).toBe(2)
      await set('reset role')
      await set(`set timezone = 'UTC'`)
      expect([await evening(), await evening(), await evening()]).toEqual([2, 2, 2])
      await set(`set timezone = 'Asia/Tokyo'`)
      expect([await evening(), await evening(), await evening()]).toEqual([0, 0, 0])
    }
  })

  test('are read each time while a session has a temporary table of the same name', async () => {
    const single = open(made.url, { poolSize: 1 })
    await single.run({ text: 'create temp table notes as select 1 as id' }, [])
    expect(await count(notes, single)).toBe(1)
    expect(await isKept(() => count())).toBe(false)
    for (let round = 0; round < 3; round++) expect([await count(), await count(notes, single)]).toEqual([2, 1])
  })

  test('know a transaction that is committed by another session, later', async () => {
    const read = () => count()
    await run('begin', 'insert into notes values (3)', `prepare transaction 'later'`)
    await isKept(read)
    expect(await read()).toBe(2)
    await run(`commit prepared 'later'`)
    expect(await read()).toBe(3)
    await run('truncate notes')
    expect(await read()).toBe(0)
  })

  test('know each of several open transactions that are committed in another order than they began', async () => {
    const clients = await Promise.all([3, 4, 5].map(() => connect(made.url)))
    for (const [index, client] of clients.entries()) {
      await client.query('begin')
      await client.query('insert into notes values ($1)', [index + 3])
    }
    let expected = 2
    expect(await isKept(() => count())).toBe(true)
    for (const index of [1, 2, 0]) {
      expect(await count()).toBe(expected)
      await clients[index]?.query('commit')
      expected++
      expect(await isKept(() => count())).toBe(true)
      expect(await count()).toBe(expected)
    }
    await Promise.all(clients.map(client => client.end()))
  })

  test('are not those of a server before its crash, though it gives the same numbers to other transactions', async () => {
    await run('checkpoint')
    const snapshot = async () => (await run('select pg_current_snapshot()'))[0]?.[0]
    await run('insert into notes values (3)')
    const before = await snapshot()
    expect(await isKept(() => count())).toBe(true)
    expect(await count()).toBe(3)
    await crash()
    // The commit is lost, so the next transaction has its number.
    await run('insert into notes values (4), (5)')
    expect(await snapshot()).toBe(before)
    expect(await eventually(() => count())).toBe(4)
  })

  /** The server starts anew when one of its processes dies. */
  async function crash(): Promise<void> {
    const client = await connect(made.url)
    client.on('error', () => {})
    const { rows } = await client.query('select pg_backend_pid() as pid')
    process.kill(rows[0].pid, 'SIGKILL')
    await eventually(() => run('select 1'))
  }

  async function eventually<T>(fn: () => Promise<T>): Promise<T> {
    return expect
      .poll(
        () =>
          fn().then(
            value => ({ value }),
            () => undefined,
          ),
        { timeout: 20_000 },
      )
      .toBeDefined()
      .then(fn)
  }

  test('are read each time at a standby, which does not say what is open', async () => {
    // A standby gets what is on the disk of its primary.
    const waiting = ['set synchronous_commit = on']
    const standby = await server.standby()
    const replica = open(Object.assign(new URL(made.url), { port: standby.port }).href)
    await expect.poll(() => count(notes, replica).catch(() => 0), { timeout: 20_000 }).toBe(2)
    const writer = await connect(made.url)
    await writer.query('begin')
    await writer.query('insert into notes values (3)')
    await run(...waiting, 'insert into notes values (4)')
    await expect.poll(() => count(notes, replica), { timeout: 20_000 }).toBe(3)
    expect(await isKept(() => count(notes, replica), replica)).toBe(false)
    await writer.query('set local synchronous_commit = on; commit')
    await expect.poll(() => count(notes, replica), { timeout: 20_000 }).toBe(4)
    await writer.end()
    await replica.close()
    opened.splice(opened.indexOf(replica), 1)
    await standby.stop()
  }, 60_000)

  test('are read each time, without an error, if the user may not ask for the version', async () => {
    await run('revoke execute on function pg_current_snapshot() from public')
    const reader = open(as('reader'))
    for (let round = 0; round < 4; round++) expect(await count(notes, reader)).toBe(2)
    expect(await isKept(() => count(notes, reader), reader)).toBe(false)
  })

  test('of a table that does not exist fail, and do not end the comparison of others', async () => {
    await expect(count(other)).rejects.toThrow('relation "other" does not exist')
    expect(await isKept(() => count())).toBe(true)
  })

  test('are kept behind a pooler, whose server connections change', async () => {
    const pooler = await startTransactionPooler(made.url, 2)
    const pooled = open(pooler.url)
    expect(await isKept(() => count(notes, pooled), pooled)).toBe(true)
    await pooled.transaction(async () => void (await currentDb().insert(notes).values(note(3))))
    for (let round = 0; round < 4; round++) expect(await count(notes, pooled)).toBe(3)
    await pooled.close()
    opened.splice(opened.indexOf(pooled), 1)
    await pooler.close()
  })
})

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return client
}
