import { existsSync, statSync } from 'node:fs'
import { setImmediate as pause } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import { ServiceUnavailable } from '../../core/errors.ts'
import { workerFile } from '../../core/processes.ts'
import type { RawRow, Result, Statement } from '../connection/driver.ts'
import { Busy, bindable, retryWhileBusy, SqliteConnection } from './sqlite-connection.ts'
import type { ReaderAnswer } from './sqlite-messages.ts'
import { type KnownScan, SqlitePlans } from './sqlite-plan.ts'
import type { SqliteSettings } from './sqlite-source.ts'
import { SqliteThreads, ThreadNotStarted } from './sqlite-threads.ts'
import { SqliteVersions } from './sqlite-versions.ts'

/** Rows that a counted run goes through in the process before it is ended. */
const COUNTED_ROWS = 1_000

/**
 * Reads a file outside of transactions: in the process, or in a thread if the statement may scan many rows. Each
 * statement sees the commits before it began.
 */
export class SqliteReads {
  readonly versions: SqliteVersions
  readonly #path: string
  readonly #settings: SqliteSettings
  readonly #connection: SqliteConnection
  readonly #snapshots: SqliteSnapshots
  readonly #plans: SqlitePlans
  /** Created on first use; `null` if threads are not possible. */
  #threads: SqliteThreads | null | undefined

  constructor(path: string, settings: SqliteSettings) {
    this.#path = path
    this.#settings = settings
    this.#connection = SqliteConnection.openReader(path, settings)
    this.versions = new SqliteVersions(this.#connection)
    this.#plans = new SqlitePlans(this.#connection)
    this.#snapshots = new SqliteSnapshots(path, settings.busyTimeout, () => this.#shortenLog())
    if (settings.readerThreads === 0) this.#threads = null
  }

  isReadonly(statement: Statement): boolean {
    return this.#connection.isReadonly(statement)
  }

  run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    if (this.#threads === null) return this.#runHere(statement, values)
    const scan = this.#plans.of(statement, values)
    if (scan.isShort(values) || !this.#hasThreads()) return this.#runHere(statement, values)
    const counted = scan.counted()
    return counted === undefined
      ? this.#runInThread(statement, values)
      : this.#runCounted(statement, values, counted, scan)
  }

  async *stream(statement: Statement, values: readonly unknown[], batch: number): AsyncGenerator<readonly RawRow[]> {
    const release = await this.#snapshots.take()
    try {
      if (this.#isLong(statement, values)) {
        try {
          return yield* this.#streamFromThread(statement, values, batch)
        } catch (error) {
          // No batch has arrived yet.
          this.#doWithout(error)
        }
      }
      yield* this.#streamHere(statement, values, batch)
    } finally {
      release()
    }
  }

  async close(): Promise<void> {
    this.#threads ??= null
    await this.#threads?.close()
    this.#connection.close()
  }

  /** Checkpoints the log. That takes half a second or more for a long log, so it runs in a thread. */
  async #shortenLog(): Promise<void> {
    try {
      // `passive` takes long but does not block writers. The rest for `truncate` is short.
      for (const mode of ['passive', 'truncate']) {
        if (!this.#hasThreads()) return this.#connection.pragma('wal_checkpoint(truncate)')
        await this.#threads?.run({ kind: 'run', text: `pragma wal_checkpoint(${mode})`, values: [] })
      }
    } catch (error) {
      // If no thread is free, a later checkpoint does it.
      if (!(error instanceof ServiceUnavailable)) this.#doWithout(error)
    }
  }

  #assertOpen(): void {
    if (!this.#connection.isOpen) throw new ServiceUnavailable()
  }

  #isLong(statement: Statement, values: readonly unknown[]): boolean {
    return this.#threads !== null && !this.#plans.of(statement, values).isShort(values) && this.#hasThreads()
  }

  #hasThreads(): boolean {
    if (this.#threads === undefined) this.#threads = this.#findThreads()
    return this.#threads !== null
  }

  #runHere(statement: Statement, values: readonly unknown[]): Promise<Result> {
    return retryWhileBusy(this.#settings.busyTimeout, () => this.#connection.run(statement, values))
  }

  async #runCounted(
    statement: Statement,
    values: readonly unknown[],
    counted: string,
    scan: KnownScan,
  ): Promise<Result> {
    const run = () => this.#connection.runWithin(COUNTED_ROWS, { text: counted }, values)
    const result = await retryWhileBusy(this.#settings.busyTimeout, run)
    scan.ran(result === undefined)
    return result ?? this.#runInThread(statement, values)
  }

  async #runInThread(statement: Statement, values: readonly unknown[]): Promise<Result> {
    let answer: ReaderAnswer | undefined
    try {
      answer = await this.#threads?.run({ kind: 'run', text: statement.text, values: values.map(bindable) })
    } catch (error) {
      this.#doWithout(error)
    }
    return answer ? { rows: answer.rows, changes: answer.rows.length } : this.#runHere(statement, values)
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

  /** A connection is busy while a statement is iterated, so a stream has its own. */
  async *#streamHere(
    { text }: Statement,
    values: readonly unknown[],
    batch: number,
  ): AsyncGenerator<readonly RawRow[]> {
    this.#assertOpen()
    const connection = SqliteConnection.openReader(this.#path, this.#settings)
    try {
      yield* inBatches(connection.iterate(text, values), batch)
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

  /** Continues without threads if they cannot start. @throws any other error. */
  #doWithout(error: unknown): void {
    if (!(error instanceof ThreadNotStarted)) throw error
    // A limit of the machine may be temporary, but a thread that never worked will not start later.
    if (this.#threads?.haveWorked) return
    if (this.#threads) warnWithoutThreads(error.message)
    this.#threads = null
  }
}

function readerFile(): URL | null {
  // A CommonJS bundle has no import.meta.url.
  if (import.meta.url === undefined) return null
  const file = workerFile(new URL('./sqlite-reader.js', import.meta.url))
  return existsSync(file) ? file : null
}

function warnWithoutThreads(reason: string): void {
  process.emitWarning(
    `No thread can be started to read SQLite (${reason}), so a search through many rows holds all other requests. ` +
      'docs/sqlite-under-load.md, "In a bundle", says what to do; readerThreads: 0 says that this is meant.',
    { type: 'viewset', code: 'VIEWSET_SQLITE_THREADS' },
  )
}

/** Bytes of the write-ahead log from which no new stream starts before a checkpoint. */
const LONG_LOG = 256 * 1024 ** 2

/** Bytes of the log whose checkpoint would cost a commit milliseconds. */
const WORTH_A_THREAD = 16 * 1024 ** 2

/**
 * Snapshots that streams hold. As long as one is held, the write-ahead log cannot restart, and overlapping streams
 * would let it grow without limit. If the log is long, all streams must end before the next one begins. After the last
 * one, the log is checkpointed, because the next commit would have to do it otherwise.
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

  /** Waits for a snapshot and returns a function that releases it. @throws ServiceUnavailable after the busy timeout */
  async take(): Promise<() => void> {
    await retryWhileBusy(this.#busyTimeout, () => {
      if (this.#held > 0 && this.#logSize() > LONG_LOG) throw new Busy('The log is long, and streams hold on to it.')
    })
    // Readers in other processes can still prevent the checkpoint.
    if (this.#held === 0 && this.#logSize() > LONG_LOG) await this.#shorten()
    this.#held++
    return () => {
      this.#held--
      // If it fails, the next commit reports why.
      if (this.#held === 0 && this.#logSize() > WORTH_A_THREAD) this.#shorten().catch(() => {})
    }
  }

  /** Concurrent callers share one checkpoint. */
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

/** Rows in batches, with a pause for other requests after each. */
export async function* inBatches(source: Iterable<RawRow>, batch: number): AsyncGenerator<readonly RawRow[]> {
  let rows: RawRow[] = []
  for (const row of source) {
    rows.push(row)
    if (rows.length < batch) continue
    yield rows
    // SQLite is synchronous: a reader that takes all rows at once would block the process.
    await pause()
    rows = []
  }
  if (rows.length > 0) yield rows
}
