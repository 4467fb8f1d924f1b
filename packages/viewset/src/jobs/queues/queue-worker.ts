import { setTimeout as sleep } from 'node:timers/promises'
import { type ErrorLog, reportError } from '../../core/context.ts'
import type { JobHandler, JobQueue } from './job-queue.ts'

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
