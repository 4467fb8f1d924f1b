import SqliteDatabase from 'better-sqlite3'
import { eq } from 'drizzle-orm'
import { createRecord, currentDb, findRecords } from 'viewset'
import { postgres } from 'viewset/pg'
import { sqlite } from 'viewset/sqlite'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { useActions } from '../support/actions.ts'
import { administer } from '../support/administer.ts'
import { TestApi } from '../support/api.ts'
import { describeDialects, sqliteDialect, type TestDialect } from '../support/dialects.ts'
import { expectError, expectSuccess, expectUnavailable, ID, nonField, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { notesTable } from '../support/notes.ts'
import { ownPostgres } from '../support/own-postgres.ts'
import { authorResources, seedAuthors, WRITES } from '../support/write-paths.ts'

describeDialects('a value that only the database refuses', dialect => {
  const { api, tables, run, read } = useActions(dialect)

  test('null is 400', async () => {
    // TypeScript refuses it as well.
    const values = { name: null as never }
    const response = await run(async () => currentDb().insert(tables.authors).values(values))
    const message = 'This field needs a value: null is not allowed.'
    expectError(response, 400, message, nonField(message))
    expect(await api.rows('authors')).toEqual([])
  })

  test('one that violates a check is 400', async () => {
    const { driver } = api.database
    await driver.run({ text: 'create table positives (n integer check (n > 0))' }, [])
    const response = await read(() => driver.run({ text: 'insert into positives values (0)' }, []))
    const message = 'This value is not valid.'
    expectError(response, 400, message, nonField(message))
  })
})

describeDialects('what comes to a database that is closed', dialect => {
  const tables = models(dialect.kit)
  const open = dialect.name === 'pg' ? postgres : sqlite
  let api: TestApi
  beforeAll(async () => {
    api = await TestApi.start({ ...dialect, open: url => open(url) }, { tables, resources: authorResources(tables) })
    await seedAuthors(api, tables)
    await api.database.close()
  })
  afterAll(() => api.close())

  test.each(WRITES)('is 503: %s', async (_, _status, write) => expectUnavailable(await write(api)))
  test('is 503: an export', async () => {
    expectUnavailable(await api.post('/authors/export/', { file_type: 'csv' }))
  })
  test.each(['/', `/${uuid(1)}/`, '/?page_size=1'])('is 503: %s', async path => {
    expectUnavailable(await api.get(`/authors${path}`))
  })
})

describe('pg: a limit of time', () => {
  const { api, run } = useActions(ownPostgres({ poolSize: 2, connectTimeout: 500, statementTimeout: 500 }))
  const works = () => expect.poll(async () => (await api.get('/authors/')).status).toBe(200)

  test('a statement that takes too long is 503', async () => {
    expectUnavailable(await run(() => currentDb().execute('select pg_sleep(60)')))
    await works()
  })

  test('a pool without a free connection is 503, and works again once there is one', async () => {
    const answered = Promise.withResolvers<void>()
    let held = 0
    const holding = [1, 2].map(() =>
      run(() => {
        held++
        return answered.promise
      }),
    )
    await expect.poll(() => held).toBe(2)
    expectUnavailable(await api.get('/authors/'))
    answered.resolve()
    await Promise.all(holding)
    await works()
  })
})

describe('pg', () => {
  const home = ownPostgres({ poolSize: 2, connectTimeout: 60_000 })
  const { api, tables, run, read } = useActions(home)
  const { authors } = tables

  const ask = (text: string) => administer(home.url, text)
  const query = (text: string) => currentDb().execute(text)
  /** Waits until a connection of the API is in that state, since how long that takes depends on the machine. */
  const backendIs = (condition: string) =>
    expect
      .poll(() =>
        ask(
          `select count(*)::int from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database() and ${condition}`,
        ),
      )
      .not.toEqual([[0]])
  /** Idle connections may have been killed too: one that the pool has not noticed yet answers 503. */
  const recovers = () => expect.poll(async () => (await api.get('/authors/')).status).toBe(200)
  const terminateAll = () =>
    ask(
      'select pg_terminate_backend(pid, 10000) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    )

  test('a connection killed while a statement runs is 503, and nothing is stored', async () => {
    const running = run(async () => {
      await currentDb().insert(authors).values({ name: 'Ada' })
      await query('select pg_sleep(60)')
    })
    await backendIs(`state = 'active' and query like '%pg_sleep%'`)
    await terminateAll()
    expectUnavailable(await running)
    await recovers()
    expectSuccess(await api.get('/authors/'), 200, { count: 0, data: [] })
  })

  test('a connection killed while an action waits for something else is 503, and the process lives', async () => {
    const [inserted, killed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const running = run(async () => {
      await currentDb().insert(authors).values({ name: 'Ada' })
      inserted.resolve()
      await killed.promise
      await currentDb().insert(authors).values({ name: 'Bob' })
    })
    await inserted.promise
    await terminateAll()
    killed.resolve()
    expectUnavailable(await running)
    await recovers()
    expectSuccess(await api.get('/authors/'), 200, { count: 0, data: [] })
  })

  test("a connection killed in a transaction of Drizzle's is 503, and the process lives", async () => {
    const response = await read(() =>
      currentDb().transaction(async tx => {
        await tx.insert(authors).values({ name: 'Ada' })
        await terminateAll()
        await tx.insert(authors).values({ name: 'Bob' })
      }),
    )
    expectUnavailable(response)
    await recovers()
    expectSuccess(await api.get('/authors/'), 200, { count: 0, data: [] })
  })

  test('a connection killed just before the commit is 503', async () => {
    const [inserted, killed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const running = run(async () => {
      await currentDb().insert(authors).values({ name: 'Ada' })
      inserted.resolve()
      await killed.promise
    })
    await inserted.promise
    await terminateAll()
    killed.resolve()
    expectUnavailable(
      await running,
      'The connection to the database was lost while it stored your change. Read the record to see whether it is stored.',
    )
    await recovers()
    expectSuccess(await api.get('/authors/'), 200, { count: 0, data: [] })
  })

  test('idle connections that were killed are replaced', async () => {
    await Promise.all([api.get('/authors/'), api.get('/authors/')])
    await terminateAll()
    const statuses = (await Promise.all([1, 2, 3, 4].map(() => api.get('/authors/')))).map(({ status }) => status)
    expect(statuses.every(status => status === 200 || status === 503)).toBe(true)
    await recovers()
  })

  test('a lock that is not given in time is 503', async () => {
    await seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ada' }] })
    const [locked, waited] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const rename = (name: string) =>
      currentDb()
        .update(authors)
        .set({ name })
        .where(eq(authors.id, uuid(1)))
    const holding = run(async () => {
      await rename('Held')
      locked.resolve()
      await waited.promise
    })
    await locked.promise
    const response = await run(async () => {
      await query(`set local lock_timeout = '50ms'`)
      await rename('Late')
    })
    waited.resolve()
    expectUnavailable(response)
    expect((await holding).status).toBe(200)
    expect((await api.get(`/authors/${uuid(1)}/`)).data().name).toBe('Held')
  })

  test('a real deadlock is run again, and both requests succeed', async () => {
    await seed(api.database, tables, { authors: [1, 2].map(n => ({ id: uuid(n), name: `A${n}` })) })
    let arrived = 0
    const both = Promise.withResolvers<void>()
    const lockInOrder = (first: number, second: number) => async () => {
      const rename = (n: number) =>
        currentDb()
          .update(authors)
          .set({ name: `by ${first}` })
          .where(eq(authors.id, uuid(n)))
      await rename(first)
      if (++arrived === 2) both.resolve()
      await both.promise
      await rename(second)
      return first
    }
    await ask(`alter database "${new URL(home.url).pathname.slice(1)}" set deadlock_timeout = '50ms'`)
    await terminateAll()
    await recovers()
    const [one, two] = await Promise.all([run(lockInOrder(1, 2)), run(lockInOrder(2, 1))])
    expectSuccess(one!, 200, { data: 1 })
    expectSuccess(two!, 200, { data: 2 })
    const names = (await api.get('/authors/')).data<{ name: string }[]>().map(({ name }) => name)
    expect(new Set(names).size).toBe(1)
  })

  test('a database that is gone is 503', async () => {
    const lonely = postgres('postgres://nobody@127.0.0.1:1/nothing', { connectTimeout: 300 })
    const fault = lonely.dialect.fault(
      await lonely.driver.run({ text: 'select 1' }, []).catch((error: unknown) => error),
    )
    expect(fault).toEqual({ kind: 'unavailable' })
    await lonely.close()
  })
})

/** An API on SQLite, and a connection that stands for another process: it knows nothing of the API's queue. */
function besideAnother(busyTimeout: number) {
  let path = ''
  const dialect: TestDialect = {
    ...sqliteDialect,
    open: address => {
      path = address
      return sqlite(path, { busyTimeout })
    },
  }
  const actions = useActions(dialect)
  let other: SqliteDatabase.Database
  beforeEach(() => {
    other = new SqliteDatabase(path)
  })
  afterEach(() => void other.close())
  return { ...actions, exec: (text: string) => void other.exec(text) }
}

describe('sqlite: another process that writes for too long', () => {
  const { api, exec } = besideAnother(500)

  test('is 503 when that takes too long, and works again afterwards', async () => {
    exec('begin immediate')
    expectUnavailable(await api.post('/authors/', { name: 'Ada' }), 'The database is busy. Please try again.')
    exec('rollback')
    expectSuccess(await api.post('/authors/', { name: 'Ada' }), 201, { data: { id: ID, name: 'Ada' } })
  })
})

describe('sqlite', () => {
  const { api, tables, run, exec } = besideAnother(60_000)

  test('waits for another process that is writing, without blocking the event loop', async () => {
    exec('begin immediate')
    let ticks = 0
    const ticking = setInterval(() => ticks++, 5)
    const writing = api.post('/authors/', { name: 'Ada' })
    await expect.poll(() => ticks).toBeGreaterThan(10)
    expect((await api.get('/authors/')).status).toBe(200)
    exec('commit')
    expectSuccess(await writing, 201, { data: { id: ID, name: 'Ada' } })
    clearInterval(ticking)
  })

  test('sees at once what another process has committed', async () => {
    exec(`insert into authors (id, name) values ('${uuid(1)}', 'Other')`)
    expectSuccess(await api.get('/authors/'), 200, { count: 1, data: [{ id: uuid(1), name: 'Other', index: 1 }] })
  })

  test('an action that fails gives the writer free', async () => {
    for (let i = 0; i < 3; i++) {
      const response = await run(async () => {
        await currentDb().insert(tables.authors).values({ name: 'Ada' })
        throw new Error('crash')
      })
      expect(response.status).toBe(500)
    }
    expectSuccess(await api.post('/authors/', { name: 'Ada' }), 201, { data: { id: ID, name: 'Ada' } })
  })
})

describe('sqlite: a transaction that cannot be ended', () => {
  let home: TestDatabase
  const notes = notesTable(sqliteDialect.kit)
  beforeEach(async () => {
    home = await createTestDatabase({ schema: { notes } })
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await home.drop()
  })

  /** The disk fails under these statements, as it would for SQLite itself. */
  function breakStatements(...texts: readonly string[]): void {
    const { prepare } = SqliteDatabase.prototype
    vi.spyOn(SqliteDatabase.prototype, 'prepare').mockImplementation(function (this: SqliteDatabase.Database, text) {
      if (texts.includes(text)) throw new SqliteDatabase.SqliteError('disk I/O error', 'SQLITE_IOERR')
      return prepare.call(this, text)
    })
  }
  const texts = () => home.database.use(async () => (await findRecords(notes)).map(({ text }) => text))

  test.each([[['rollback']], [['commit']], [['commit', 'rollback']]])(
    'keeps nobody from writing, and stores nothing (%j)',
    async broken => {
      const { database } = home
      breakStatements(...broken)
      for (let i = 0; i < 2; i++) {
        const failing = database.transaction(async () => {
          await createRecord(notes, { text: 'never' })
          if (!broken.includes('commit')) throw new Error('at the end')
        })
        await expect(failing).rejects.toThrow(broken.includes('commit') ? 'disk I/O error' : 'at the end')
      }
      vi.restoreAllMocks()
      await database.transaction(() => createRecord(notes, { text: 'stored' }))
      expect(await texts()).toEqual(['stored'])
    },
  )
})
