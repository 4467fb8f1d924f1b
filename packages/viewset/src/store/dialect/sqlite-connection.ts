import { setTimeout as sleep } from 'node:timers/promises'
import { default as Database } from 'better-sqlite3'
import { ServiceUnavailable, ValidationError } from '../../core/errors.ts'
import { foldCase } from '../../core/text.ts'
import { BoundedCache } from '../bounded-cache.ts'
import type { RawRow, Result, Statement } from '../driver.ts'

/** A handle of `better-sqlite3`. */
export type SqliteHandle = Database.Database

/** Prepared statements kept for each connection. */
const STATEMENTS = 500

/** Bytes that the write-ahead log keeps on disk once all of it is in the database. */
const LOG_SIZE = 64 * 1024 ** 2

export interface ConnectionSettings {
  /** Milliseconds. */
  readonly busyTimeout: number
  readonly synchronous: 'full' | 'normal' | 'off'
}

/** One connection with its prepared statements. Synchronous, as better-sqlite3 is. */
export class SqliteConnection {
  readonly #handle: SqliteHandle
  readonly #statements = new BoundedCache<string, Database.Statement>(STATEMENTS)

  /** Adds functions to `handle`; whatever else is set on it stays. */
  constructor(handle: SqliteHandle) {
    this.#handle = handle
    for (const [name, fn] of Object.entries(sqliteFunctions)) handle.function(name, { deterministic: true }, fn)
  }

  /** A connection of our own. */
  static open(path: string, { busyTimeout, synchronous }: ConnectionSettings): SqliteConnection {
    // While the connection is set up there is nothing to do but wait; afterwards busy is handled without blocking.
    const handle = new Database(path, { timeout: busyTimeout })
    handle.pragma('journal_mode = wal')
    handle.pragma(`journal_size_limit = ${LOG_SIZE}`)
    handle.pragma(`synchronous = ${synchronous}`)
    handle.pragma('foreign_keys = on')
    handle.pragma('busy_timeout = 0')
    return new SqliteConnection(handle)
  }

  /** One of our own that writes nothing. */
  static openReader(path: string, settings: ConnectionSettings): SqliteConnection {
    const connection = SqliteConnection.open(path, settings)
    connection.pragma('query_only = on')
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

  /** Leaving the loop closes the iterator, as a `for...of` does. */
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

/** The one gate through which values reach SQLite (DESIGN, rule 11). */
export function bindable(value: unknown): unknown {
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

/**
 * What the statements of `sqliteDialect` call beside SQLite's own functions: a driver gives them to each connection, as
 * deterministic functions under these names.
 *
 * @example
 * for (const [name, fn] of Object.entries(sqliteFunctions)) handle.function(name, { deterministic: true }, fn)
 */
export const sqliteFunctions: Readonly<Record<string, (...args: unknown[]) => unknown>> = {
  /** So that "ignoring case" means the same as on PostgreSQL; SQLite itself knows only ASCII. */
  casefold: text => (typeof text === 'string' ? foldCase(text) : text),
  local_date: localDate,
}

const formats = new BoundedCache<string, Intl.DateTimeFormat>(50)

/**
 * The calendar date of a stored timestamp as clocks in `timeZone` show it: SQLite knows no time zones.
 *
 * @example
 * localDate('2026-01-31T23:30:00.000000Z', 'Europe/Berlin') // '2026-02-01'
 */
function localDate(timestamp: unknown, timeZone: unknown): string | null {
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
  if (Number.isNaN(time)) return null
  const zone = String(timeZone)
  // The Canadian way to write a date is ISO 8601.
  const format = formats.get(zone, () => new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }))
  return format.format(time)
}

/** Somebody else is at work where only one can be. */
export class Busy extends Error {}

export function busyError(cause?: unknown): ServiceUnavailable {
  return new ServiceUnavailable('The database is busy. Please try again.', 1, cause)
}

/**
 * Waits for others without blocking the event loop, as SQLite's own busy handler would.
 *
 * @throws ServiceUnavailable after `timeout` milliseconds.
 */
export async function retryWhileBusy<T>(timeout: number, attempt: () => T): Promise<T> {
  let deadline = Number.NaN
  for (let delay = 1; ; delay = Math.min(delay * 2, 50)) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (Number.isNaN(deadline)) deadline = performance.now() + timeout
      if (performance.now() > deadline) throw busyError(error)
      await sleep(delay)
    }
  }
}

export function isBusy(error: unknown): boolean {
  if (error instanceof Database.SqliteError) return error.code.startsWith('SQLITE_BUSY')
  // What better-sqlite3 says while the application goes through the rows of a statement on a handle that we share.
  return error instanceof Busy || (error instanceof TypeError && error.message.includes('is busy executing a query'))
}
