import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConstructorOptions, PgBoss } from 'pg-boss'
import { reportError, stderrLog } from '../../core/context.ts'
import { ConfigError } from '../../core/errors.ts'
import { checkOptions, setting } from '../../core/setting-rules.ts'
import { missingPackages } from '../../tabular/errors.ts'
import type { JobHandler, JobQueue } from './job-queue.ts'

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

/** What is used of a `PgBoss` of the application's own. */
export interface Boss {
  createQueue(name: string, options: object): Promise<void>
  send(name: string, data: object, options: object): Promise<string | null>
  work(name: string, options: object, handler: (jobs: BossJob[]) => Promise<void>): Promise<string>
  offWork(name: string, options: { readonly wait: boolean }): Promise<void>
}

/** A job of ours, as pg-boss hands it out. */
export interface BossJob {
  readonly data: { readonly id: string }
  readonly signal: AbortSignal
}

/** What is used of a pool of `pg`. */
export interface BossPool {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** A database by its address, a pool of yours on it, or a `PgBoss` that you start and stop. */
export type PgBossSource = string | BossPool | Boss

/** Options of {@link pgBossQueue}. */
export interface PgBossQueueOptions {
  /** Jobs that run at the same time in one worker. Default 2: a short one does not wait for a long one. */
  readonly concurrency?: number
  /** The schema of pg-boss's tables, which it makes and keeps up to date. Default `pgboss`. */
  readonly schema?: string
  /** The name of the queue, where several applications share a schema. Default `viewset`. */
  readonly name?: string
}

const RULES = { concurrency: setting.wholeNumber, schema: setting.text, name: setting.text }

/** @throws ConfigError */
function checkPgBossOptions(source: PgBossSource, options: PgBossQueueOptions): void {
  checkOptions('pgBossQueue', RULES, options)
  if (isBoss(source)) {
    if (options.schema === undefined) return
    throw new ConfigError('pgBossQueue', 'schema', 'your PgBoss decides that; make it with "schema"')
  }
  if (!isPool(source) && !(typeof source === 'string' && source !== '')) {
    throw new ConfigError('pgBossQueue', 'source', 'must be an address, a pool of pg, or a PgBoss')
  }
  if (missingPackages(['pg-boss']).length === 0) return
  throw new ConfigError('pgBossQueue', 'source', 'needs a package that is not installed: npm install pg-boss')
}

function isBoss(source: unknown): source is Boss {
  return typeof source === 'object' && source !== null && 'createQueue' in source
}

function isPool(source: unknown): source is BossPool {
  return typeof source === 'object' && source !== null && 'query' in source
}

/** Milliseconds. A database that is away fails many times a second. */
const QUIET = 60_000

/**
 * One that stores jobs: it does nothing by itself, and keeps no process from ending. Nobody has to stop it.
 *
 * @throws what pg-boss throws where the database is away
 */
function startSender(source: string | BossPool, schema: string | undefined): Promise<PgBoss> {
  const pool = { max: 1, allowExitOnIdle: true }
  const idle = { supervise: false, registerInstance: false, clock: idleClock }
  // That a connection is lost which does nothing is no fault; what fails when it is needed is told to who needs it.
  return start({ ...pool, ...where(source, schema), ...idle }, () => {})
}

/** One that hands jobs out, and looks for those whose worker has died. */
function startWorker(source: string | BossPool, schema: string | undefined, concurrency: number): Promise<PgBoss> {
  const looks = { superviseIntervalSeconds: 10, monitorIntervalSeconds: 10 }
  // One for each that looks for jobs, and one for what it does beside that.
  return start({ max: concurrency + 1, ...where(source, schema), ...looks }, report())
}

async function start(options: ConstructorOptions, failed: (error: Error) => void): Promise<PgBoss> {
  const { PgBoss } = await import('pg-boss')
  return new PgBoss({ schedule: false, ...options }).on('error', failed).start()
}

/** Logs what fails, now and then. */
function report(): (error: Error) => void {
  let reportedAt = Number.NEGATIVE_INFINITY
  return error => {
    if (performance.now() - reportedAt < QUIET) return
    reportedAt = performance.now()
    // pg puts a lost connection on its error, with all that it is made of.
    const { message, stack } = error
    reportError(Object.assign(new Error(message), { stack }), 'the queue of jobs failed; it goes on', stderrLog)
  }
}

function where(source: string | BossPool, schema: string | undefined): ConstructorOptions {
  const own = schema === undefined ? {} : { schema }
  if (!isPool(source)) return { ...own, connectionString: source, application_name: 'viewset jobs' }
  return { ...own, db: { executeSql: (text, values) => source.query(text, values) } }
}

/** Node's timers, without holding the process. */
const idleClock: NonNullable<ConstructorOptions['clock']> = {
  now: Date.now,
  setTimeout: (call, delay) => setTimeout(call, delay).unref(),
  clearTimeout: timer => clearTimeout(timer as NodeJS.Timeout),
  setInterval: (call, delay) => setInterval(call, delay).unref(),
  clearInterval: timer => clearInterval(timer as NodeJS.Timeout),
}
