import { setTimeout as sleep } from 'node:timers/promises'
import { type ErrorLog, reportError } from '../../core/context.ts'

/**
 * Runs one job. Its signal aborts when the worker stops: then the job should pause where it can go on later. It does
 * nothing for a job that has ended or runs elsewhere; one that throws is called again later.
 */
export type JobHandler = (id: string, signal: AbortSignal) => Promise<void>

/**
 * Who runs jobs. A queue may hand out a job more than once, and at the same time to several workers: whether a job is to
 * be run is decided by its row in the database. It may not lose one.
 *
 * @example
 * const queue: JobQueue = pgBossQueue(process.env.DATABASE_URL)
 */
export interface JobQueue {
  /**
   * Makes sure that a job is handed to a worker, at least once. `owner` is the id of the user who asked for it: a queue
   * should let no user wait for all jobs of another one.
   */
  enqueue(id: string, owner?: string | null): Promise<void>
  /**
   * Hands jobs to `handler`, a limited number at a time.
   *
   * @returns a function that stops it: the signals of what runs abort, and it resolves when all that has ended
   */
  work(handler: JobHandler): Promise<() => Promise<void>>
}

/** Milliseconds until a queue that is away is tried again: twice as many each time. */
const FIRST_DELAY = 1_000
const LONGEST_DELAY = 30_000

/** Works on a queue as soon as that is there: a server starts, and answers, also while its database is away. */
export class QueueWorker {
  /** Resolves when it was tried once, whether that went well or not. */
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
