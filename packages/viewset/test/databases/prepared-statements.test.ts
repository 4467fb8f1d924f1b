import SqliteDatabase from 'better-sqlite3'
import { eq } from 'drizzle-orm'
import { type Database, findRecords } from 'viewset'
import { postgres } from 'viewset/pg'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { useActions } from '../support/actions.ts'
import { pgDialect } from '../support/dialects.ts'
import { askForOrderings, createWideTable } from '../support/wide-orderings.ts'

/** As many orderings and filters as a client can think of. */
const SHAPES = 4_000

/** Most that a connection keeps prepared, on both databases. */
const KEPT = 500

const shape = (database: Database, n: number) => database.statement(`shape ${n}`, () => `select ${n} as n`)

describe('pg: statements of ever new shapes on one connection', () => {
  let home: TestDatabase
  let database: Database
  beforeEach(async () => {
    home = await createTestDatabase(pgDialect.server)
    database = postgres(home.url, { poolSize: 1 })
  })
  afterEach(async () => {
    await database.close()
    await home.drop()
  })

  const prepared = async () =>
    Number((await database.run({ text: 'select count(*) from pg_prepared_statements' }, [])).rows[0]?.[0])
  const isPrepared = async (n: number) => {
    const text = `select exists (select from pg_prepared_statements where statement = 'select ${n} as n')`
    return (await database.run({ text }, [])).rows[0]?.[0] === 't'
  }
  const ask = async (n: number) => {
    const { rows } = await database.run(shape(database, n), [])
    if (rows[0]?.[0] !== String(n)) expect(rows).toEqual([[String(n)]])
  }

  test('are kept prepared up to a number that levels off', async () => {
    const counts: number[] = []
    for (let n = 0; n < SHAPES; n++) {
      await ask(n)
      if ((n + 1) % 1_000 === 0) counts.push(await prepared())
    }
    expect(counts).toEqual([KEPT, KEPT, KEPT, KEPT])
  })

  test('have a bounded number of characters together, however long they are', async () => {
    await createWideTable(database)
    await askForOrderings(database)
    const text = 'select sum(length(statement)) from pg_prepared_statements'
    const characters = Number((await database.run({ text }, [])).rows[0]?.[0])
    expect([characters > 100_000, characters <= 200_000]).toEqual([true, true])
    const count = await prepared()
    expect([count > 100, count < 400]).toEqual([true, true])
    const long = `select '${'x'.repeat(30_000)}'`
    await database.run(
      database.statement(long, () => long),
      [],
    )
    expect(
      (await database.run({ text: `select max(length(statement)) from pg_prepared_statements` }, [])).rows,
    ).not.toEqual([[String(long.length)]])
  })

  test('do not drive out what is used all the time, and are answered again when they have been', async () => {
    for (let n = 1; n <= KEPT + 100; n++) {
      await ask(0)
      await ask(n)
    }
    expect([await isPrepared(0), await isPrepared(1), await isPrepared(KEPT + 100)]).toEqual([true, false, true])
    await ask(1)
    expect(await isPrepared(1)).toBe(true)
  })

  test('are bounded inside of a transaction too', async () => {
    await database.transaction(async () => {
      for (let n = 0; n < KEPT + 100; n++) await ask(n)
    })
    expect(await prepared()).toBe(KEPT)
  })

  test('a shape that cannot be prepared costs nothing but its own error', async () => {
    for (let n = 0; n < KEPT + 100; n++) {
      const broken = database.statement(`broken ${n}`, () => `select nothing_${n}`)
      const { code } = (await database.run(broken, []).catch((error: unknown) => error)) as { readonly code?: string }
      if (code !== '42703') expect(code).toBe('42703')
    }
    await ask(1)
    expect(await prepared()).toBeLessThanOrEqual(KEPT)
  })
})

describe('pg: while the type of a column changes', () => {
  const { api, authors, run, create } = useActions(pgDialect)
  const retype = (type: string) => api.database.run({ text: `alter table authors alter column name type ${type}` }, [])
  const count = 12

  test('reads and writes on every connection are answered, alone and in transactions', async () => {
    const ask = async () => {
      const all = [
        ...Array.from({ length: count }, () => api.get('/authors/?ordering=name')),
        ...Array.from({ length: count }, (_, i) => api.post('/authors/', { name: `n${i}` })),
        // Several statements that are prepared, of which each could be the first to fail.
        ...Array.from({ length: count }, () =>
          run(async () => {
            const author = await create('a')
            await findRecords(authors, eq(authors.id, author.id))
            author.name = 'b'
            await author.save()
            await author.delete()
          }),
        ),
      ]
      return (await Promise.all(all)).map(({ status }) => status)
    }
    const expected = [...Array(count).fill(200), ...Array(count).fill(201), ...Array(count).fill(200)]
    expect(await ask()).toEqual(expected)
    for (const type of ['text', 'varchar(120)', 'text']) {
      await retype(type)
      expect(await ask()).toEqual(expected)
    }
  })

  test('a transaction runs once more as a whole, and a statement alone by itself', async () => {
    const { database } = api
    const names = database.statement('names', () => 'select name from authors')
    await create1()
    for (let i = 0; i < 3; i++) await database.run(names, [])
    await retype('varchar(130)')
    let runs = 0
    await database.transaction(async () => {
      runs++
      await database.run(names, [])
    })
    expect(runs).toBe(2)
    expect(await database.run(names, [])).toMatchObject({ rows: [['one']] })
  })

  const create1 = () => api.post('/authors/', { name: 'one' })
})

test('sqlite: a connection keeps the statements that were used last, and prepares others anew', async () => {
  const { database, drop } = await createTestDatabase()
  const prepare = vi.spyOn(SqliteDatabase.prototype, 'prepare')
  try {
    const ask = async (n: number) => (await database.run(shape(database, n), [])).rows[0]?.[0]
    for (let n = 0; n < SHAPES; n++) await ask(n)
    const timesPrepared = (n: number) => prepare.mock.calls.filter(([text]) => text === `select ${n} as n`).length
    for (const n of [0, SHAPES - KEPT - 1, SHAPES - KEPT + 10, SHAPES - 1]) expect(await ask(n)).toBe(BigInt(n))
    expect([0, SHAPES - KEPT - 1].map(timesPrepared)).toEqual([2, 2])
    expect([SHAPES - KEPT + 10, SHAPES - 1].map(timesPrepared)).toEqual([1, 1])
  } finally {
    prepare.mockRestore()
    await drop()
  }
})
