import Database from 'better-sqlite3'
import { ValidationError } from '../../core/errors.ts'
import { BoundedCache } from '../bounded-cache.ts'
import type { RawRow, Result, Statement } from '../driver.ts'
import { sqliteFunctions } from './sqlite-functions.ts'

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
