import { setTimeout as sleep } from 'node:timers/promises'
import { type ErrorLog, reportError } from '../../core/context.ts'

/**
 * Runs one job. Its signal aborts when the worker stops: the job should then pause where it can continue later. Returns
 * at once for an ended job or one that runs elsewhere. If it throws, it is called again later.
 */
export type JobHandler = (id: string, signal: AbortSignal) => Promise<void>

/**
 * Distributes jobs to workers. A queue may hand out a job several times, also concurrently: the job's row in the
 * database decides whether it runs. It must not lose a job.
 *
 * @example
 * const queue: JobQueue = pgBossQueue(process.env.DATABASE_URL)
 */
export interface JobQueue {
  /**
   * Hands a job to a worker at least once. `owner` is the id of its user: users should not have to wait for all jobs of
   * another one.
   */
  enqueue(id: string, owner?: string | null): Promise<void>
  /**
   * Hands jobs to `handler`, a limited number at a time.
   *
   * @returns a function that stops it: it aborts running jobs and resolves when they have ended
   */
  work(handler: JobHandler): Promise<() => Promise<void>>
}

/** Milliseconds before an unavailable queue is retried; doubled each time. */
const FIRST_DELAY = 1_000
const LONGEST_DELAY = 30_000

/** Works on a queue as soon as it is available. The server starts and answers without it. */
export class QueueWorker {
  /** Resolves after the first attempt, successful or not. */
  readonly tried: Promise<void>
  readonly #stopping = new AbortController()
  readonly #working: Promise<(() => Promise<void>) | undefined>

  constructor(queue: JobQueue, handler: JobHandler, log: ErrorLog) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.tried = promise
    this.#working = this.#begin(queue, handler, log, resolve)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    const stop = await this.#working
    await stop?.()
  }

  async #begin(queue: JobQueue, handler: JobHandler, log: ErrorLog, tried: () => void) {
    const { signal } = this.#stopping
    for (let delay = FIRST_DELAY; !signal.aborted; delay = Math.min(2 * delay, LONGEST_DELAY)) {
      try {
        return await queue.work(handler)
      } catch (error) {
        reportError(error, 'the queue of jobs is away; it is tried again', log)
      } finally {
        tried()
      }
      await sleep(delay, undefined, { signal, ref: false }).catch(() => {})
    }
    return undefined
  }
}
