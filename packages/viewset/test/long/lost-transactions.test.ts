import SqliteDatabase from 'better-sqlite3'
import { and, isNotNull, ne } from 'drizzle-orm'
import { currentDb, findRecords, type ModelRecord, onCommit, transaction, ValidationError } from 'viewset'
import { sqlite } from 'viewset/sqlite'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useActions } from '../support/actions.ts'
import { administer, configure } from '../support/administer.ts'
import { useApi } from '../support/api.ts'
import { pgDialect, sqliteDialect, type TestDialect } from '../support/dialects.ts'
import { expectError, expectUnavailable, nonField, uuid } from '../support/expect.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { models } from '../support/models.ts'
import { ownPostgres } from '../support/own-postgres.ts'
import { authorResources, authorSettings, seedAuthors, storedAuthors, WRITES } from '../support/write-paths.ts'

/** Times that a transaction is run at most. */
const ATTEMPTS = 4
/** Writes that are one statement, tried by itself before there is a transaction (`decisions/0038`). */
const DIRECT = new Set(['a create', 'a PUT', 'a PATCH', 'a DELETE', 'a bulk create', 'a bulk update', 'a bulk delete'])

describe('pg: a transaction that the database gives up for another', () => {
  const dialect = ownPostgres()
  const tables = models(dialect.kit)
  const { authors } = tables
  /** What hooks have done, and what was said once it was stored. */
  let [runs, commits] = [0, 0]
  let meet = async (): Promise<void> => {}

  /** Somebody must always have an address: a rule that only a serializable transaction can keep. */
  class Watch extends FullViewSet(authorSettings(tables)) {
    override async performUpdate(author: ModelRecord<typeof authors>, values: { email?: string | null }) {
      runs++
      const others = await findRecords(authors, and(isNotNull(authors.email), ne(authors.id, author.id)))
      await meet()
      if (others.length === 0) throw new ValidationError('Somebody must have an address.')
      onCommit(() => commits++)
      return super.performUpdate(author, values)
    }
  }
  const api = useApi(dialect, { tables, resources: { ...authorResources(tables), watch: Watch } })

  beforeAll(async () => {
    await configure(dialect.url, { default_transaction_isolation: 'serializable', deadlock_timeout: '50ms' })
    await administer(
      dialect.url,
      'create sequence losses',
      'create function lose() returns trigger language plpgsql as $$ begin return null; end $$',
      'create trigger lose after insert or update or delete on authors for each statement execute function lose()',
      'create constraint trigger lose_late after insert or update or delete on authors deferrable initially deferred for each row execute function lose()',
    )
  })
  beforeEach(async () => {
    ;[runs, commits] = [0, 0]
    meet = async () => {}
    await lose(0, '40001', 'lose')
    // Connections that were ended may still be in the pool.
    await expect.poll(async () => (await api.get('/authors/')).status).toBe(200)
    await seedAuthors(api, tables)
  })

  /** Of the next statements, or commits, so many fail with the code that the server has for it. */
  const lose = (times: number, code: string, at: string) =>
    administer(
      dialect.url,
      'alter sequence losses restart',
      `create or replace function lose() returns trigger language plpgsql as $$ begin
        if tg_name = '${at}' and ${times} > 0 and nextval('losses') <= ${times} then
          raise exception 'secret of the server' using errcode = '${code}';
        end if;
        return null; end $$`,
    )

  test('because each has read what the other writes is run again as a whole, and sees what the other has done', async () => {
    let arrived = 0
    const both = Promise.withResolvers<void>()
    meet = () => {
      if (++arrived === 2) both.resolve()
      return both.promise
    }
    const responses = await Promise.all([1, 2].map(n => api.patch(`/watch/${uuid(n)}/`, { email: null })))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 400])
    const refused = responses.find(({ status }) => status === 400)
    expectError(refused!, 400, 'Somebody must have an address.', nonField('Somebody must have an address.'))
    expect([runs, commits]).toEqual([3, 1])
    const left = await api.database.use(() => findRecords(authors, isNotNull(authors.email)))
    expect(left).toHaveLength(1)
  })

  test('whenever it is run is given up with 503, and nothing is stored', async () => {
    const before = await storedAuthors(api)
    // Somebody else changes, each time, what has just been read, and has read what is about to be written.
    meet = async () => {
      await administer(
        dialect.url,
        'begin isolation level serializable',
        'select * from authors',
        `update authors set updated_at = now() where id = '${uuid(2)}'`,
        'commit',
      )
    }
    expectUnavailable(await api.patch(`/watch/${uuid(1)}/`, { email: null }))
    expect([runs, commits]).toEqual([ATTEMPTS, 0])
    const unchanged = (row: string) => row.includes(uuid(1))
    expect((await storedAuthors(api)).filter(unchanged)).toEqual(before.filter(unchanged))
    meet = async () => {}
    expect((await api.patch(`/watch/${uuid(1)}/`, { email: null })).status).toBe(200)
    expect(commits).toBe(1)
  })

  test('because two bulk updates meet in opposed orders is run again, and both succeed', async () => {
    const save = (...ids: number[]) =>
      api.patch(
        '/saved/bulk-update/',
        ids.map(n => ({ id: uuid(n), name: `by ${ids[0]}` })),
      )
    for (let i = 0; i < 10; i++) {
      const responses = await Promise.all([save(1, 2, 3), save(3, 2, 1)])
      expect(responses.map(({ status }) => status)).toEqual([200, 200])
      const names = (await api.get('/authors/')).data<{ name: string }[]>().map(({ name }) => name)
      expect(new Set(names).size).toBe(1)
    }
  })

  describe.each([
    ['a serialization failure', '40001', 'lose'],
    ['a serialization failure of the commit', '40001', 'lose_late'],
    ['a deadlock', '40P01', 'lose'],
  ])('for %s', (_, code, at) => {
    test.each(WRITES)('%s is run again', async (_label, status, write) => {
      await lose(2, code, at)
      const response = await write(api)
      expect(response.status, response.text).toBe(status)
      expect(await administer(dialect.url, 'select last_value >= 3 from losses')).toEqual([[true]])
      await lose(0, code, at)
      const twice = await storedAuthors(api)
      await api.clear()
      await seedAuthors(api, tables)
      await write(api)
      expect(twice).toHaveLength((await storedAuthors(api)).length)
    })

    test.each(WRITES)('%s is given up with 503, and nothing is stored', async (label, status, write) => {
      const before = await storedAuthors(api)
      await lose(1_000, code, at)
      expectUnavailable(await write(api))
      expect(await storedAuthors(api)).toEqual(before)
      const attempts = ATTEMPTS + (DIRECT.has(label) ? 1 : 0)
      expect(await administer(dialect.url, 'select last_value from losses')).toEqual([[String(attempts)]])
      await lose(0, code, at)
      expect((await write(api)).status).toBe(status)
    })
  })
})

describe('sqlite: a file in which somebody else is writing', () => {
  let path = ''
  const dialect: TestDialect = {
    ...sqliteDialect,
    open: address => {
      path = address
      return sqlite(path, { busyTimeout: 300 })
    },
  }
  const tables = models(dialect.kit)
  const api = useApi(dialect, { tables, resources: authorResources(tables) })
  let other: SqliteDatabase.Database
  beforeEach(async () => {
    await seedAuthors(api, tables)
    other = new SqliteDatabase(path)
  })
  afterEach(() => void other.close())

  test.each(WRITES)('%s is 503, stores nothing, and works once the other is done', async (_, status, write) => {
    const before = await storedAuthors(api)
    other.exec('begin immediate')
    expectUnavailable(await write(api), 'The database is busy. Please try again.')
    other.exec('rollback')
    expect(await storedAuthors(api)).toEqual(before)
    expect((await write(api)).status).toBe(status)
  })

  test.each(WRITES)('%s waits for the other, and sees what it has written', async (_, status, write) => {
    other.exec('begin immediate')
    other.exec(`update authors set is_active = 0 where id = '${uuid(2)}'`)
    const writing = write(api)
    // A request that is answered shows that the event loop is free.
    expect((await api.get('/authors/')).status).toBe(200)
    other.exec('commit')
    expect((await writing).status).toBe(status)
  })
})

describe('sqlite: a transaction that SQLite has rolled back by itself', () => {
  const { api, authors, run, create, names } = useActions(sqliteDialect)
  const refuse = (database: typeof api.database) =>
    database.run(
      {
        text: `create trigger if not exists refuse before insert on authors when new.name = 'refused'
          begin select raise(rollback, 'refused by a trigger'); end`,
      },
      [],
    )
  const refused = { name: 'SqliteError', message: 'refused by a trigger' }

  test('stores nothing of what follows, and does not claim to', async () => {
    await refuse(api.database)
    const response = await run(async () => {
      await create('before')
      await create('refused').catch(() => null)
      const next = currentDb().insert(authors).values({ name: 'after' })
      await expect((async () => next)()).rejects.toMatchObject({ cause: refused })
      return 'stored'
    })
    expect(response.status).not.toBe(200)
    expect(await names()).toEqual([])
    await run(() => create('next'))
    expect(await names()).toEqual(['next'])
  })

  test('in a savepoint throws what ended it, and ends what is around it', async () => {
    await refuse(api.database)
    const insert = (name: string) =>
      api.database.run({ text: 'insert into authors (id, name) values (?, ?)' }, [name, name])
    const outer = api.database.transaction(async () => {
      await expect(transaction(() => insert('refused'))).rejects.toMatchObject(refused)
      await expect(transaction(() => insert('after'))).rejects.toMatchObject(refused)
    })
    await expect(outer).rejects.toMatchObject(refused)
    expect(await names()).toEqual([])
  })
})

describe('pg: a connection that is lost in a savepoint', () => {
  const { api, run, create, names } = useActions(pgDialect)

  test('leaves what the savepoint threw as it is, and stores nothing', async () => {
    const failure = new Error('in the savepoint')
    let thrown: unknown
    const response = await run(async () => {
      await create('before')
      thrown = await transaction(async () => {
        await api.database.run({ text: 'select pg_terminate_backend(pg_backend_pid())' }, []).catch(() => null)
        throw failure
      }).catch((error: unknown) => error)
      return 'stored'
    })
    expect(thrown).toBe(failure)
    expectUnavailable(response)
    expect(await names()).toEqual([])
  })
})
