import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { SQLiteProxyTransaction, SQLiteRemoteSession } from 'drizzle-orm/sqlite-proxy/session'
import { sqliteDialect } from '../../model/dialect/sqlite.ts'
import { numberIfSafe } from '../../model/values.ts'
import type {
  BeginOptions,
  Driver,
  Executor,
  JoinedConnection,
  ObservedExecutor,
  PrepareBatch,
  RawRow,
  Result,
  Statement,
  TransactionConnection,
} from '../driver.ts'
import { ObservedConnection } from '../observed-connection.ts'
import { SqliteConnection, type SqliteHandle } from './sqlite-connection.ts'
import { inBatches, SqliteReads } from './sqlite-reads.ts'
import { SqliteRehearsals } from './sqlite-rehearsals.ts'
import {
  handleOf,
  locate,
  type SqliteLocation,
  type SqliteOptions,
  type SqliteSource,
  settingsOf,
} from './sqlite-source.ts'
import { JoinedTransaction, SqliteWriter } from './sqlite-writer.ts'

/** What begins, ends or divides a transaction. SQLite takes most of it for reading, and all reads share a connection. */
const TRANSACTION_CONTROL =
  /^(?:[\s;]|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*(?:begin|commit|end|rollback|savepoint|release)\b/i
const NO_CONTROL =
  'BEGIN, COMMIT, ROLLBACK, SAVEPOINT and RELEASE do not work here; outside of a transaction use database.transaction(...).'

const ORDINARY: BeginOptions = { isRehearsal: false, attempt: 1 }

/**
 * The `better-sqlite3` package behind the store's {@link Driver} (DESIGN, rule 11).
 *
 * Reads outside a transaction have a connection of their own and see what is committed. A database in memory has one
 * connection only, on which reads wait for their turn as writes do.
 */
export class SqliteDriver implements Driver {
  readonly dialect = sqliteDialect
  /** More of them would not be quicker: what becomes of their rows is the work of one thread. */
  readonly maxStreams = 5
  readonly #location: SqliteLocation
  readonly #writer: SqliteWriter
  /** `null` for a database that no other connection can reach. */
  readonly #reads: SqliteReads | null
  readonly #rehearsals: SqliteRehearsals | null
  /** The application's handles, by which it takes us along into its transactions. */
  readonly #handles = new WeakMap<SqliteHandle, SqliteConnection>()

  constructor(source: SqliteSource, options: SqliteOptions) {
    const settings = settingsOf(options)
    this.#location = locate(source)
    const { busyTimeout } = settings
    if ('handle' in this.#location) {
      this.#writer = new SqliteWriter(this.#connectionOn(this.#location.handle), busyTimeout, null)
      this.#reads = null
      this.#rehearsals = null
    } else {
      const { path } = this.#location
      const open = () => SqliteConnection.open(path, settings)
      this.#writer = new SqliteWriter(open(), busyTimeout, open)
      this.#reads = new SqliteReads(path, settings)
      this.#rehearsals = new SqliteRehearsals(path, settings, this.#writer, this.#reads)
    }
  }

  async run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    // What has a name was compiled by the store.
    if (statement.name === undefined && TRANSACTION_CONTROL.test(statement.text)) throw new Error(NO_CONTROL)
    const reads = this.#reads
    return reads?.isReadonly(statement) ? reads.run(statement, values) : this.#writer.run(statement, values)
  }

  begin({ isRehearsal, attempt }: BeginOptions = ORDINARY): Promise<TransactionConnection> {
    return isRehearsal && this.#rehearsals ? this.#rehearsals.begin(attempt) : this.#writer.begin()
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
    // Whoever closes the file last tidies it up, which a reader could not.
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

/** An ordinary Drizzle database on `executor`. Its own `transaction()` is a savepoint. */
export class DrizzleOnConnection extends SQLiteProxyTransaction<Schema, Schema> {
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

/** One outside of a transaction: its own `transaction()` is a transaction. */
export class DrizzleOnPool extends DrizzleOnConnection {
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
