import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JobHandler, JobQueue } from './job-queue.ts'
import {
  type Boss,
  type BossJob,
  checkPgBossOptions,
  isBoss,
  type PgBossQueueOptions,
  type PgBossSource,
} from './pg-boss-options.ts'
import { startSender, startWorker } from './start-boss.ts'

/** What pg-boss is told of the queue when it makes it. All times are in seconds. */
const QUEUE = {
  // A job is in it once as one that waits, and once as one that runs.
  policy: 'stately',
  // The most that it takes. One that takes longer is interrupted, and goes on as one whose worker stopped.
  expireInSeconds: 86_400,
  // A worker that has not been heard of for so long has died.
  heartbeatSeconds: 30,
  // When a job has failed, its row in our own table says; to be tried again is then to find it ended.
  retryLimit: 1_000_000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 60,
}

/**
 * Hands jobs to workers in any number of processes by pg-boss, which keeps its tables in a schema of its own in the
 * application's PostgreSQL. Needs the package `pg-boss`.
 *
 * @throws ConfigError for options that are wrong, and where the package is missing
 * @example
 * const queue = pgBossQueue(process.env.DATABASE_URL, { concurrency: 4 })
 */
export function pgBossQueue(source: PgBossSource, options: PgBossQueueOptions = {}): JobQueue {
  checkPgBossOptions(source, options)
  return new PgBossQueue(source, options)
}

class PgBossQueue implements JobQueue {
  readonly #source: PgBossSource
  readonly #options: PgBossQueueOptions
  /** What the first request starts is no part of it. */
  readonly #inContext = AsyncLocalStorage.snapshot()
  #sender: Promise<Boss> | undefined

  constructor(source: PgBossSource, options: PgBossQueueOptions) {
    this.#source = source
    this.#options = options
  }

  async enqueue(id: string): Promise<void> {
    this.#sender ??= this.#inContext(() => this.#startSender())
    const sender = await this.#sender
    // One that waits already is not stored again.
    await sender.send(this.#name, { id }, { singletonKey: id })
  }

  async work(handler: JobHandler): Promise<() => Promise<void>> {
    const { concurrency = 2, schema } = this.#options
    const own = isBoss(this.#source) ? undefined : await startWorker(this.#source, schema, concurrency)
    const boss: Boss = own ?? (this.#source as Boss)
    const stopping = new AbortController()
    const polling = { localConcurrency: concurrency, pollingIntervalSeconds: 1, heartbeatRefreshSeconds: 10 }
    try {
      await boss.createQueue(this.#name, QUEUE)
      await boss.work(this.#name, polling, jobs => runAll(jobs, handler, stopping.signal))
    } catch (error) {
      await own?.stop()
      throw error
    }
    return async () => {
      stopping.abort()
      await boss.offWork(this.#name, { wait: true })
      await own?.stop()
    }
  }

  get #name(): string {
    return this.#options.name ?? 'viewset'
  }

  async #startSender(): Promise<Boss> {
    try {
      const boss = isBoss(this.#source) ? this.#source : await startSender(this.#source, this.#options.schema)
      await boss.createQueue(this.#name, QUEUE)
      return boss
    } catch (error) {
      // The next one tries again.
      this.#sender = undefined
      throw error
    }
  }
}

/** Milliseconds. What has failed because its database was away cannot be reported to the queue, which is in it too. */
const PAUSES = [1_000, 2_000, 4_000]

/** A worker gets one at a time, in a list. */
async function runAll(jobs: readonly BossJob[], handler: JobHandler, stopping: AbortSignal): Promise<void> {
  for (const { data, signal } of jobs) await runPatiently(data.id, handler, AbortSignal.any([stopping, signal]))
  // What was interrupted is handed out again, whether it has noticed or not.
  stopping.throwIfAborted()
}

async function runPatiently(id: string, handler: JobHandler, signal: AbortSignal): Promise<void> {
  for (const pause of PAUSES) {
    try {
      return await handler(id, signal)
    } catch {
      await sleep(pause, undefined, { signal })
    }
  }
  return handler(id, signal)
}
