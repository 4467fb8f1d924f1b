import { setTimeout as sleep } from 'node:timers/promises'
import SqliteDatabase from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import {
  type BegunTransaction,
  createRecord,
  currentDb,
  currentUser,
  type Database,
  type DrizzleDatabase,
  findRecords,
  ImportService,
  importModel,
  insertMany,
  onCommit,
  runAs,
  transaction,
} from 'viewset'
import { sqlite } from 'viewset/sqlite'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { pgDialect, sqliteDialect, type TestDialect } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { csv } from '../support/imports.ts'
import { notesTable } from '../support/notes.ts'

/** How an application begins a transaction, and ends it as `use` does: well, or not. */
interface Beginner {
  readonly name: string
  readonly dialect: TestDialect
  /** Connects to the test's database. */
  open(url: string): {
    /** `insert` stores a note as the application would by itself. */
    begin(use: (tx: BegunTransaction, insert: (text: string) => Promise<unknown>) => Promise<unknown>): Promise<void>
    close(): Promise<void>
  }
}

const insertOf = (text: string) => `insert into notes (id, text) values ('${crypto.randomUUID()}', '${text}')`

const drizzleOnPg: Beginner = {
  name: "Drizzle's tx of node-postgres",
  dialect: pgDialect,
  open(url) {
    const db = drizzlePg(new pg.Pool({ connectionString: url }))
    return {
      begin: async use => {
        await db.transaction(tx => use(tx, text => tx.execute(sql.raw(insertOf(text)))))
      },
      close: () => db.$client.end(),
    }
  },
}

const savepointOnPg: Beginner = {
  name: "Drizzle's tx in another",
  dialect: pgDialect,
  open(url) {
    const db = drizzlePg(new pg.Pool({ connectionString: url }))
    return {
      begin: async use => {
        await db.transaction(outer => outer.transaction(tx => use(tx, text => tx.execute(sql.raw(insertOf(text))))))
      },
      close: () => db.$client.end(),
    }
  },
}

const clientOfPg: Beginner = {
  name: 'a client of a pool',
  dialect: pgDialect,
  open(url) {
    const pool = new pg.Pool({ connectionString: url, options: '-c TimeZone=Asia/Kathmandu' })
    return {
      async begin(use) {
        const client = await pool.connect()
        try {
          await client.query('begin')
          await use(client, text => client.query(insertOf(text)))
          await client.query('commit')
        } catch (error) {
          await client.query('rollback')
          throw error
        } finally {
          client.release()
        }
      },
      close: () => pool.end(),
    }
  },
}

function onHandle(name: string, txOf: (handle: SqliteDatabase.Database) => BegunTransaction): Beginner {
  return {
    name,
    dialect: sqliteDialect,
    open(path) {
      const handle = new SqliteDatabase(path)
      return {
        async begin(use) {
          handle.exec('begin immediate')
          try {
            await use(txOf(handle), async text => handle.exec(insertOf(text)))
            handle.exec('commit')
          } catch (error) {
            handle.exec('rollback')
            throw error
          }
        },
        close: async () => void handle.close(),
      }
    },
  }
}

describe.each([
  drizzleOnPg,
  savepointOnPg,
  clientOfPg,
  onHandle('a handle of better-sqlite3', handle => handle),
  onHandle('a Drizzle database on a handle', handle => drizzleSqlite(handle)),
])('withTransaction on $name', ({ dialect, open }) => {
  const notes = notesTable(dialect.kit)
  let home: TestDatabase
  let database: Database
  let application: ReturnType<Beginner['open']>
  beforeAll(async () => {
    home = await createTestDatabase({ ...dialect.server, schema: { notes } })
    database = home.database
  })
  beforeEach(() => home.clear())
  beforeEach(() => {
    application = open(home.url)
  })
  afterEach(() => application.close())
  afterAll(() => home.drop())

  const create = (text: string) => createRecord(notes, { text })
  const textsHere = async () => (await findRecords(notes)).map(({ text }) => text).toSorted()
  /** What is stored for everybody to see. */
  const stored = () => database.use(textsHere)

  const importer = (chunkSize?: number) =>
    new ImportService({
      fileFormat: 'csv',
      order: ['notes'],
      models: { notes: importModel({ model: notes, fields: ['text'], uniqueFields: ['text'] }) },
      ...(chunkSize !== undefined && { chunkSize }),
    })
  const file = csv(['text'], ['imported'])

  test('everything joins it, and is stored by its commit', async () => {
    await application.begin(async (tx, insert) => {
      await insert('own')
      const seen = await database.withTransaction(tx, async () => {
        await create('record')
        await insertMany(notes, [{ text: 'bulk' }])
        await currentDb().insert(notes).values({ text: 'drizzle' })
        await transaction(() => create('savepoint'))
        await database.transaction(() => create('nested'))
        expect(await importer().import(file, { append: true })).toMatchObject({ success: true, created: 1 })
        return textsHere()
      })
      expect(seen).toEqual(['bulk', 'drizzle', 'imported', 'nested', 'own', 'record', 'savepoint'])
      expect(await stored()).toEqual([])
      await insert('own again')
    })
    expect(await stored()).toHaveLength(8)
  })

  test('everything goes when the application takes it back', async () => {
    const failing = application.begin(async (tx, insert) => {
      await insert('own')
      await database.withTransaction(tx, async () => {
        await create('record')
        await currentDb().insert(notes).values({ text: 'drizzle' })
      })
      throw new Error('the application changed its mind')
    })
    await expect(failing).rejects.toThrow('the application changed its mind')
    expect(await stored()).toEqual([])
  })

  test('what fn throws undoes its own writes, and the application can go on', async () => {
    await application.begin(async (tx, insert) => {
      await insert('before')
      const refused = database.withTransaction(tx, async () => {
        await createRecord(notes, { id: uuid(1), text: 'A' })
        await createRecord(notes, { id: uuid(1), text: 'B' })
      })
      await expect(refused).rejects.toMatchObject({ status: 409 })
      await insert('after')
    })
    expect(await stored()).toEqual(['after', 'before'])
  })

  test('it can be joined again, also inside of itself', async () => {
    await application.begin(async tx => {
      await database.withTransaction(tx, () => create('first'))
      await database.withTransaction(tx, async () => {
        await create('second')
        await database.withTransaction(tx, () => create('inner'))
      })
    })
    expect(await stored()).toEqual(['first', 'inner', 'second'])
  })

  test('of two at the same time, the second waits for the first, and loses nothing of it', async () => {
    await application.begin(async tx => {
      const first = database.withTransaction(tx, async () => {
        await create('first')
        await sleep(20)
      })
      const second = database.withTransaction(tx, async () => {
        await create('second')
        await sleep(40)
        throw new Error('too late')
      })
      await Promise.all([first, expect(second).rejects.toThrow('too late')])
    })
    expect(await stored()).toEqual(['first'])
  })

  test('the user is that of the code around it', async () => {
    await application.begin(async tx => {
      await runAs({ id: 'robot' }, () =>
        database.withTransaction(tx, async () => {
          expect(currentUser()).toEqual({ id: 'robot' })
          expect(await create('A')).toMatchObject({ createdBy: 'robot' })
        }),
      )
    })
  })

  test('returns what fn returns, with timestamps in UTC', async () => {
    await application.begin(async tx => {
      const note = await database.withTransaction(tx, () => create('A'))
      const [found] = await database.withTransaction(tx, () => findRecords(notes))
      expect(found?.createdAt).toBe(note.createdAt)
    })
  })

  describe('onCommit', () => {
    test('hands over what is to follow once fn has succeeded, for the application to call behind its commit', async () => {
      const events: string[] = []
      const callbacks: (() => unknown)[] = []
      const options = { onCommit: (callback: () => unknown) => void callbacks.push(callback) }
      await application.begin(async tx => {
        await database.withTransaction(
          tx,
          async () => {
            onCommit(() => events.push('first'))
            await transaction(async () => onCommit(() => events.push('second')))
            await transaction(async () => {
              onCommit(() => events.push('never'))
              throw new Error('only this one')
            }).catch(() => null)
            expect(callbacks).toEqual([])
          },
          options,
        )
        const failing = database.withTransaction(
          tx,
          async () => {
            onCommit(() => events.push('never'))
            throw new Error('all of it')
          },
          options,
        )
        await expect(failing).rejects.toThrow('all of it')
        expect(events).toEqual([])
      })
      for (const callback of callbacks) await callback()
      expect(events).toEqual(['first', 'second'])
    })

    test('is an error that says what to do where nobody takes it over', async () => {
      const problem =
        'The application ends this transaction: give withTransaction an onCommit that keeps what is to follow.'
      await application.begin(async tx => {
        const inside = database.withTransaction(tx, async () => onCommit(() => {}))
        await expect(inside).rejects.toThrow(problem)
        const deeper = database.withTransaction(tx, () => transaction(async () => onCommit(() => {})))
        await expect(deeper).rejects.toThrow(problem)
      })
    })
  })

  test('its database, kept beyond fn, throws', async () => {
    let kept: DrizzleDatabase | undefined
    await application.begin(async tx => {
      await database.withTransaction(tx, async () => {
        kept = currentDb()
      })
      const late = (async () => kept?.insert(notes).values({ text: 'late' }))()
      const error = (await late.catch((thrown: unknown) => thrown)) as Error
      expect(`${error.message} ${(error.cause as Error | undefined)?.message}`).toContain(
        'This transaction has ended; its database cannot be used any more.',
      )
    })
    expect(await stored()).toEqual([])
  })

  test('the chunks of an import are a part of it', async () => {
    const undone = application.begin(async tx => {
      await database.withTransaction(tx, () => importer(1).import(file, { append: true }))
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    expect(await stored()).toEqual([])
  })

  test('a transaction that has ended is refused', async () => {
    let kept: BegunTransaction | undefined
    await application.begin(async tx => {
      kept = tx
    })
    const late = database.withTransaction(kept!, () => create('late'))
    await expect(late).rejects.toMatchObject({ name: 'ConfigError', subject: 'withTransaction', key: 'tx' })
    expect(await stored()).toEqual([])
  })

  test('one that the application ends while fn still runs stores nothing more of it', async () => {
    const [created, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let running: Promise<unknown> | undefined
    await application.begin(async tx => {
      running = database.withTransaction(tx, async () => {
        await create('before')
        created.resolve()
        await ended.promise
        await create('after')
      })
      await created.promise
    })
    ended.resolve()
    await expect(running).rejects.toThrow('The application has ended this transaction before its time.')
    expect(await stored()).toEqual(['before'])
  })

  test('what is no transaction is refused', async () => {
    const joined = database.withTransaction as (tx: unknown, ...rest: unknown[]) => Promise<unknown>
    for (const tx of [undefined, null, {}, 5, database]) {
      const refused = joined.call(database, tx, () => create('never'))
      await expect(refused).rejects.toMatchObject({ name: 'ConfigError', subject: 'withTransaction', key: 'tx' })
    }
    await application.begin(async tx => {
      await expect(joined.call(database, tx, () => create('never'), { oncommit: () => {} })).rejects.toThrow(
        'withTransaction: oncommit: unknown option; did you mean "onCommit"?',
      )
    })
    expect(await stored()).toEqual([])
  })
})

describe('withTransaction tells what it was given instead of a transaction', () => {
  const fn = async () => 'never'

  test('pg: a pool, a Drizzle database, a client without begin', async () => {
    const { database, url, drop } = await createTestDatabase(pgDialect.server)
    const pool = new pg.Pool({ connectionString: url })
    const client = await pool.connect()
    const joined = database.withTransaction as (tx: unknown, fn: () => Promise<unknown>) => Promise<unknown>
    try {
      for (const tx of [pool, drizzlePg(pool)]) {
        await expect(joined.call(database, tx, fn)).rejects.toThrow(
          'withTransaction: tx: must be what transaction() of a "drizzle-orm/node-postgres" database hands out, or a client of "pg"',
        )
      }
      await expect(database.withTransaction(client, fn)).rejects.toThrow(
        'withTransaction: tx: no transaction is open on it; begin one, and wait for the end of fn',
      )
    } finally {
      client.release()
      await pool.end()
      await drop()
    }
  })

  test("sqlite: Drizzle's synchronous tx, another database, a handle without begin", async () => {
    const { database, url, drop } = await createTestDatabase()
    const [handle, other] = [new SqliteDatabase(url), new SqliteDatabase(':memory:')]
    try {
      const refusals: Promise<unknown>[] = []
      drizzleSqlite(handle).transaction(tx => {
        refusals.push(database.withTransaction(tx, fn))
      })
      await expect(refusals[0]).rejects.toThrow(
        'withTransaction: tx: transaction() of better-sqlite3 ends before async code does; give a handle behind "begin immediate"',
      )
      await expect(database.withTransaction(handle, fn)).rejects.toThrow(
        'withTransaction: tx: no transaction is open on it; run "begin immediate" first',
      )
      other.exec('begin')
      await expect(database.withTransaction(other, fn)).rejects.toThrow(
        'withTransaction: tx: it is a transaction of another database, ":memory:"',
      )
    } finally {
      handle.close()
      other.close()
      await drop()
    }
  })
})

test('sqlite: a transaction on a database in memory is joined as well, while all others wait for its end', async () => {
  const handle = new SqliteDatabase(':memory:')
  const database = sqlite(handle)
  handle.exec('create table t (n integer)')
  const insert = (n: number) => database.run({ text: `insert into t values (${n})` }, [])
  handle.exec('begin immediate')
  const waiting = insert(2)
  await database.withTransaction(handle, () => insert(1))
  expect(handle.prepare('select n from t').all()).toEqual([{ n: 1 }])
  handle.exec('rollback')
  await waiting
  expect(handle.prepare('select n from t').all()).toEqual([{ n: 2 }])
  await database.close()
  handle.close()
})
