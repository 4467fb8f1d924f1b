import { currentUser, onCommit, transaction } from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { useActions } from './support/actions.ts'
import { describeDialects } from './support/dialects.ts'
import { users } from './support/models.ts'

describeDialects('onCommit', dialect => {
  const { run, read, create, names } = useActions(dialect)
  let events: string[]
  beforeEach(() => {
    events = []
  })
  const note = (event: string) => () => void events.push(event)

  test('calls after the commit, in order, with the data visible to everybody', async () => {
    await run(async () => {
      onCommit(note('first'))
      onCommit(async () => {
        events.push(`stored ${(await names()).join()}`)
      })
      await create('A')
      events.push('end of handler')
    })
    expect(events).toEqual(['end of handler', 'first', 'stored A'])
  })

  test('has been called when the client gets its answer', async () => {
    await run(async () => {
      onCommit(async () => {
        await new Promise(resolve => setTimeout(resolve, 20))
        events.push('done')
      })
    })
    expect(events).toEqual(['done'])
  })

  test('is never called for an action that fails', async () => {
    await run(async () => {
      onCommit(note('never'))
      throw new Error('at the end')
    })
    expect(events).toEqual([])
  })

  test('is never called for a savepoint that fails, but for those around it', async () => {
    await run(async () => {
      onCommit(note('outer'))
      await transaction(async () => {
        onCommit(note('inner'))
        throw new Error('only inside')
      }).catch(() => null)
      await transaction(async () => onCommit(note('kept')))
    })
    expect(events).toEqual(['outer', 'kept'])
  })

  test('a savepoint that fails takes along nothing that other code has registered meanwhile', async () => {
    await run(async () => {
      const [open, registered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const failing = transaction(async () => {
        onCommit(note('inner'))
        open.resolve()
        await registered.promise
        throw new Error('only inside')
      }).catch(() => null)
      await open.promise
      onCommit(note('sibling'))
      registered.resolve()
      await failing
    })
    expect(events).toEqual(['sibling'])
  })

  test('is never called for a savepoint that succeeds in one that fails', async () => {
    await run(async () => {
      await transaction(async () => {
        await transaction(async () => onCommit(note('innermost')))
        throw new Error('only the middle')
      }).catch(() => null)
      onCommit(note('outer'))
    })
    expect(events).toEqual(['outer'])
  })

  test('calls at once where no transaction is open', async () => {
    await read(async () => {
      onCommit(note('at once'))
      events.push('end of handler')
    })
    expect(events).toEqual(['at once', 'end of handler'])
  })

  test('is waited for there as well, and its failure is the answer', async () => {
    const response = await read(async () => {
      onCommit(async () => {
        await new Promise(resolve => setTimeout(resolve, 20))
        events.push('failing')
        throw new Error('mail server is down')
      })
      onCommit(() => {
        throw new Error('at once')
      })
      onCommit(note('the next one'))
      return 'never told'
    })
    expect(response.status).toBe(500)
    expect(events).toEqual(['the next one', 'failing'])
  })

  test('may write, in a transaction of its own', async () => {
    const response = await run(async () => {
      await create('A')
      onCommit(() => transaction(() => create('B')))
    })
    expect(response.status).toBe(200)
    expect(await names()).toEqual(['A', 'B'])
  })

  test('knows the user of the request', async () => {
    await run(async () => onCommit(() => events.push(String(currentUser()?.id))))
    expect(events).toEqual([users.ann.id])
  })

  test('that fails does not undo what is stored, nor does it run the action again', async () => {
    let runs = 0
    const response = await run(async () => {
      runs++
      await create(`A${runs}`)
      onCommit(() => {
        throw Object.assign(new Error('mail server is down'), { code: '40001' })
      })
      onCommit(note('the next one'))
    })
    expect(response.status).toBeGreaterThanOrEqual(500)
    expect(runs).toBe(1)
    expect(await names()).toEqual(['A1'])
    expect(events).toEqual(['the next one'])
  })
})
