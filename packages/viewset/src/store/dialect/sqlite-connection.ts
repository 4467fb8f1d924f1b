import { setTimeout as sleep } from 'node:timers/promises'
import { default as Database } from 'better-sqlite3'
import { BoundedCache } from '../../core/bounded-cache.ts'
import { ServiceUnavailable, ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { foldCase } from '../../core/text.ts'
import type { RawRow, Result, Statement } from '../connection/driver.ts'

/** A handle of `better-sqlite3`. */
export type SqliteHandle = Database.Database

const STATEMENTS = 500

const LOG_SIZE = 64 * 1024 ** 2

/** A condition that is true and counts the rows for {@link SqliteConnection.runWithin}. */
export const COUNT_ROW = 'count_row()'

/** A row may be large: after so many rows, and again after so many, a counted run looks at the clock. */
const ROWS_UNTIMED = 32
/** Milliseconds of a counted run after its first rows. */
const TIME_LIMIT = 10

const TOO_LONG = new Error('The statement goes through too many rows.')

export interface ConnectionSettings {
  readonly busyTimeout: number
  readonly synchronous: 'full' | 'normal' | 'off'
}

export class SqliteConnection {
  readonly #handle: SqliteHandle
  readonly #statements = new BoundedCache<string, Database.Statement>(STATEMENTS)
  #rows = 0
  #mostRows = 0
  #deadline = 0

  constructor(handle: SqliteHandle) {
    this.#handle = handle
    for (const [name, fn] of Object.entries(sqliteFunctions)) handle.function(name, { deterministic: true }, fn)
  }

  static open(path: string, { busyTimeout, synchronous }: ConnectionSettings): SqliteConnection {
    // During set-up, waiting may block. Afterwards a busy database is handled without blocking.
    const handle = new Database(path, { timeout: busyTimeout })
    handle.pragma('journal_mode = wal')
    handle.pragma(`journal_size_limit = ${LOG_SIZE}`)
    handle.pragma(`synchronous = ${synchronous}`)
    handle.pragma('foreign_keys = on')
    handle.pragma('busy_timeout = 0')
    return new SqliteConnection(handle)
  }

  static openReader(path: string, settings: ConnectionSettings): SqliteConnection {
    const connection = SqliteConnection.open(path, settings)
    connection.pragma('query_only = on')
    connection.#handle.function('count_row', () => connection.#countRow())
    return connection
  }

  get isOpen(): boolean {
    return this.#handle.open
  }

  get inTransaction(): boolean {
    return this.#handle.inTransaction
  }

  pragma(text: string): void {
    this.#handle.pragma(text)
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

  /** Runs a statement that calls {@link COUNT_ROW}. Returns `undefined` if it was ended, after `most` rows or 10 ms. */
  runWithin(most: number, statement: Statement, values: readonly unknown[]): Result | undefined {
    this.#rows = 0
    this.#mostRows = most
    try {
      return this.run(statement, values)
    } catch (error) {
      if (error === TOO_LONG) return undefined
      throw error
    }
  }

  #countRow(): number {
    if (++this.#rows > this.#mostRows) throw TOO_LONG
    if (this.#rows % ROWS_UNTIMED === 0) {
      const now = performance.now()
      if (this.#rows === ROWS_UNTIMED) this.#deadline = now + TIME_LIMIT
      else if (now > this.#deadline) throw TOO_LONG
    }
    return 1
  }

  iterate(text: string, values: readonly unknown[]): IterableIterator<RawRow> {
    return this.#newStatement(text).iterate(values.map(bindable)) as IterableIterator<RawRow>
  }

  close(): void {
    this.#handle.close()
  }

  #prepare({ text }: Statement): Database.Statement {
    return this.#statements.get(text, () => this.#newStatement(text))
  }

  #newStatement(text: string): Database.Statement {
    const statement = this.#handle.prepare(text).safeIntegers()
    return statement.reader ? statement.raw() : statement
  }
}

export function bindable(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      if (value.includes('\0')) throw new ValidationError(message('malformed.nul'))
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

/**
 * The SQL functions that `sqliteDialect` uses beside SQLite's own. A driver registers them on each connection as
 * deterministic functions.
 *
 * @example
 * for (const [name, fn] of Object.entries(sqliteFunctions)) handle.function(name, { deterministic: true }, fn)
 */
export const sqliteFunctions: Readonly<Record<string, (...args: unknown[]) => unknown>> = {
  /** Ignores case as PostgreSQL does. SQLite's own functions know only ASCII. */
  casefold: text => (typeof text === 'string' ? foldCase(text) : text),
  local_date: localDate,
}

const formats = new BoundedCache<string, Intl.DateTimeFormat>(50)

/**
 * The calendar date of a stored timestamp in `timeZone`. SQLite has no time zones.
 *
 * @example
 * localDate('2026-01-31T23:30:00.000000Z', 'Europe/Berlin') // '2026-02-01'
 */
function localDate(timestamp: unknown, timeZone: unknown): string | null {
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
  if (Number.isNaN(time)) return null
  const zone = String(timeZone)
  // Canadian dates have the form of ISO 8601.
  const format = formats.get(zone, () => new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }))
  return format.format(time)
}

export class Busy extends Error {}

export function busyError(cause?: unknown): ServiceUnavailable {
  return new ServiceUnavailable(message('service_unavailable.busy'), 1, cause)
}

/**
 * Retries while another client holds the lock, without blocking the event loop as SQLite's busy handler would. An attempt
 * that succeeds at once, as almost all do, makes one promise.
 *
 * @throws ServiceUnavailable after `timeout` milliseconds.
 */
export function retryWhileBusy<T>(timeout: number, attempt: () => T): Promise<T> {
  try {
    return Promise.resolve(attempt())
  } catch (error) {
    return isBusy(error) ? retry(timeout, attempt) : Promise.reject(error)
  }
}

async function retry<T>(timeout: number, attempt: () => T): Promise<T> {
  const deadline = performance.now() + timeout
  for (let delay = 1; ; delay = Math.min(delay * 2, 50)) {
    await sleep(delay)
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() > deadline) throw busyError(error)
    }
  }
}

export function isBusy(error: unknown): boolean {
  if (error instanceof Database.SqliteError) return error.code.startsWith('SQLITE_BUSY')
  // The message of better-sqlite3 while the application iterates a statement on a shared handle.
  return error instanceof Busy || (error instanceof TypeError && error.message.includes('is busy executing a query'))
}
