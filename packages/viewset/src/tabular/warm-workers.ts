import { AsyncLocalStorage } from 'node:async_hooks'
import { Worker } from 'node:worker_threads'
import { workerFile } from '../core/processes.ts'
import type { Finished, TaskFailure, WorkerMessage } from './worker-tasks.ts'

/** Milliseconds without work after which a thread ends. */
const REST = 30_000

/** More threads without work than this end at once. */
const MOST_AT_REST = 2

/** A thread whose heap has become larger ends with its job: V8 seldom gives memory back. */
const LARGEST_HEAP = 64 * 1024 ** 2

/** Milliseconds for the unfinished task of a closed job. */
const GRACE = 1_000

/** A thread outlives the request that starts it, and must not keep the request's user and session. */
const outsideOfRequests = AsyncLocalStorage.snapshot()

const pools = new Set<WarmWorkers>()

/** Ends all threads without work. */
export async function endRestingWorkers(): Promise<void> {
  await Promise.all(Array.from(pools, pool => pool.endResting()))
}

/**
 * The threads of one module, each with one job at a time. A thread stays for the next job, because its start costs more
 * than most jobs. It ends after an error, after a job that needed much memory and after a time without work.
 */
export class WarmWorkers {
  readonly #file: URL
  readonly #resting: WorkerThread[] = []

  constructor(file: URL) {
    this.#file = file
    pools.add(this)
  }

  take(memoryLimit: number): WorkerThread {
    const index = this.#resting.findLastIndex(thread => thread.isAlive && thread.memoryLimit === memoryLimit)
    const [warm] = index === -1 ? [] : this.#resting.splice(index, 1)
    if (!warm) return outsideOfRequests(() => new WorkerThread(this.#file, memoryLimit))
    warm.resume()
    return warm
  }

  /** Waits until the thread has finished its job, for a limited time. */
  async release(thread: WorkerThread): Promise<void> {
    const finished = await thread.finish()
    if (!finished || finished.heap > LARGEST_HEAP) {
      await thread.end()
      return
    }
    this.#resting.push(thread)
    outsideOfRequests(() => thread.rest(() => this.#remove(thread)))
    if (this.#resting.length > MOST_AT_REST) await this.#resting.shift()?.end()
  }

  async endResting(): Promise<void> {
    await Promise.all(this.#resting.splice(0).map(thread => thread.end()))
  }

  #remove(thread: WorkerThread): void {
    this.#resting.splice(this.#resting.indexOf(thread), 1)
    void thread.end()
  }
}

export class WorkerThread {
  readonly memoryLimit: number
  readonly #worker: Worker
  #answer: PromiseWithResolvers<object> | undefined
  #end: { readonly error: unknown } | undefined
  #hasFailed = false
  #rest: NodeJS.Timeout | undefined

  constructor(file: URL, memoryLimit: number) {
    this.memoryLimit = memoryLimit
    this.#worker = new Worker(workerFile(file), {
      resourceLimits: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: memoryLimit },
      // The worker needs no loaders and inspectors of the main thread.
      execArgv: [],
    })
    this.#worker.on('message', (answer: object) => {
      // The failed task may have left work behind.
      if ('error' in answer) this.#hasFailed = true
      this.#answer?.resolve(answer)
    })
    this.#worker.on('error', error => this.#fail(error))
    this.#worker.on('exit', () => this.#fail(new Error('The worker has ended.')))
  }

  get isAlive(): boolean {
    return this.#end === undefined
  }

  begin(data: unknown): void {
    this.#worker.postMessage({ data } satisfies WorkerMessage)
  }

  /**
   * Asks the worker, which answers one message after the other.
   *
   * @throws the error that has ended the thread
   */
  async ask<Answer extends object>(message: WorkerMessage): Promise<Answer | TaskFailure> {
    if (this.#end) throw this.#end.error
    this.#worker.postMessage(message)
    this.#answer = Promise.withResolvers()
    try {
      return (await this.#answer.promise) as Answer | TaskFailure
    } finally {
      this.#answer = undefined
    }
  }

  /** Finishes the job. `undefined` if the thread must not have another one. */
  async finish(): Promise<Finished | undefined> {
    const late = setTimeout(() => this.end(), GRACE)
    try {
      await this.#answer?.promise
      if (this.#hasFailed) return undefined
      const finished = await this.ask<Finished>('finish')
      return 'error' in finished ? undefined : finished
    } catch {
      return undefined
    } finally {
      clearTimeout(late)
    }
  }

  /** Does not keep the process alive until it is resumed. */
  rest(onEnd: () => void): void {
    this.#worker.unref()
    this.#rest = setTimeout(onEnd, REST).unref()
  }

  resume(): void {
    clearTimeout(this.#rest)
    this.#worker.ref()
  }

  /** Terminates the thread at once. An unfinished task fails with `reason`. */
  async end(reason: unknown = new Error('The worker was ended.')): Promise<void> {
    clearTimeout(this.#rest)
    this.#fail(reason)
    await this.#worker.terminate()
  }

  #fail(error: unknown): void {
    this.#end ??= { error }
    this.#answer?.reject(error)
  }
}
