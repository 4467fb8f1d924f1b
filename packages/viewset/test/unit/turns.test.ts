import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { ServiceUnavailable } from '../../src/core/errors.ts'
import { type TurnOptions, Turns } from '../../src/core/turns.ts'

const options: TurnOptions = { limit: 2, patience: 10_000, message: 'Too many at once. Please try again.' }

/** The error of a promise that is rejected. */
const errorOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)

describe('turns', () => {
  test('are held by few at a time; the others follow in the order of their coming', async () => {
    const turns = new Turns()
    const began: number[] = []
    let running = 0
    let most = 0
    const work = async (n: number) => {
      const release = await turns.take(options)
      began.push(n)
      most = Math.max(most, ++running)
      await sleep(1)
      running--
      release()
    }
    await Promise.all([1, 2, 3, 4, 5, 6, 7].map(work))
    expect(began).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(most).toBe(2)
  })

  test('are refused to who waits for too long, and that costs nobody else a turn', async () => {
    const turns = new Turns()
    const release = await turns.take({ ...options, limit: 1 })
    const refused = await errorOf(turns.take({ ...options, limit: 1, patience: 20 }))
    expect(refused).toBeInstanceOf(ServiceUnavailable)
    expect(refused).toMatchObject({ message: options.message, headers: { 'retry-after': '1' } })
    const next = turns.take({ ...options, limit: 1 })
    release()
    ;(await next)()
    ;(await turns.take({ ...options, limit: 1 }))()
  })

  test('are refused at once where many wait already', async () => {
    const turns = new Turns()
    const release = await turns.take({ ...options, limit: 1 })
    const waiting = Array.from({ length: 100 }, () => turns.take({ ...options, limit: 1 }))
    expect(await errorOf(turns.take({ ...options, limit: 1 }))).toBeInstanceOf(ServiceUnavailable)
    release()
    for (const turn of waiting) (await turn)()
  })

  test('are not waited for by who has gone', async () => {
    const turns = new Turns()
    const release = await turns.take({ ...options, limit: 1 })
    const gone = new AbortController()
    const waiting = turns.take({ ...options, limit: 1, signal: gone.signal })
    gone.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    await expect(turns.take({ ...options, signal: gone.signal })).rejects.toThrow('gone')
    release()
    ;(await turns.take({ ...options, limit: 1 }))()
  })

  test('that are given back twice count once', async () => {
    const turns = new Turns()
    const release = await turns.take({ ...options, limit: 1 })
    release()
    release()
    await turns.take({ ...options, limit: 1 })
    expect(await errorOf(turns.take({ ...options, limit: 1, patience: 1 }))).toBeInstanceOf(ServiceUnavailable)
  })
})
