import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConstructorOptions, PgBoss } from 'pg-boss'
import { reportError, stderrLog } from '../../core/context.ts'
import { ConfigError } from '../../core/errors.ts'
import { checkOptions, setting } from '../../core/setting-rules.ts'
import { missingPackages } from '../../tabular/errors.ts'
import type { JobHandler, JobQueue } from './job-queue.ts'

const QUEUE = {
  // A job is queued at most once as waiting and once as active.
  policy: 'stately',
  // pg-boss's maximum. A longer job is interrupted and continues as after a stopped worker.
  expireInSeconds: 86_400,
  // A worker without a heartbeat for this time is dead.
  heartbeatSeconds: 30,
  // Our own table stores failures, so a retry finds the job ended.
  retryLimit: 1_000_000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 60,
}

/**
 * Hands jobs to workers in any number of processes by pg-boss, which keeps its tables in their own schema of the
 * application's PostgreSQL. Needs the package `pg-boss`.
 *
 * @throws ConfigError for wrong options, and if the package is missing
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
  /** The sender outlives the request that starts it. */
  readonly #inContext = AsyncLocalStorage.snapshot()
  #sender: Promise<Boss> | undefined

  constructor(source: PgBossSource, options: PgBossQueueOptions) {
    this.#source = source
    this.#options = options
  }

  async enqueue(id: string): Promise<void> {
    this.#sender ??= this.#inContext(() => this.#startSender())
    const sender = await this.#sender
    // pg-boss does not store a waiting job twice.
    await sender.send(this.#name, { id }, { singletonKey: id })
  }

  async work(handler: JobHandler): Promise<() => Promise<void>> {
    const { concurrency = 2, schema } = this.#options
    const started = isBoss(this.#source) ? undefined : await startWorker(this.#source, schema, concurrency)
    const boss: Boss = started ?? (this.#source as Boss)
    const stopping = new AbortController()
    const polling = { localConcurrency: concurrency, pollingIntervalSeconds: 1, heartbeatRefreshSeconds: 10 }
    try {
      await boss.createQueue(this.#name, QUEUE)
      await boss.work(this.#name, polling, jobs => runAll(jobs, handler, stopping.signal))
    } catch (error) {
      await started?.stop()
      throw error
    }
    return async () => {
      stopping.abort()
      await boss.offWork(this.#name, { wait: true })
      await started?.stop()
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
      this.#sender = undefined
      throw error
    }
  }
}

/** Milliseconds between retries. If its database is unavailable, a failure cannot be reported to the queue either. */
const PAUSES = [1_000, 2_000, 4_000]

async function runAll(jobs: readonly BossJob[], handler: JobHandler, stopping: AbortSignal): Promise<void> {
  for (const { data, signal } of jobs) await runPatiently(data.id, handler, AbortSignal.any([stopping, signal]))
  // An interrupted job is handed out again, even if it did not notice.
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

/** The used part of the application's `PgBoss`. */
export interface Boss {
  createQueue(name: string, options: object): Promise<void>
  send(name: string, data: object, options: object): Promise<string | null>
  work(name: string, options: object, handler: (jobs: BossJob[]) => Promise<void>): Promise<string>
  offWork(name: string, options: { readonly wait: boolean }): Promise<void>
}

/** A job as pg-boss hands it out. */
export interface BossJob {
  readonly data: { readonly id: string }
  readonly signal: AbortSignal
}

/** The used part of a pool of `pg`. */
export interface BossPool {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** A database by its URL, a pool on it, or a `PgBoss` that the application starts and stops. */
export type PgBossSource = string | BossPool | Boss

/** Options of {@link pgBossQueue}. */
export interface PgBossQueueOptions {
  /** Jobs that run at the same time in one worker. Default 2, so that a short job need not wait for a long one. */
  readonly concurrency?: number
  /** The schema of pg-boss's tables, which it creates and migrates. Default `pgboss`. */
  readonly schema?: string
  /** The name of the queue, if several applications share a schema. Default `viewset`. */
  readonly name?: string
}

const RULES = { concurrency: setting.wholeNumber, schema: setting.text, name: setting.text }

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

/** Milliseconds between two log entries: an unavailable database fails many times a second. */
const QUIET = 60_000

/**
 * A `PgBoss` that only stores jobs. It does not keep the process alive, so it need not be stopped.
 *
 * @throws the error of pg-boss if the database is unavailable
 */
function startSender(source: string | BossPool, schema: string | undefined): Promise<PgBoss> {
  const pool = { max: 1, allowExitOnIdle: true }
  const idle = { supervise: false, registerInstance: false, clock: idleClock }
  // A lost idle connection is not an error. The next use reports problems.
  return start({ ...pool, ...where(source, schema), ...idle }, () => {})
}

function startWorker(source: string | BossPool, schema: string | undefined, concurrency: number): Promise<PgBoss> {
  const looks = { superviseIntervalSeconds: 10, monitorIntervalSeconds: 10 }
  // One connection for each fetch of jobs, and one for maintenance.
  return start({ max: concurrency + 1, ...where(source, schema), ...looks }, report())
}

async function start(options: ConstructorOptions, failed: (error: Error) => void): Promise<PgBoss> {
  const { PgBoss } = await import('pg-boss')
  return new PgBoss({ schedule: false, ...options }).on('error', failed).start()
}

function report(): (error: Error) => void {
  let reportedAt = Number.NEGATIVE_INFINITY
  return error => {
    if (performance.now() - reportedAt < QUIET) return
    reportedAt = performance.now()
    // pg attaches the whole connection to its error.
    const { message, stack } = error
    reportError(Object.assign(new Error(message), { stack }), 'the queue of jobs failed; it goes on', stderrLog)
  }
}

function where(source: string | BossPool, schema: string | undefined): ConstructorOptions {
  const schemaOption = schema === undefined ? {} : { schema }
  if (!isPool(source)) return { ...schemaOption, connectionString: source, application_name: 'viewset jobs' }
  return { ...schemaOption, db: { executeSql: (text, values) => source.query(text, values) } }
}

/** Node's timers, without keeping the process alive. */
const idleClock: NonNullable<ConstructorOptions['clock']> = {
  now: Date.now,
  setTimeout: (call, delay) => setTimeout(call, delay).unref(),
  clearTimeout: timer => clearTimeout(timer as NodeJS.Timeout),
  setInterval: (call, delay) => setInterval(call, delay).unref(),
  clearInterval: timer => clearInterval(timer as NodeJS.Timeout),
}
