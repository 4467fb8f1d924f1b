import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { SQLiteProxyTransaction, SQLiteRemoteSession } from 'drizzle-orm/sqlite-proxy/session'
import { sqliteDialect } from '../../model/dialect/sqlite.ts'
import { numberIfSafe } from '../../model/values.ts'
import type {
  Driver,
  Executor,
  JoinedConnection,
  ObservedExecutor,
  PrepareBatch,
  RawRow,
  Result,
  Statement,
  TransactionConnection,
} from '../connection/driver.ts'
import { ObservedConnection } from '../connection/observed-connection.ts'
import { SqliteConnection, type SqliteHandle } from './sqlite-connection.ts'
import { inBatches, SqliteReads } from './sqlite-reads.ts'
import {
  handleOf,
  locate,
  type SqliteLocation,
  type SqliteOptions,
  type SqliteSource,
  settingsOf,
} from './sqlite-source.ts'
import type { SqliteVersions } from './sqlite-versions.ts'
import { JoinedTransaction, SqliteWriter } from './sqlite-writer.ts'

/** Statements of transactions. SQLite considers most of them reads, and all reads share a connection. */
const TRANSACTION_CONTROL =
  /^(?:[\s;]|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*(?:begin|commit|end|rollback|savepoint|release)\b/i
const NO_CONTROL =
  'BEGIN, COMMIT, ROLLBACK, SAVEPOINT and RELEASE do not work here; outside of a transaction use database.transaction(...).'

/**
 * The {@link Driver} for the `better-sqlite3` package.
 *
 * Reads outside of transactions use their own connection and see committed data. An in-memory database has a single
 * connection, for which reads wait like writes.
 */
export class SqliteDriver implements Driver {
  readonly dialect = sqliteDialect
  /** More would not be faster: one thread processes their rows. */
  readonly maxStreams = 5
  readonly versions?: SqliteVersions
  readonly #location: SqliteLocation
  readonly #writer: SqliteWriter
  /** `null` if no other connection can reach the database. */
  readonly #reads: SqliteReads | null
  readonly #handles = new WeakMap<SqliteHandle, SqliteConnection>()

  constructor(source: SqliteSource, options: SqliteOptions) {
    const settings = settingsOf(options)
    this.#location = locate(source)
    const { busyTimeout } = settings
    if ('handle' in this.#location) {
      this.#writer = new SqliteWriter(this.#connectionOn(this.#location.handle), busyTimeout, null)
      this.#reads = null
    } else {
      const { path } = this.#location
      const open = () => SqliteConnection.open(path, settings)
      this.#writer = new SqliteWriter(open(), busyTimeout, open)
      this.#reads = new SqliteReads(path, settings)
      this.versions = this.#reads.versions
    }
  }

  run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    // Named statements come from the store.
    if (statement.name === undefined && TRANSACTION_CONTROL.test(statement.text)) {
      return Promise.reject(new Error(NO_CONTROL))
    }
    const reads = this.#reads
    try {
      return reads?.isReadonly(statement) ? reads.run(statement, values) : this.#writer.run(statement, values)
    } catch (error) {
      // An invalid statement.
      return Promise.reject(error)
    }
  }

  begin(): Promise<TransactionConnection> {
    return this.#writer.begin()
  }

  async join(transaction: unknown): Promise<JoinedConnection> {
    return new JoinedTransaction(this.#connectionOn(handleOf(transaction, this.#location)))
  }

  async *stream(
    statement: Statement,
    values: readonly unknown[],
    batch: number,
    prepare?: PrepareBatch,
  ): AsyncGenerator<readonly RawRow[]> {
    const batches = this.#reads
      ? this.#reads.stream(statement, values, batch)
      : inBatches((await this.#writer.run(statement, values)).rows, batch)
    for await (const rows of batches) {
      if (prepare) await prepare(rows, this)
      yield rows
    }
  }

  drizzle(executor: ObservedExecutor, connection: Executor): object {
    return connection === this ? new DrizzleOnPool(executor, () => this.begin()) : new DrizzleOnConnection(executor)
  }

  async close(): Promise<void> {
    // The last connection to close checkpoints the file, which a read-only one cannot.
    await this.#reads?.close()
    await this.#writer.close()
  }

  #connectionOn(handle: SqliteHandle): SqliteConnection {
    const known = this.#handles.get(handle)
    if (known) return known
    const connection = new SqliteConnection(handle)
    this.#handles.set(handle, connection)
    return connection
  }
}

type Schema = Record<string, never>

class DrizzleOnConnection extends SQLiteProxyTransaction<Schema, Schema> {
  constructor(executor: Executor) {
    const dialect = new SQLiteAsyncDialect()
    const session = new SQLiteRemoteSession<Schema, Schema>(
      async (text, values, method) => {
        const { rows } = await executor.run({ text }, values)
        const plain = rows.map(row => row.map(numberIfSafe))
        return { rows: method === 'get' ? (plain[0] as unknown[]) : plain }
      },
      dialect,
      undefined,
    )
    super('async', dialect, session, undefined)
  }
}

class DrizzleOnPool extends DrizzleOnConnection {
  readonly #begin: () => Promise<TransactionConnection>

  constructor(executor: Executor, begin: () => Promise<TransactionConnection>) {
    super(executor)
    this.#begin = begin
  }

  override async transaction<T>(fn: (tx: SQLiteProxyTransaction<Schema, Schema>) => Promise<T>): Promise<T> {
    const connection = await this.#begin()
    let result: T
    try {
      result = await fn(new DrizzleOnConnection(new ObservedConnection(sqliteDialect, connection)))
    } catch (error) {
      await connection.rollback()
      throw error
    }
    await connection.commit()
    return result
  }
}
