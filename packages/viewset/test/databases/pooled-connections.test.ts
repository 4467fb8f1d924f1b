import { Client } from 'pg'
import { currentDb, type Database } from 'viewset'
import { type PostgresOptions, postgres } from 'viewset/pg'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { pgDialect } from '../support/dialects.ts'
import { startTransactionPooler } from '../support/transaction-pooler.ts'

describe('behind a pooler that lends a connection for one transaction', () => {
  let home: TestDatabase
  let pooler: Awaited<ReturnType<typeof startTransactionPooler>>
  const databases: Database[] = []

  beforeAll(async () => {
    home = await createTestDatabase(pgDialect.server)
    return home.drop
  })
  beforeEach(async () => {
    pooler = await startTransactionPooler(home.url, 2)
  })
  afterEach(async () => {
    await Promise.all(databases.splice(0).map(database => database.close()))
    await pooler.close()
  })

  function open(options: PostgresOptions = {}): Database {
    const database = postgres(pooler.url, { poolSize: 2, ...options })
    databases.push(database)
    return database
  }

  /** What each of the pooler's connections tells somebody else. */
  async function seenByOthers(setting: string): Promise<unknown[]> {
    const other = new Client({ connectionString: pooler.url })
    await other.connect()
    const told: unknown[] = []
    for (let i = 0; i < 2; i++)
      told.push((await other.query<[string]>({ text: `show ${setting}`, rowMode: 'array' })).rows.flat()[0])
    await other.end()
    return told
  }

  const one = async (database: Database, text: string) => (await database.run({ text }, [])).rows[0]?.[0]

  test('leaves no setting to those who use the connections next', async () => {
    const before = await seenByOthers('statement_timeout')
    const database = open({ statementTimeout: 12_345 })
    for (let i = 0; i < 4; i++) await one(database, 'select 1')
    await database.transaction(() => database.run({ text: 'select 1' }, []))
    expect(await seenByOthers('statement_timeout')).toEqual(before)
    expect(await seenByOthers('timezone')).toEqual(['UTC', 'UTC'])
  })

  test('a statement of a transaction has its time limit', async () => {
    const database = open({ statementTimeout: 12_345 })
    expect(await database.transaction(() => one(database, 'show statement_timeout'))).toBe('12345ms')
  })

  test('every statement is in UTC with ISO dates, whatever others set', async () => {
    const [database, other] = [open(), new Client({ connectionString: pooler.url })]
    await other.connect()
    const read = () => one(database, `select '2026-07-15 10:30:00.5+00'::timestamptz`)
    for (let i = 0; i < 4; i++) {
      await other.query(`set timezone = 'Europe/Berlin'; set datestyle = 'SQL, DMY'`)
      expect(await read()).toBe('2026-07-15 10:30:00.5+00')
      expect(await database.transaction(read)).toBe('2026-07-15 10:30:00.5+00')
    }
    await other.end()
  })

  test('statements that come again run on whatever connection they meet', async () => {
    const database = open()
    const statement = database.statement('one', () => 'select $1::int')
    for (let i = 0; i < 6; i++) expect((await database.run(statement, [i])).rows).toEqual([[String(i)]])
    const all = await Promise.all([1, 2, 3, 4, 5, 6].map(n => database.run(statement, [n])))
    expect(all.flatMap(({ rows }) => rows.flat())).toEqual(['1', '2', '3', '4', '5', '6'])
  })

  test("Drizzle's own statements run as well", async () => {
    const database = open()
    const db = database.use(() => currentDb())
    expect(await db.execute<{ n: number }>('select 1 as n')).toMatchObject({ rows: [{ n: 1 }] })
  })
})

test('without a pooler, every statement has its time limit, also outside of a transaction', async () => {
  const { url, drop } = await createTestDatabase(pgDialect.server)
  const database = postgres(url, { statementTimeout: 12_345 })
  try {
    const { rows } = await database.run({ text: 'show statement_timeout' }, [])
    const drizzle = await database.use(() => currentDb().execute('show statement_timeout'))
    expect([rows, drizzle]).toMatchObject([[['12345ms']], { rows: [{ statement_timeout: '12345ms' }] }])
  } finally {
    await database.close()
    await drop()
  }
})
