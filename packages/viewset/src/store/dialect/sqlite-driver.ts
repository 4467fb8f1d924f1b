import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { SQLiteProxyTransaction, SQLiteRemoteSession } from 'drizzle-orm/sqlite-proxy/session'
import { ConfigError, ServiceUnavailable, ValidationError } from '../../core/errors.ts'
import { foldCase } from '../../core/fold-case.ts'
import { refuseUnknown } from '../../core/refuse-unknown.ts'
import { numberIfSafe } from '../../model/values.ts'
import { BoundedCache } from '../bounded-cache.ts'
import type { Driver, Executor, PrepareBatch, RawRow, Result, Statement, TransactionConnection } from '../driver.ts'
import { localDate } from './local-date.ts'
import { sqliteDialect } from './sqlite.ts'

export interface SqliteOptions {
  /** Milliseconds to wait for others that are writing, in this process or another, before answering 503. Default 5,000. */
  readonly busyTimeout?: number
}

const BUSY = 'The database is busy. Please try again.'

/** Prepared statements kept for each connection. */
const STATEMENTS = 500

/**
 * The `better-sqlite3` package behind the store's {@link Driver} (DESIGN, rule 11).
 *
 * One connection writes, behind a queue: an open transaction never sees another request's statements. Reads outside a
 * transaction have a connection of their own and see what is committed.
 */
export class SqliteDriver implements Driver {
  readonly dialect = sqliteDialect
  readonly #path: string
  readonly #writer: SqliteConnection
  readonly #reader: SqliteConnection
  readonly #busyTimeout: number
  #writerIsFree = true
  /** Whoever waits for the writer, in the order of their coming. */
  readonly #waiting: PromiseWithResolvers<void>[] = []

  constructor(path: string, options: SqliteOptions) {
    if (path === '' || path === ':memory:') {
      throw new ConfigError('sqlite', 'path', 'an in-memory database has one connection only; give the path of a file')
    }
    const folder = dirname(path)
    if (!existsSync(folder)) throw new ConfigError('sqlite', 'path', `the folder "${folder}" does not exist`)
    refuseUnknown('sqlite', 'option', Object.keys(options), ['busyTimeout'])
    this.#busyTimeout = options.busyTimeout ?? 5_000
    this.#path = path
    this.#writer = new SqliteConnection(path, this.#busyTimeout)
    this.#reader = this.#connect()
  }

  #connect(): SqliteConnection {
    const connection = new SqliteConnection(this.#path, this.#busyTimeout)
    connection.pragma('query_only = on')
    return connection
  }

  async run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    if (this.#reader.isReadonly(statement)) return this.#retryWhileBusy(() => this.#reader.run(statement, values))
    const release = await this.#takeWriter()
    try {
      return await this.#retryWhileBusy(() => this.#writer.run(statement, values))
    } finally {
      release()
    }
  }

  async begin(): Promise<TransactionConnection> {
    const release = await this.#takeWriter()
    try {
      await this.#retryWhileBusy(() => this.#writer.run({ text: 'begin immediate' }, []))
      return new SqliteTransaction(this.#writer, release)
    } catch (error) {
      release()
      throw error
    }
  }

  async *stream(
    { text }: Statement,
    values: readonly unknown[],
    batch: number,
    prepare?: PrepareBatch,
  ): AsyncGenerator<readonly RawRow[]> {
    // While a statement is being iterated, its connection can do nothing else, so a stream has one of its own.
    const connection = this.#connect()
    try {
      let rows: RawRow[] = []
      for (const row of connection.iterate(text, values)) {
        rows.push(row)
        if (rows.length < batch) continue
        if (prepare) await prepare(rows, this)
        yield rows
        rows = []
      }
      if (rows.length === 0) return
      if (prepare) await prepare(rows, this)
      yield rows
    } finally {
      connection.close()
    }
  }

  drizzle(executor: Executor): object {
    const dialect = new SQLiteAsyncDialect()
    const session = new SQLiteRemoteSession(
      async (text, values, method) => {
        const { rows } = await executor.run({ text }, values)
        const plain = rows.map(row => row.map(numberIfSafe))
        return { rows: method === 'get' ? (plain[0] as unknown[]) : plain }
      },
      dialect,
      undefined,
    )
    return new SQLiteProxyTransaction('async', dialect, session, undefined)
  }

  async close(): Promise<void> {
    const release = await this.#takeWriter()
    this.#reader.close()
    this.#writer.close()
    release()
  }

  /** Waits for the writer, and returns what gives it back. @throws ServiceUnavailable after the busy timeout. */
  async #takeWriter(): Promise<() => void> {
    if (!this.#writerIsFree) await this.#waitForWriter()
    this.#writerIsFree = false
    return () => {
      const next = this.#waiting.shift()
      if (next) next.resolve()
      else this.#writerIsFree = true
    }
  }

  async #waitForWriter(): Promise<void> {
    const turn = Promise.withResolvers<void>()
    this.#waiting.push(turn)
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(turn), 1)
      turn.reject(new ServiceUnavailable(BUSY))
    }, this.#busyTimeout)
    await turn.promise.finally(() => clearTimeout(timer))
  }

  /** Waits for other processes without blocking the event loop, as SQLite's own busy handler would. */
  async #retryWhileBusy<T>(attempt: () => T): Promise<T> {
    let deadline = Number.NaN
    for (let delay = 1; ; delay = Math.min(delay * 2, 50)) {
      try {
        return attempt()
      } catch (error) {
        if (!isBusy(error)) throw error
        if (Number.isNaN(deadline)) deadline = performance.now() + this.#busyTimeout
        if (performance.now() > deadline) {
          throw new ServiceUnavailable(BUSY, 1, error)
        }
        await sleep(delay)
      }
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')
}

class SqliteTransaction implements TransactionConnection {
  readonly #connection: SqliteConnection
  readonly #release: () => void
  #open = true

  constructor(connection: SqliteConnection, release: () => void) {
    this.#connection = connection
    this.#release = release
  }

  async run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    if (!this.#open) throw new Error('This transaction has ended; its database cannot be used any more.')
    return this.#connection.run(statement, values)
  }

  async commit(): Promise<void> {
    try {
      await this.run({ text: 'commit' }, [])
    } catch (error) {
      await this.rollback()
      throw error
    }
    this.#end()
  }

  async rollback(): Promise<void> {
    // SQLite rolls back by itself on some errors (a full disk); a second ROLLBACK would be an error.
    if (this.#open && this.#connection.inTransaction) await this.run({ text: 'rollback' }, [])
    this.#end()
  }

  #end(): void {
    this.#open = false
    this.#release()
  }
}

/** One connection with its prepared statements. Synchronous, as better-sqlite3 is. */
class SqliteConnection {
  readonly #database: Database.Database
  readonly #statements = new BoundedCache<string, Database.Statement>(STATEMENTS)

  constructor(path: string, busyTimeout: number) {
    // While the connection is set up there is nothing to do but wait; afterwards busy is handled without blocking.
    this.#database = new Database(path, { timeout: busyTimeout })
    this.pragma('journal_mode = wal')
    this.pragma('synchronous = normal')
    this.pragma('foreign_keys = on')
    this.pragma('busy_timeout = 0')
    this.#database.defaultSafeIntegers(true)
    this.#database.function('casefold', { deterministic: true }, casefold)
    this.#database.function('local_date', { deterministic: true }, localDate)
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction
  }

  pragma(text: string): void {
    this.#database.pragma(text)
  }

  isReadonly(statement: Statement): boolean {
    return this.#prepare(statement).readonly
  }

  run(statement: Statement, values: readonly unknown[]): Result {
    const prepared = this.#prepare(statement)
    const bound = values.map(bindable)
    if (prepared.reader) {
      const rows = prepared.all(bound) as unknown[][]
      return { rows, changes: rows.length }
    }
    return { rows: [], changes: prepared.run(bound).changes }
  }

  /** Leaving the loop closes the iterator, as a `for...of` does. */
  iterate(text: string, values: readonly unknown[]): IterableIterator<RawRow> {
    return this.#database.prepare(text).raw().iterate(values.map(bindable)) as IterableIterator<RawRow>
  }

  close(): void {
    this.#database.close()
  }

  #prepare({ text }: Statement): Database.Statement {
    return this.#statements.get(text, () => {
      const statement = this.#database.prepare(text)
      return statement.reader ? statement.raw() : statement
    })
  }
}

/** So that "ignoring case" means the same as on PostgreSQL; SQLite itself knows only ASCII. */
function casefold(text: unknown): unknown {
  return typeof text === 'string' ? foldCase(text) : text
}

/** The one gate through which values reach SQLite (DESIGN, rule 11). */
function bindable(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      if (value.includes('\0')) throw new ValidationError('Null characters are not allowed.')
      return value
    case 'number':
      // A JavaScript number would be bound as REAL, and 1.0 is not 1 in a text column.
      return Number.isSafeInteger(value) ? BigInt(value) : value
    case 'boolean':
      return value ? 1n : 0n
    case 'bigint':
      return value
    case 'undefined':
      return null
    default:
      if (value === null || value instanceof Uint8Array) return value
      throw new TypeError(`A ${Object.prototype.toString.call(value)} cannot be stored in SQLite.`)
  }
}
