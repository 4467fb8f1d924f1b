import { currentUser, onCommit, runAs, transaction } from 'viewset'
import { beforeEach, expect, test, vi } from 'vitest'
import { useActions } from '../support/actions.ts'
import { capturedLog } from '../support/captured-log.ts'
import { describeDialects } from '../support/dialects.ts'
import { users } from '../support/models.ts'

describeDialects('onCommit', dialect => {
  const { lines, server } = capturedLog()
  const { api, run, read, create, names } = useActions(dialect, { server })
  let events: string[]
  beforeEach(() => {
    events = []
    lines.length = 0
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

  test('is waited for there as well; what fails is logged, and is not the answer', async () => {
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
      return 'told'
    })
    expect([response.status, response.data()]).toEqual([200, 'told'])
    expect(events).toEqual(['the next one', 'failing'])
    expect(lines.map(({ err }) => (err as Error).message).toSorted()).toEqual(['at once', 'mail server is down'])
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

  test('of a script has the database and the user with which it was registered, and no transaction', async () => {
    await api.database.transaction(() =>
      runAs(users.ann, async () => {
        await create('A')
        onCommit(async () => {
          await create('B')
          events.push(String(currentUser()?.id))
          onCommit(note('at once'))
          events.push('end of callback')
        })
      }),
    )
    expect(events).toEqual([users.ann.id, 'at once', 'end of callback'])
    expect(await names()).toEqual(['A', 'B'])
  })

  test('that fails changes neither the answer nor what is stored, and is logged with an id', async () => {
    let runs = 0
    const response = await run(async () => {
      runs++
      await create(`A${runs}`)
      onCommit(() => {
        throw Object.assign(new Error('mail server is down'), { code: '40001' })
      })
      onCommit(note('the next one'))
    })
    expect(response.status).toBe(200)
    expect(lines).toMatchObject([
      {
        msg: 'a callback of onCommit failed; the data is stored',
        err: { message: 'mail server is down' },
        errorId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        reqId: response.headers['x-request-id'],
      },
    ])
    expect(runs).toBe(1)
    expect(await names()).toEqual(['A1'])
    expect(events).toEqual(['the next one'])
  })

  test('that fails outside of a request is told on stderr, and nothing else', async () => {
    const stderr = vi.spyOn(console, 'error').mockImplementation(() => {})
    const fail = async () => {
      throw new Error('mail server is down')
    }
    await api.database.transaction(async () => onCommit(fail))
    api.database.use(() => onCommit(fail))
    api.database.use(() => onCommit(note('the next one')))
    await expect.poll(() => stderr.mock.calls).toHaveLength(2)
    expect(String(stderr.mock.calls[0]?.[0])).toMatch(
      /^viewset: a callback of onCommit failed; the data is stored \(error id /,
    )
    expect(events).toEqual(['the next one'])
    stderr.mockRestore()
  })
})
