import { sql } from 'drizzle-orm'
import { currentDb, type DrizzleDatabase, onCommit, transaction } from 'viewset'
import type { SqliteDrizzleDatabase } from 'viewset/sqlite'
import { describe, expect, test } from 'vitest'
import { useActions } from '../support/actions.ts'
import { describeDialects, sqliteDialect } from '../support/dialects.ts'
import { expectSuccess } from '../support/expect.ts'

const ENDED = 'This transaction has ended; its database cannot be used any more.'
const NO_DATABASE =
  'There is no current database here. Outside a request, wrap the code in database.use(...) or database.transaction(...).'

describeDialects('currentDb', dialect => {
  const { api, authors, run, read, create, names } = useActions(dialect)

  test('kept beyond its transaction throws', async () => {
    let kept: DrizzleDatabase | undefined
    await run(async () => {
      const db = currentDb()
      await db.select().from(authors)
      kept = db
    })
    const late = (async () => kept?.insert(authors).values({ name: 'late' }))()
    const error = (await late.catch((thrown: unknown) => thrown)) as Error
    expect(`${error.message} ${(error.cause as Error | undefined)?.message}`).toContain(ENDED)
    expect(await names()).toEqual([])
  })

  test('kept beyond a transaction that failed throws as well', async () => {
    let kept: DrizzleDatabase | undefined
    await run(async () => {
      kept = currentDb()
      throw new Error('at the end')
    })
    await expect((async () => kept?.select().from(authors))()).rejects.toThrow()
  })

  test('is the same one within a transaction', async () => {
    const response = await run(async () => {
      const db = currentDb()
      return currentDb() === db
    })
    expectSuccess(response, 200, { data: true })
  })

  test("answers in the kit's types", async () => {
    const response = await run(async () => {
      await create('A')
      const [row] = await currentDb()
        .select({ isActive: authors.isActive, n: sql<number>`1 + 1`.mapWith(Number) })
        .from(authors)
      return row
    })
    expectSuccess(response, 200, { data: { isActive: true, n: 2 } })
  })

  describe('outside of a transaction', () => {
    const failure = new Error('at the end')

    test('its transaction() is one: what fails stores nothing, and what succeeds is stored', async () => {
      await api.database.use(async () => {
        const failing = currentDb().transaction(async tx => {
          await tx.insert(authors).values({ name: 'never' })
          throw failure
        })
        await expect(failing).rejects.toBe(failure)
        expect(await names()).toEqual([])
        const result = await currentDb().transaction(async tx => {
          await tx.insert(authors).values({ name: 'kept' })
          await tx
            .transaction(async inner => {
              await inner.insert(authors).values({ name: 'inner' })
              throw failure
            })
            .catch(() => null)
          return tx.select({ name: authors.name }).from(authors)
        })
        expect(result).toEqual([{ name: 'kept' }])
      })
      expect(await names()).toEqual(['kept'])
    })

    test('an action that only reads has it too, and reads what is stored afterwards', async () => {
      await read(() =>
        currentDb().transaction(async tx => {
          await tx.insert(authors).values({ name: 'never' })
          throw failure
        }),
      )
      await run(() => create('later'))
      expect(await names()).toEqual(['later'])
    })
  })

  test('without any database says what to do', () => {
    expect(() => currentDb()).toThrow(NO_DATABASE)
    expect(() => onCommit(() => {})).toThrow(NO_DATABASE)
    expect(() => transaction(async () => 1)).toThrow(NO_DATABASE)
  })
})

describe('sqlite: currentDb outside of a transaction', () => {
  const { api, run, create, names } = useActions(sqliteDialect)

  test.each([
    'begin',
    ' BEGIN immediate',
    'savepoint a',
    'rollback to a',
    '-- a comment\n/* and\nanother */ release a',
    'commit',
    'end',
  ])('refuses %j, which would freeze what others read', async text => {
    const refused = api.database.use(async () => currentDb<SqliteDrizzleDatabase>().run(sql.raw(text)))
    const error = (await refused.catch((thrown: unknown) => thrown)) as Error
    expect(`${error.message} ${(error.cause as Error | undefined)?.message}`).toContain(
      'outside of a transaction use database.transaction(...)',
    )
    await run(() => create('seen'))
    expect(await names()).toEqual(['seen'])
  })
})
