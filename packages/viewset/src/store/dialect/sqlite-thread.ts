import { once } from 'node:events'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { ServiceUnavailable } from '../../core/errors.ts'
import type { ReaderAnswer, ReaderData, ReaderFailure, ReaderTask } from './sqlite-messages.ts'

/** A thread that could not be started: its module is not there, or what that imports. */
export class ThreadNotStarted extends Error {}

export interface ThreadOptions {
  readonly file: URL
  readonly data: ReaderData
  /** Milliseconds for each task. */
  readonly timeLimit: number
  /** Megabytes of its heap. What needs more ends the thread, and not the process. */
  readonly heap: number
}

/** One reader thread, which does one task at a time. */
export class SqliteThread {
  readonly #worker: Worker
  readonly #timeLimit: number
  readonly #exit: Promise<unknown>
  #task: PromiseWithResolvers<ReaderAnswer> | undefined
  /** Why it does nothing any more. */
  #end: { readonly error: unknown } | undefined
  #hasAnswered = false

  constructor({ file, data, timeLimit, heap }: ThreadOptions) {
    this.#timeLimit = timeLimit
    this.#worker = startWorker(file, {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: heap },
      // Loaders and inspectors of the main thread have no business here.
      execArgv: [],
    })
    // Who waits for nothing from it may end.
    this.#worker.unref()
    this.#worker.on('message', answer => this.#settle(answer))
    this.#worker.on('error', error => this.#fail(this.#failureOf(error)))
    this.#exit = once(this.#worker, 'exit').catch(() => {})
    this.#worker.on('exit', () => this.#fail(unavailable(new Error('The reader thread has ended.'))))
  }

  get isUsable(): boolean {
    return this.#end === undefined
  }

  /** Whether it is at work. */
  get isBusy(): boolean {
    return this.#task !== undefined
  }

  /** @throws ServiceUnavailable after the time limit, which ends the thread, and when it ends by itself. */
  async perform(task: ReaderTask): Promise<ReaderAnswer> {
    if (this.#end) throw this.#end.error
    this.#task = Promise.withResolvers()
    const { promise } = this.#task
    const timer = setTimeout(() => this.stop(new Error(`It took longer than ${this.#timeLimit} ms.`)), this.#timeLimit)
    this.#worker.ref()
    try {
      this.#worker.postMessage(task)
      return await promise
    } finally {
      clearTimeout(timer)
      this.#task = undefined
      this.#worker.unref()
    }
  }

  /** Ends it, whatever it is doing. SQLite itself cannot be interrupted, so {@link ended} may take until it is done. */
  stop(reason: Error): void {
    this.#fail(unavailable(reason))
    this.#worker.terminate()
  }

  /** Ends it when it does nothing. */
  async end(): Promise<void> {
    await this.perform({ kind: 'end' }).catch(() => {})
    this.#end ??= { error: unavailable(new Error('The reader thread was ended.')) }
    // It has closed its connection; what a module of NODE_OPTIONS keeps alive in it is not waited for.
    this.#worker.terminate()
    await this.ended()
  }

  async ended(): Promise<void> {
    // Whoever waits for that must not end before it.
    this.#worker.ref()
    await this.#exit
  }

  #settle(answer: ReaderAnswer | ReaderFailure): void {
    this.#hasAnswered = true
    if (!('error' in answer)) {
      for (const column of answer.binary) for (const row of answer.rows) toBuffer(row as unknown[], column)
      this.#task?.resolve(answer)
      return
    }
    const { message, code } = answer.error
    this.#task?.reject(code === undefined ? new Error(message) : new Database.SqliteError(message, code))
  }

  #fail(error: unknown): void {
    this.#end ??= { error }
    this.#task?.reject(error)
  }

  #failureOf(cause: Error): Error {
    const isOutOfMemory = (cause as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
    return this.#hasAnswered || isOutOfMemory ? unavailable(cause) : new ThreadNotStarted(cause.message, { cause })
  }
}

/** @throws ThreadNotStarted where the system has no room for one more. */
function startWorker(file: URL, options: WorkerOptions): Worker {
  try {
    return new Worker(file, options)
  } catch (cause) {
    throw new ThreadNotStarted(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

function toBuffer(row: unknown[], column: number): void {
  const value = row[column]
  if (value instanceof Uint8Array) row[column] = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

function unavailable(cause: Error): ServiceUnavailable {
  return new ServiceUnavailable(undefined, undefined, cause)
}
