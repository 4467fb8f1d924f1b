import { existsSync, statSync } from 'node:fs'
import { setImmediate as pause } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import { ServiceUnavailable } from '../../core/errors.ts'
import { workerFile } from '../../core/processes.ts'
import type { RawRow, Result, Statement } from '../driver.ts'
import { Busy, bindable, isBusy, retryWhileBusy, SqliteConnection } from './sqlite-connection.ts'
import type { ReaderAnswer } from './sqlite-messages.ts'
import { type KnownPlan, planOf, SqlitePlans } from './sqlite-plan.ts'
import type { SqliteSettings } from './sqlite-source.ts'
import { SqliteThreads, ThreadNotStarted } from './sqlite-threads.ts'

/**
 * What is read of a file outside of a transaction: by a connection in the process or, what may go through many rows, by a
 * thread. Each statement sees all that was committed before it began.
 */
export class SqliteReads {
  readonly #path: string
  readonly #settings: SqliteSettings
  readonly #connection: SqliteConnection
  readonly #snapshots: SqliteSnapshots
  readonly #plans = new SqlitePlans()
  /** Made when first needed; `null` where there can be none. */
  #threads: SqliteThreads | null | undefined

  constructor(path: string, settings: SqliteSettings) {
    this.#path = path
    this.#settings = settings
    this.#connection = SqliteConnection.openReader(path, settings)
    this.#snapshots = new SqliteSnapshots(path, settings.busyTimeout, () => this.#shortenLog())
    if (settings.readerThreads === 0) this.#threads = null
  }

  isReadonly(statement: Statement): boolean {
    return this.#connection.isReadonly(statement)
  }

  run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    const plan = this.#plans.of(statement.text)
    return this.#isLong(plan, statement, values)
      ? this.#runInThread(statement, values, plan)
      : this.#runHere(statement, values, plan)
  }

  async *stream(statement: Statement, values: readonly unknown[], batch: number): AsyncGenerator<readonly RawRow[]> {
    const release = await this.#snapshots.take()
    try {
      const plan = this.#plans.of(statement.text)
      if (this.#isLong(plan, statement, values)) {
        try {
          return yield* this.#streamFromThread(statement, values, batch)
        } catch (error) {
          // No batch has come from it.
          this.#doWithout(error)
        }
      }
      yield* this.#streamHere(statement, values, batch, plan)
    } finally {
      release()
    }
  }

  /** Makes a file of the database as it is. `false` where that would hold the process, and where it takes too long. */
  async copyTo(file: string): Promise<boolean> {
    this.#assertOpen()
    if (!this.#hasThreads()) return false
    try {
      await this.#threads?.run({ kind: 'copy', file })
      return true
    } catch (error) {
      if (!(error instanceof ServiceUnavailable)) this.#doWithout(error)
      return false
    }
  }

  async close(): Promise<void> {
    // Where there is none yet, none is made.
    this.#threads ??= null
    await this.#threads?.close()
    this.#connection.close()
  }

  /** Writes what is in the log to the database: half a second and more where that is long, so in a thread. */
  async #shortenLog(): Promise<void> {
    try {
      // The first takes long and lets others write; what is left for the second takes none of their time.
      for (const mode of ['passive', 'truncate']) {
        if (!this.#hasThreads()) return this.#connection.pragma('wal_checkpoint(truncate)')
        await this.#threads?.run({ kind: 'run', text: `pragma wal_checkpoint(${mode})`, values: [] })
      }
    } catch (error) {
      // Where threads have no room it is done another time.
      if (!(error instanceof ServiceUnavailable)) this.#doWithout(error)
    }
  }

  /** For what does not use the connection. */
  #assertOpen(): void {
    if (!this.#connection.isOpen) throw new ServiceUnavailable()
  }

  #isLong(plan: KnownPlan, { text }: Statement, values: readonly unknown[]): boolean {
    if (this.#threads === null) return false
    return plan.isLong(values, () => planOf(this.#connection, text, values)) && this.#hasThreads()
  }

  #hasThreads(): boolean {
    if (this.#threads === undefined) this.#threads = this.#findThreads()
    return this.#threads !== null
  }

  async #runHere(statement: Statement, values: readonly unknown[], plan: KnownPlan): Promise<Result> {
    try {
      return this.#timed(statement, values, plan)
    } catch (error) {
      if (!isBusy(error)) throw error
      return retryWhileBusy(this.#settings.busyTimeout, () => this.#timed(statement, values, plan))
    }
  }

  #timed(statement: Statement, values: readonly unknown[], plan: KnownPlan): Result {
    const start = performance.now()
    try {
      return this.#connection.run(statement, values)
    } finally {
      plan.held(performance.now() - start)
    }
  }

  async #runInThread(statement: Statement, values: readonly unknown[], plan: KnownPlan): Promise<Result> {
    let answer: ReaderAnswer | undefined
    try {
      answer = await this.#threads?.run({ kind: 'run', text: statement.text, values: values.map(bindable) })
    } catch (error) {
      this.#doWithout(error)
    }
    return answer ? { rows: answer.rows, changes: answer.rows.length } : this.#runHere(statement, values, plan)
  }

  async *#streamFromThread(
    { text }: Statement,
    values: readonly unknown[],
    batch: number,
  ): AsyncGenerator<readonly RawRow[]> {
    for await (const { rows } of this.#threads?.stream(text, values.map(bindable), batch) ?? []) {
      if (rows.length > 0) yield rows
    }
  }

  /** While a statement is being iterated, its connection can do nothing else, so a stream has one of its own. */
  async *#streamHere(
    { text }: Statement,
    values: readonly unknown[],
    batch: number,
    plan: KnownPlan,
  ): AsyncGenerator<readonly RawRow[]> {
    this.#assertOpen()
    const connection = SqliteConnection.openReader(this.#path, this.#settings)
    try {
      yield* inBatches(connection.iterate(text, values), batch, time => plan.held(time))
    } finally {
      connection.close()
    }
  }

  #findThreads(): SqliteThreads | null {
    const { readerThreads, busyTimeout, statementTimeout } = this.#settings
    const { synchronous } = this.#settings
    const file = readerFile()
    if (!file) {
      warnWithoutThreads('its module, sqlite-reader.js, is not beside the bundle')
      return null
    }
    return new SqliteThreads({
      file,
      data: { path: this.#path, settings: { busyTimeout, synchronous } },
      limit: readerThreads,
      patience: busyTimeout,
      timeLimit: statementTimeout,
      // The process has to hold the same rows afterwards.
      heap: Math.ceil(getHeapStatistics().heap_size_limit / 2 ** 21),
    })
  }

  /** Goes on without threads where they cannot be started. @throws any other error. */
  #doWithout(error: unknown): void {
    if (!(error instanceof ThreadNotStarted)) throw error
    // Limits of the machine pass; what has never worked will not.
    if (this.#threads?.haveWorked) return
    if (this.#threads) warnWithoutThreads(error.message)
    this.#threads = null
  }
}

/** `null` where a bundler has left it behind. */
function readerFile(): URL | null {
  // A bundle in CommonJS has no url of its own.
  if (import.meta.url === undefined) return null
  const file = workerFile(new URL('./sqlite-reader.js', import.meta.url))
  return existsSync(file) ? file : null
}

function warnWithoutThreads(reason: string): void {
  process.emitWarning(
    `No thread can be started to read SQLite (${reason}), so a search through many rows holds all other requests. ` +
      'docs/sqlite.md, "In a bundle", says what to do; readerThreads: 0 says that this is meant.',
    { type: 'viewset', code: 'VIEWSET_SQLITE_THREADS' },
  )
}

/** Bytes of the write-ahead log at which nobody may begin to read for long. */
const LONG_LOG = 256 * 1024 ** 2

/** Bytes of it that a commit would take milliseconds to write to the database. */
const WORTH_A_THREAD = 16 * 1024 ** 2

/**
 * The states of a database that streams hold on to. As long as there is one, the write-ahead log cannot begin anew; streams
 * that follow each other would let it grow for ever, so where it is long, all have to end before the next one begins. With
 * the last one, what has gathered is written to the database: whoever commits next would have to do it otherwise.
 */
class SqliteSnapshots {
  readonly #log: string
  readonly #busyTimeout: number
  readonly #shortenLog: () => Promise<void>
  #shortening: Promise<void> | undefined
  #held = 0

  constructor(path: string, busyTimeout: number, shortenLog: () => Promise<void>) {
    this.#log = `${path}-wal`
    this.#busyTimeout = busyTimeout
    this.#shortenLog = shortenLog
  }

  /** Waits until one may be taken, and returns what gives it back. @throws ServiceUnavailable after the busy timeout */
  async take(): Promise<() => void> {
    await retryWhileBusy(this.#busyTimeout, () => {
      if (this.#held > 0 && this.#logSize() > LONG_LOG) throw new Busy('The log is long, and streams hold on to it.')
    })
    // What other processes read is not for us to wait for: then it stays as it is.
    if (this.#held === 0 && this.#logSize() > LONG_LOG) await this.#shorten()
    this.#held++
    return () => {
      this.#held--
      // If that fails, the next commit says why.
      if (this.#held === 0 && this.#logSize() > WORTH_A_THREAD) this.#shorten().catch(() => {})
    }
  }

  /** Once for all who ask for it. */
  #shorten(): Promise<void> {
    this.#shortening ??= this.#shortenLog().finally(() => {
      this.#shortening = undefined
    })
    return this.#shortening
  }

  #logSize(): number {
    return statSync(this.#log, { throwIfNoEntry: false })?.size ?? 0
  }
}

/** Rows in batches, with a turn for others after each. `took` is told how many milliseconds each has taken. */
export async function* inBatches(
  source: Iterable<RawRow>,
  batch: number,
  took: (time: number) => void = () => {},
): AsyncGenerator<readonly RawRow[]> {
  let rows: RawRow[] = []
  let start = performance.now()
  for (const row of source) {
    rows.push(row)
    if (rows.length < batch) continue
    took(performance.now() - start)
    yield rows
    // Nothing waits for SQLite: a reader who takes everything at once would have the process for itself.
    await pause()
    rows = []
    start = performance.now()
  }
  took(performance.now() - start)
  if (rows.length > 0) yield rows
}
