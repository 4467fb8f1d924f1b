import { setTimeout as sleep } from 'node:timers/promises'
import { createRecord, currentDb, currentUser, findRecords, insertMany, onCommit, runAs, transaction } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useActions } from '../support/actions.ts'
import { breakingAt } from '../support/breaking-driver.ts'
import { describeDialects, pgDialect } from '../support/dialects.ts'
import { expectError, expectSuccess, uuid } from '../support/expect.ts'

describeDialects('transactions', dialect => {
  const { authors, api, run, read, create, names } = useActions(dialect)

  test('store nothing where a part of them could not be undone, whoever catches that', async () => {
    const broken = breakingAt(api.database, 'rollback to savepoint', 1, 'XX000')
    const all = broken.transaction(async () => {
      await create('before')
      await transaction(async () => {
        await create('inside')
        throw new Error('of the part')
      }).catch(() => {})
      await create('after')
    })
    await expect(all).rejects.toThrow('secret of the driver')
    expect(await names()).toEqual([])
  })

  describe('of an action', () => {
    test('take back all writes of one that fails, whichever way they were made', async () => {
      const response = await run(async () => {
        await create('record')
        await insertMany(authors, [{ name: 'bulk' }])
        await currentDb().insert(authors).values({ name: 'drizzle' })
        throw new Error('at the end')
      })
      expect(response.status).toBe(500)
      expect(await names()).toEqual([])
    })

    test('keep all writes of one that succeeds', async () => {
      await run(async () => {
        await create('record')
        await insertMany(authors, [{ name: 'bulk' }])
        await currentDb().insert(authors).values({ name: 'drizzle' })
      })
      expect(await names()).toEqual(['bulk', 'drizzle', 'record'])
    })

    test('see their own writes', async () => {
      const response = await run(async () => {
        await create('A')
        return [(await findRecords(authors)).length, (await currentDb().select().from(authors)).length]
      })
      expectSuccess(response, 200, { data: [1, 1] })
    })

    test('are no transaction where the action only reads', async () => {
      await read(async () => {
        await create('kept')
        throw new Error('at the end')
      })
      expect(await names()).toEqual(['kept'])
    })

    test('a swallowed database error never makes an answer claim what is not stored', async () => {
      const response = await run(async () => {
        await create('A')
        await currentDb()
          .insert(authors)
          .values({ id: uuid(1), name: 'B', email: 'x' })
        await currentDb()
          .insert(authors)
          .values({ id: uuid(1), name: 'C', email: 'x' })
          .catch(() => null)
        return 'stored'
      })
      const stored = await names()
      if (response.status === 200) expect(stored).toEqual(['A', 'B'])
      else expect([response.status, stored]).toEqual([500, []])
    })
  })

  describe('inside an action', () => {
    test('transaction() is a savepoint: what fails in it costs only its own writes', async () => {
      const response = await run(async () => {
        await create('before')
        await transaction(async () => {
          await create('inside')
          throw new Error('only inside')
        }).catch(() => null)
        await create('after')
        return 'fine'
      })
      expectSuccess(response, 200, { data: 'fine' })
      expect(await names()).toEqual(['after', 'before'])
    })

    test('a savepoint survives an error of the database', async () => {
      const response = await run(async () => {
        await createRecord(authors, { name: 'A', email: 'x' })
        await transaction(() => createRecord(authors, { name: 'B', email: 'x' })).catch(() => null)
        await create('C')
        return 'fine'
      })
      expectSuccess(response, 200, { data: 'fine' })
      expect(await names()).toEqual(['A', 'C'])
    })

    test('savepoints nest', async () => {
      await run(async () => {
        await transaction(async () => {
          await create('1')
          await transaction(async () => {
            await create('2')
            await transaction(async () => {
              await create('3')
              throw new Error('innermost')
            }).catch(() => null)
          })
        })
      })
      expect(await names()).toEqual(['1', '2'])
    })

    test('a savepoint that succeeded goes with the action that fails', async () => {
      await run(async () => {
        await transaction(() => create('inside'))
        throw new Error('at the end')
      })
      expect(await names()).toEqual([])
    })

    test("Drizzle's own transaction() is a savepoint", async () => {
      await run(async () => {
        await create('before')
        await currentDb()
          .transaction(async tx => {
            await tx.insert(authors).values({ name: 'inside' })
            throw new Error('only inside')
          })
          .catch(() => null)
        await currentDb().transaction(tx => tx.insert(authors).values({ name: 'kept' }))
      })
      expect(await names()).toEqual(['before', 'kept'])
    })

    test('database.transaction() joins the open one', async () => {
      await run(async () => {
        await api.database.transaction(() => create('joined'))
        throw new Error('at the end')
      })
      expect(await names()).toEqual([])
    })

    test('savepoints that are open at the same time keep to themselves', async () => {
      const response = await run(async () => {
        const outcomes = await Promise.allSettled([
          transaction(async () => {
            await create('A1')
            await sleep(20)
            await create('A2')
          }),
          transaction(async () => {
            await sleep(10)
            await create('B1')
            await transaction(() => create('B2'))
            await sleep(30)
            throw new Error('only this one')
          }),
        ])
        return outcomes.map(({ status }) => status)
      })
      expectSuccess(response, 200, { data: ['fulfilled', 'rejected'] })
      expect(await names()).toEqual(['A1', 'A2'])
    })

    test('several statements at once are one after the other', async () => {
      await run(() => Promise.all(Array.from({ length: 10 }, (_, i) => create(`A${i}`))))
      expect(await names()).toHaveLength(10)
    })
  })

  describe('outside of a request', () => {
    test('database.transaction() stores all or nothing', async () => {
      await api.database.transaction(() => create('A'))
      const failing = api.database.transaction(async () => {
        await create('B')
        throw new Error('at the end')
      })
      await expect(failing).rejects.toThrow('at the end')
      expect(await names()).toEqual(['A'])
    })

    test('runAs says who writes', async () => {
      const { database } = api
      await runAs({ id: 'robot' }, () => database.transaction(() => create('A')))
      const [author] = await database.use(() => findRecords(authors))
      expect(author).toMatchObject({ createdBy: 'robot', updatedBy: 'robot' })
      expect(currentUser()).toBeNull()
    })

    test('runAs within runAs goes back to the first', async () => {
      await runAs({ id: 1 }, async () => {
        await runAs({ id: 2 }, async () => expect(currentUser()).toEqual({ id: 2 }))
        await runAs(null, async () => expect(currentUser()).toBeNull())
        expect(currentUser()).toEqual({ id: 1 })
      })
    })
  })
})

describe('pg: a transaction that loses against another', () => {
  const { api, run, create, names } = useActions(pgDialect)
  const lost = (code: string) => Object.assign(new Error('could not serialize access'), { code })

  test.each(['40001', '40P01'])('is run again as a whole (%s)', async code => {
    let runs = 0
    const events: number[] = []
    const response = await run(async () => {
      runs++
      const thisRun = runs
      onCommit(() => events.push(thisRun))
      await create(`A${runs}`)
      if (runs < 3) throw lost(code)
      return runs
    })
    expectSuccess(response, 200, { data: 3 })
    expect(await names()).toEqual(['A3'])
    expect(events).toEqual([3])
  })

  test('is given up after four times, with 503', async () => {
    let runs = 0
    const response = await run(async () => {
      runs++
      throw lost('40001')
    })
    expectError(response, 503, 'The database is busy. Please try again.')
    expect(response.headers['retry-after']).toBe('1')
    expect(runs).toBe(4)
    expect(await names()).toEqual([])
  })

  test('is not run again where nobody knows what has become of it', async () => {
    let runs = 0
    const response = await run(async () => {
      runs++
      await api.database.run({ text: `do $$ begin raise exception using errcode = '40003'; end $$` }, [])
    })
    expectError(response, 503, 'The database is not available. Please try again.')
    expect(runs).toBe(1)
  })

  test('others come first before it is run again', async () => {
    let runs = 0
    let othersCame = false
    await run(async () => {
      runs++
      if (runs > 1) return
      setTimeout(() => {
        othersCame = true
      }, 5)
      throw lost('40001')
    })
    expect([runs, othersCame]).toEqual([2, true])
  })

  test('is not run again when nobody waits for it any more', async () => {
    let runs = 0
    const abort = new AbortController()
    const losing = api.database.transaction(
      async () => {
        runs++
        abort.abort()
        throw lost('40001')
      },
      { signal: abort.signal },
    )
    await expect(losing).rejects.toMatchObject({ name: 'AbortError' })
    expect(runs).toBe(1)
  })
})
