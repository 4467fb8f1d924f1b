import { ConfigError } from 'viewset'
import { embeddedQueue, type JobHandler } from 'viewset/jobs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** A handler whose jobs end when they are told to. */
class Jobs {
  readonly begun: string[] = []
  readonly running = new Map<string, { end(): void; fail(): void; readonly signal: AbortSignal }>()

  readonly handler: JobHandler = (id, signal) => {
    this.begun.push(id)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.running.set(id, { end: resolve, fail: () => reject(new Error('the database is away')), signal })
    return promise.finally(() => this.running.delete(id))
  }

  async end(id: string): Promise<void> {
    this.running.get(id)?.end()
    await settled()
  }

  async fail(id: string): Promise<void> {
    this.running.get(id)?.fail()
    await settled()
  }
}

/** All that follows at once has happened. */
const settled = () => vi.advanceTimersByTimeAsync(0)

test('runs two jobs at a time, in the order in which they came', async () => {
  const jobs = new Jobs()
  const queue = embeddedQueue()
  for (const id of ['a', 'b', 'c', 'd']) await queue.enqueue(id)
  expect(jobs.begun).toEqual([])
  await queue.work(jobs.handler)
  expect(jobs.begun).toEqual(['a', 'b'])
  await jobs.end('b')
  expect(jobs.begun).toEqual(['a', 'b', 'c'])
  await jobs.end('a')
  await jobs.end('c')
  await queue.enqueue('e')
  expect(jobs.begun).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('users take turns, so that nobody waits for all jobs of another user', async () => {
  const jobs = new Jobs()
  const queue = embeddedQueue({ concurrency: 1 })
  for (const id of ['a1', 'a2', 'a3']) await queue.enqueue(id, 'ann')
  for (const id of ['b1', 'b2']) await queue.enqueue(id, 'bob')
  await queue.enqueue('n1', null)
  await queue.work(jobs.handler)
  for (const id of ['a1', 'b1', 'n1', 'a2', 'b2', 'a3']) await jobs.end(id)
  expect(jobs.begun).toEqual(['a1', 'b1', 'n1', 'a2', 'b2', 'a3'])
})

test('a job that waits is in the queue once; one that runs comes again behind that', async () => {
  const jobs = new Jobs()
  const queue = embeddedQueue({ concurrency: 1 })
  await queue.work(jobs.handler)
  for (const id of ['a', 'b', 'b', 'a', 'a']) await queue.enqueue(id)
  await jobs.end('a')
  await jobs.end('b')
  await jobs.end('a')
  expect(jobs.begun).toEqual(['a', 'b', 'a'])
  expect(jobs.running.size).toBe(0)
})

test('a job that runs does not keep back the ones behind it', async () => {
  const jobs = new Jobs()
  const queue = embeddedQueue({ concurrency: 2 })
  await queue.work(jobs.handler)
  for (const id of ['a', 'a', 'b']) await queue.enqueue(id)
  expect(jobs.begun).toEqual(['a', 'b'])
})

test('a job that fails is tried again, after 1, 2, 4 ... 60 seconds; others do not wait for it', async () => {
  const jobs = new Jobs()
  const queue = embeddedQueue({ concurrency: 1 })
  await queue.work(jobs.handler)
  await queue.enqueue('a')
  await queue.enqueue('b')
  await jobs.fail('a')
  expect(jobs.begun).toEqual(['a', 'b'])
  await jobs.end('b')
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    const tries = jobs.begun.length
    await vi.advanceTimersByTimeAsync(seconds * 1000 - 1)
    expect(jobs.begun.length).toBe(tries)
    await vi.advanceTimersByTimeAsync(1)
    expect(jobs.begun.length).toBe(tries + 1)
    await jobs.fail('a')
  }
  // After a success it begins anew.
  await vi.advanceTimersByTimeAsync(60_000)
  await jobs.end('a')
  await queue.enqueue('a')
  await jobs.fail('a')
  await vi.advanceTimersByTimeAsync(1000)
  expect(jobs.running.has('a')).toBe(true)
})

test('a handler that throws before it awaits anything is one that fails', async () => {
  let calls = 0
  const queue = embeddedQueue()
  await queue.work(() => {
    calls++
    throw new Error('at once')
  })
  await queue.enqueue('a')
  await vi.advanceTimersByTimeAsync(3000)
  expect(calls).toBe(3)
})

test('stopping aborts what runs and waits for it; the next worker goes on with all that was left', async () => {
  const jobs = new Jobs()
  const queue = embeddedQueue({ concurrency: 2 })
  const stop = await queue.work(jobs.handler)
  for (const id of ['failed', 'interrupted', 'finished', 'waiting']) await queue.enqueue(id)
  await jobs.fail('failed')
  let isStopped = false
  const stopped = stop().then(() => {
    isStopped = true
  })
  expect([...jobs.running.values()].map(({ signal }) => signal.aborted)).toEqual([true, true])
  await jobs.fail('interrupted')
  await queue.enqueue('late')
  expect(isStopped).toBe(false)
  await jobs.end('finished')
  await stopped
  await vi.advanceTimersByTimeAsync(100_000)
  expect(jobs.begun).toEqual(['failed', 'interrupted', 'finished'])
  const next = new Jobs()
  await queue.work(next.handler)
  while (next.running.size > 0) for (const id of next.running.keys()) await next.end(id)
  expect(next.begun.sort()).toEqual(['failed', 'finished', 'interrupted', 'late', 'waiting'])
  // To stop the first one again changes nothing.
  await stop()
  await queue.enqueue('more')
  expect(next.begun).toContain('more')
})

test('has one worker', async () => {
  const queue = embeddedQueue()
  const stop = await queue.work(async () => {})
  await expect(queue.work(async () => {})).rejects.toThrow('This queue has a worker already')
  await stop()
  await (await queue.work(async () => {}))()
})

const shown = (value: unknown) => (typeof value === 'string' ? `"${value}"` : String(value))

test.each([[0], [-1], [1.5], [Number.NaN], ['2']])('a concurrency of %j is none', concurrency => {
  expect(() => embeddedQueue({ concurrency: concurrency as number })).toThrow(
    new ConfigError('embeddedQueue', 'concurrency', `must be a whole number above 0, not ${shown(concurrency)}`),
  )
})

test('an unknown option is refused, with the one that may have been meant', () => {
  expect(() => embeddedQueue({ concurency: 1 } as object)).toThrow('did you mean "concurrency"?')
})
