import { sql } from 'drizzle-orm'
import { currentDb, type DrizzleDatabase, onCommit, transaction } from 'viewset'
import { expect, test } from 'vitest'
import { useActions } from './support/actions.ts'
import { describeDialects } from './support/dialects.ts'
import { expectSuccess } from './support/expect.ts'

const ENDED = 'This transaction has ended; its database cannot be used any more.'
const NO_DATABASE =
  'There is no current database here. Outside a request, wrap the code in database.use(...) or database.transaction(...).'

describeDialects('currentDb', dialect => {
  const { authors, run, create, names } = useActions(dialect)

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

  test('without any database says what to do', () => {
    expect(() => currentDb()).toThrow(NO_DATABASE)
    expect(() => onCommit(() => {})).toThrow(NO_DATABASE)
    expect(() => transaction(async () => 1)).toThrow(NO_DATABASE)
  })
})
