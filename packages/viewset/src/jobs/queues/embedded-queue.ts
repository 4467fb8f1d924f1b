import { AsyncLocalStorage } from 'node:async_hooks'
import { checkOptions, setting } from '../../core/setting-rules.ts'
import type { JobHandler, JobQueue } from './job-queue.ts'

/** Options of {@link embeddedQueue}. */
export interface EmbeddedQueueOptions {
  /** Jobs that run at the same time. Default 2, so that a short job need not wait for a long one. */
  readonly concurrency?: number
}

/** Milliseconds before a failed job is retried; doubled each time. */
const FIRST_DELAY = 1_000
const LONGEST_DELAY = 60_000

interface Worker {
  readonly handler: JobHandler
  readonly stopping: AbortController
  readonly retries: Map<string, { readonly job: Waiting; readonly timer: NodeJS.Timeout }>
}

/**
 * Runs jobs in the process that enqueues them, without further packages. It stores nothing: abandoned jobs continue
 * when a process starts.
 *
 * @throws ConfigError for an unknown option, and for a concurrency that is not a whole number above 0
 * @example
 * const queue = embeddedQueue({ concurrency: 1 })
 */
export function embeddedQueue(options: EmbeddedQueueOptions = {}): JobQueue {
  checkOptions('embeddedQueue', { concurrency: setting.wholeNumber }, options)
  return new EmbeddedQueue(options.concurrency ?? 2)
}

class EmbeddedQueue implements JobQueue {
  readonly #concurrency: number
  readonly #waiting = new FairLine()
  readonly #running = new Map<string, Promise<void>>()
  readonly #failures = new Map<string, number>()
  #worker: Worker | undefined

  constructor(concurrency: number) {
    this.#concurrency = concurrency
  }

  async enqueue(id: string, owner: string | null = null): Promise<void> {
    // A running job is handed out again afterwards: it may already have looked for its work.
    this.#waiting.add({ id, owner })
    this.#startNext()
  }

  async work(handler: JobHandler): Promise<() => Promise<void>> {
    if (this.#worker) throw new Error('This queue has a worker already: stop it before you start another one.')
    // A job is not part of the request that enqueued it.
    const inContext = AsyncLocalStorage.snapshot()
    const handle: JobHandler = (id, signal) => inContext(handler, id, signal)
    const worker: Worker = { handler: handle, stopping: new AbortController(), retries: new Map() }
    this.#worker = worker
    this.#startNext()
    return async () => {
      if (this.#worker === worker) this.#stop(worker)
      await Promise.all(this.#running.values())
    }
  }

  #stop({ stopping, retries }: Worker): void {
    this.#worker = undefined
    for (const { job, timer } of retries.values()) {
      clearTimeout(timer)
      this.#waiting.add(job)
    }
    stopping.abort()
  }

  #startNext(): void {
    while (this.#worker && this.#running.size < this.#concurrency) {
      const job = this.#waiting.take(id => !this.#running.has(id))
      if (!job) return
      const ended = () => {
        this.#running.delete(job.id)
        this.#startNext()
      }
      this.#running.set(job.id, this.#run(job, this.#worker).then(ended))
    }
  }

  async #run(job: Waiting, { handler, stopping, retries }: Worker): Promise<void> {
    const { id } = job
    try {
      await handler(id, stopping.signal)
      this.#failures.delete(id)
    } catch {
      if (!stopping.signal.aborted) retries.set(id, { job, timer: this.#retryLater(job) })
    }
    // An interrupted job is for the next worker, even if it did not notice.
    if (stopping.signal.aborted) this.#waiting.add(job)
  }

  #retryLater({ id, owner }: Waiting): NodeJS.Timeout {
    const failures = this.#failures.get(id) ?? 0
    this.#failures.set(id, failures + 1)
    const retry = () => {
      this.#worker?.retries.delete(id)
      void this.enqueue(id, owner)
    }
    return setTimeout(retry, Math.min(FIRST_DELAY * 2 ** failures, LONGEST_DELAY))
  }
}

interface Waiting {
  readonly id: string
  readonly owner: string | null
}

/** Users take turns, and the jobs of a user keep their order. */
class FairLine {
  readonly #byOwner = new Map<string | null, Set<string>>()

  add({ id, owner }: Waiting): void {
    const waiting = this.#byOwner.get(owner)
    if (waiting) waiting.add(id)
    else this.#byOwner.set(owner, new Set([id]))
  }

  /** Its user moves to the end. */
  take(isReady: (id: string) => boolean): Waiting | undefined {
    for (const [owner, waiting] of this.#byOwner) {
      for (const id of waiting) {
        if (!isReady(id)) continue
        waiting.delete(id)
        this.#byOwner.delete(owner)
        if (waiting.size > 0) this.#byOwner.set(owner, waiting)
        return { id, owner }
      }
    }
    return undefined
  }
}
