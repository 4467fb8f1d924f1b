import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceUnavailable } from '../../core/errors.ts'
import { Turns } from '../../core/turns.ts'
import type { ReaderAnswer, ReaderTask } from './sqlite-messages.ts'
import { SqliteThread, type ThreadOptions } from './sqlite-thread.ts'

export interface ThreadsOptions extends ThreadOptions {
  /** Statements that run at the same time. Streams have threads beyond that. */
  readonly limit: number
  /** Milliseconds that a statement waits for its turn. */
  readonly patience: number
}

const BUSY = 'Other long searches and lists are being read. Please try again.'

/** Most statements take a millisecond or less, so a longer line than usual is soon over. */
const LONGEST_QUEUE = 1_000

/** Milliseconds that a thread gets to end a batch that nobody wants any more, before it is ended itself. */
const GRACE = 100

/** Reader threads, started when they are needed; a few of them stay. */
export class SqliteThreads {
  readonly #options: ThreadsOptions
  readonly #turns = new Turns()
  readonly #idle: SqliteThread[] = []
  readonly #running = new Set<Promise<unknown>>()
  /** Threads that are given back, or end. */
  readonly #leaving = new Set<Promise<unknown>>()
  #isClosed = false
  #haveWorked = false

  constructor(options: ThreadsOptions) {
    this.#options = options
  }

  /** Whether one has ever started. */
  get haveWorked(): boolean {
    return this.#haveWorked
  }

  /**
   * @throws NoTurn after the patience
   * @throws ThreadNotStarted where none can be started
   * @throws ServiceUnavailable after the time limit, when the thread ends, and once these are closed
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

  /** Reads in batches, one ahead of the reader. Each stream has a thread for itself, for as long as its reader takes. */
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
          // Whoever leaves does not wait for it.
          next.catch(() => {})
        }
        yield answer
      }
    } finally {
      // Mostly it has only begun to read ahead.
      await Promise.race([next?.catch(() => {}), sleep(GRACE, undefined, { ref: false })])
      if (thread.isBusy) thread.stop(new Error('Nobody reads any more.'))
      else if (!isOver && thread.isUsable) await thread.perform({ kind: 'close' }).catch(() => {})
      await this.#restoreParked(thread)
    }
  }

  /** Waits for the statements that run; streams end when their readers do. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#running)
    // Whoever closes the file behind them is to be the last one that has it open.
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
      // A statement that nobody waits for any more still takes its core.
      const left = this.#restoreParked(thread).then(release)
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

  async #restoreParked(thread: SqliteThread | undefined): Promise<void> {
    if (!thread) return
    if (!thread.isUsable) await thread.ended()
    else if (this.#isClosed || this.#idle.length >= this.#options.limit) await thread.end()
    else this.#idle.push(thread)
  }
}
