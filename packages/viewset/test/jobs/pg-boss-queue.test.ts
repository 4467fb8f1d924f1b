import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { ConfigError, currentUser, runAs } from 'viewset'
import { type JobQueue, type PgBossQueueOptions, type PgBossSource, pgBossQueue } from 'viewset/jobs'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'

let stored: TestDatabase
beforeAll(async () => {
  stored = await createTestDatabase({ postgres: inject('postgresUrl') })
})
afterAll(() => stored.drop())

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** A queue that no other test has seen. */
let queues = 0
function openQueue(options: PgBossQueueOptions = {}, source: PgBossSource = stored.url): JobQueue {
  return pgBossQueue(source, { name: `queue-${++queues}`, ...options })
}

/** A worker whose jobs end when they are told to. */
class Worker {
  readonly begun: string[] = []
  readonly running = new Map<string, { end(): void; fail(): void; readonly signal: AbortSignal }>()
  most = 0

  async start(queue: JobQueue): Promise<() => Promise<void>> {
    const stop = await queue.work((id, signal) => {
      this.begun.push(id)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      this.running.set(id, { end: resolve, fail: () => reject(new Error('the database is away')), signal })
      this.most = Math.max(this.most, this.running.size)
      return promise.finally(() => this.running.delete(id))
    })
    stops.push(() => {
      for (const { end } of this.running.values()) end()
      return stop()
    })
    return stop
  }
}

test('hands out what was enqueued before and after a worker came, a limited number at a time', async () => {
  const queue = openQueue({ concurrency: 2 })
  const worker = new Worker()
  for (const id of ['a', 'b', 'c']) await queue.enqueue(id)
  await worker.start(queue)
  await queue.enqueue('d')
  for (const count of [2, 3, 4]) {
    await expect.poll(() => worker.begun.length).toBe(count)
    worker.running.values().next().value?.end()
  }
  expect(worker.most).toBe(2)
  expect(worker.begun.sort()).toEqual(['a', 'b', 'c', 'd'])
})

test('a job that waits is stored once; one that runs comes again behind that, and never beside it', async () => {
  const queue = openQueue({ concurrency: 2 })
  const workers = [new Worker(), new Worker()]
  for (let i = 0; i < 3; i++) await queue.enqueue('a')
  for (const worker of workers) await worker.start(queue)
  const runs = () => workers.flatMap(({ begun }) => begun)
  await expect.poll(runs).toEqual(['a'])
  for (let i = 0; i < 3; i++) await queue.enqueue('a')
  await queue.enqueue('b')
  await expect.poll(runs).toHaveLength(2)
  expect(runs().sort()).toEqual(['a', 'b'])
  for (const { running } of workers) running.get('a')?.end()
  await expect.poll(() => runs().sort()).toEqual(['a', 'a', 'b'])
})

test('a job that fails is tried again, later', async () => {
  const queue = openQueue()
  const worker = new Worker()
  await worker.start(queue)
  await queue.enqueue('a')
  await expect.poll(() => worker.begun).toEqual(['a'])
  worker.running.get('a')?.fail()
  await expect.poll(() => worker.begun).toEqual(['a', 'a'])
})

test('stopping aborts what runs and waits for it; another worker goes on with it and with what waits', async () => {
  const queue = openQueue({ concurrency: 1 })
  const worker = new Worker()
  const stop = await worker.start(queue)
  await queue.enqueue('interrupted')
  await queue.enqueue('waiting')
  await expect.poll(() => worker.begun).toEqual(['interrupted'])
  let isStopped = false
  const stopped = stop().then(() => {
    isStopped = true
  })
  const { signal, end } = worker.running.get('interrupted')!
  expect(signal.aborted).toBe(true)
  expect(isStopped).toBe(false)
  end()
  await stopped
  const next = new Worker()
  await next.start(queue)
  for (const count of [1, 2]) {
    await expect.poll(() => next.begun.length).toBe(count)
    next.running.values().next().value?.end()
  }
  expect(next.begun.sort()).toEqual(['interrupted', 'waiting'])
})

test('a job does not run as a part of the request that enqueued it', async () => {
  const queue = openQueue()
  const users: unknown[] = []
  await runAs({ id: 'ann' }, () => queue.enqueue('a'))
  stops.push(
    await queue.work(async () => {
      users.push(currentUser())
    }),
  )
  await expect.poll(() => users).toEqual([null])
})

test('takes a pool of the application, and leaves it open', async () => {
  const pool = new pg.Pool({ connectionString: stored.url, max: 3 })
  const queue = openQueue({ concurrency: 1 }, pool)
  const worker = new Worker()
  await queue.enqueue('a')
  const stop = await worker.start(queue)
  await expect.poll(() => worker.begun).toEqual(['a'])
  worker.running.get('a')?.end()
  await stop()
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await pool.end()
})

test('takes a PgBoss of the application, and leaves it running', async () => {
  const boss = await new PgBoss({ connectionString: stored.url, schema: 'theirs' }).start()
  try {
    const queue = openQueue({}, boss)
    const worker = new Worker()
    const stop = await worker.start(queue)
    await queue.enqueue('a')
    await expect.poll(() => worker.begun).toEqual(['a'])
    worker.running.get('a')?.end()
    await stop()
    expect(await boss.schemaVersion()).toBeGreaterThan(0)
  } finally {
    await boss.stop()
  }
})

test('its tables are in a schema of their own, whatever that is called', async () => {
  await openQueue({ schema: 'jobs_of_shop' }).enqueue('a')
  await openQueue().enqueue('a')
  const pool = new pg.Pool({ connectionString: stored.url })
  const { rows } = await pool.query(
    `select distinct table_schema as name from information_schema.tables
      where table_schema in ('public', 'pgboss', 'jobs_of_shop') order by 1`,
  )
  await pool.end()
  expect(rows).toEqual([{ name: 'jobs_of_shop' }, { name: 'pgboss' }])
})

test('a process that only enqueues ends by itself', async () => {
  const program = `
    import { pgBossQueue } from 'viewset/jobs'
    await pgBossQueue(${JSON.stringify(stored.url)}, { name: 'of-child' }).enqueue('a')
    console.log('enqueued')`
  const args = ['--conditions=viewset-source', '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname, timeout: 60_000 })
  expect(stdout).toBe('enqueued\n')
})

test('where the database is away, enqueueing says so, and the next time it is tried again', async () => {
  const address = new URL(stored.url)
  address.pathname = '/not_there_yet'
  const queue = openQueue({}, String(address))
  await expect(queue.enqueue('a')).rejects.toThrow('does not exist')
  await expect(queue.work(async () => {})).rejects.toThrow('does not exist')
  const pool = new pg.Pool({ connectionString: stored.url })
  await pool.query('create database not_there_yet')
  await queue.enqueue('a')
  const ran = Promise.withResolvers<string>()
  const stop = await queue.work(async id => ran.resolve(id))
  expect(await ran.promise).toBe('a')
  await stop()
  await pool.query('drop database not_there_yet with (force)')
  await pool.end()
})

test.each<[unknown, object, string, string]>([
  ['', {}, 'source', 'must be an address, a pool of pg, or a PgBoss'],
  [undefined, {}, 'source', 'must be an address, a pool of pg, or a PgBoss'],
  [{}, {}, 'source', 'must be an address, a pool of pg, or a PgBoss'],
  ['postgres://localhost/a', { concurrency: 0 }, 'concurrency', 'must be a whole number above 0, not 0'],
  ['postgres://localhost/a', { shema: 'a' }, 'shema', 'unknown option; did you mean "schema"?'],
])('the source %j with the options %j is refused at start', (source, options, key, problem) => {
  expect(() => pgBossQueue(source as string, options)).toThrow(new ConfigError('pgBossQueue', key, problem))
})

test('a PgBoss of the application knows its schema', () => {
  const boss = new PgBoss('postgres://localhost/a')
  const problem = 'your PgBoss decides that; make it with "schema"'
  expect(() => pgBossQueue(boss, { schema: 'a' })).toThrow(new ConfigError('pgBossQueue', 'schema', problem))
})
