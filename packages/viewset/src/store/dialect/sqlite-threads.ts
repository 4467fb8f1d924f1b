import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { default as Database } from 'better-sqlite3'
import { ServiceUnavailable } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { Turns } from '../../core/turns.ts'
import type { ReaderAnswer, ReaderData, ReaderFailure, ReaderTask } from './sqlite-messages.ts'

interface ThreadsOptions extends ThreadOptions {
  readonly limit: number
  readonly patience: number
}

const BUSY = message('service_unavailable.searches')

/** Most statements take at most 1 ms, so a long queue is short-lived. */
const LONGEST_QUEUE = 1_000

/** Milliseconds for a thread to finish an abandoned batch before it is terminated. */
const GRACE = 100

export class SqliteThreads {
  readonly #options: ThreadsOptions
  readonly #turns = new Turns()
  readonly #idle: SqliteThread[] = []
  readonly #running = new Set<Promise<unknown>>()
  readonly #leaving = new Set<Promise<unknown>>()
  #isClosed = false
  #haveWorked = false

  constructor(options: ThreadsOptions) {
    this.#options = options
  }

  get haveWorked(): boolean {
    return this.#haveWorked
  }

  /**
   * @throws NoTurn after the patience
   * @throws ThreadNotStarted if no thread can start
   * @throws ServiceUnavailable after the time limit, if the thread ends, and after closing
   */
  async run(task: ReaderTask): Promise<ReaderAnswer> {
    this.#assertOpen()
    const answer = this.#run(task)
    this.#running.add(answer)
    try {
      return await answer
    } finally {
      this.#running.delete(answer)
    }
  }

  /** Reads in batches, one ahead of the reader. Each stream occupies a thread until it ends. */
  async *stream(text: string, values: readonly unknown[], batch: number): AsyncGenerator<ReaderAnswer> {
    this.#assertOpen()
    const thread = this.#take()
    let next: Promise<ReaderAnswer> | undefined
    let isOver = false
    try {
      next = thread.perform({ kind: 'open', text, values, batch })
      while (!isOver) {
        const answer = await next
        isOver = answer.isLast
        if (!isOver) {
          next = thread.perform({ kind: 'next' })
          // If the reader leaves, this batch has no other handler.
          next.catch(() => {})
        }
        yield answer
      }
    } finally {
      // Usually it has just begun to read ahead.
      await Promise.race([next?.catch(() => {}), sleep(GRACE, undefined, { ref: false })])
      if (thread.isBusy) thread.stop(new Error('Nobody reads any more.'))
      else if (!isOver && thread.isUsable) await thread.perform({ kind: 'close' }).catch(() => {})
      await this.#returnThread(thread)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#running)
    // The connection that closes the file must be the last one.
    await Promise.allSettled(this.#leaving)
    await Promise.all(this.#idle.splice(0).map(thread => thread.end()))
  }

  async #run(task: ReaderTask): Promise<ReaderAnswer> {
    const { limit, patience } = this.#options
    const release = await this.#turns.take({ limit, patience, longestQueue: LONGEST_QUEUE, message: BUSY })
    let thread: SqliteThread | undefined
    try {
      thread = this.#take()
      const answer = await thread.perform(task)
      this.#haveWorked = true
      return answer
    } finally {
      // An abandoned statement still occupies its core.
      const left = this.#returnThread(thread).then(release)
      this.#leaving.add(left)
      left.finally(() => this.#leaving.delete(left))
    }
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new ServiceUnavailable()
  }

  #take(): SqliteThread {
    for (let thread = this.#idle.pop(); thread; thread = this.#idle.pop()) if (thread.isUsable) return thread
    return new SqliteThread(this.#options)
  }

  async #returnThread(thread: SqliteThread | undefined): Promise<void> {
    if (!thread) return
    if (!thread.isUsable) await thread.ended()
    else if (this.#isClosed || this.#idle.length >= this.#options.limit) await thread.end()
    else this.#idle.push(thread)
  }
}

/** The thread's module, or one of its imports, is missing. */
export class ThreadNotStarted extends Error {}

interface ThreadOptions {
  readonly file: URL
  readonly data: ReaderData
  readonly timeLimit: number
  /** Megabytes of heap. Exceeding it ends the thread instead of the process. */
  readonly heap: number
}

class SqliteThread {
  readonly #worker: Worker
  readonly #timeLimit: number
  readonly #exit: Promise<unknown>
  #task: PromiseWithResolvers<ReaderAnswer> | undefined
  #end: { readonly error: unknown } | undefined
  #hasAnswered = false

  constructor({ file, data, timeLimit, heap }: ThreadOptions) {
    this.#timeLimit = timeLimit
    this.#worker = startWorker(file, {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: heap },
      // The thread needs no loaders and inspectors of the main thread.
      execArgv: [],
    })
    // An idle thread does not keep the process alive.
    this.#worker.unref()
    this.#worker.on('message', answer => this.#settle(answer))
    this.#worker.on('error', error => this.#fail(this.#failureOf(error)))
    this.#exit = once(this.#worker, 'exit').catch(() => {})
    this.#worker.on('exit', () => this.#fail(unavailable(new Error('The reader thread has ended.'))))
  }

  get isUsable(): boolean {
    return this.#end === undefined
  }

  get isBusy(): boolean {
    return this.#task !== undefined
  }

  /** @throws ServiceUnavailable after the time limit, which ends the thread, and if it ends by itself. */
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

  /** Terminates it. SQLite cannot be interrupted, so {@link ended} may take until the statement is done. */
  stop(reason: Error): void {
    this.#fail(unavailable(reason))
    this.#worker.terminate()
  }

  async end(): Promise<void> {
    await this.perform({ kind: 'end' }).catch(() => {})
    this.#end ??= { error: unavailable(new Error('The reader thread was ended.')) }
    // The connection is closed. Modules of NODE_OPTIONS may keep the thread alive.
    this.#worker.terminate()
    await this.ended()
  }

  async ended(): Promise<void> {
    // The process waits for the running task.
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
