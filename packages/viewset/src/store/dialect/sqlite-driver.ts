import { sqliteDialect } from '../../model/dialect/sqlite.ts'
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
} from '../driver.ts'
import { isBusy, retryWhileBusy } from './sqlite-busy.ts'
import { type ConnectionSettings, SqliteConnection, type SqliteHandle } from './sqlite-connection.ts'
import { DrizzleOnConnection, DrizzleOnPool } from './sqlite-drizzle.ts'
import { SqliteSnapshots } from './sqlite-snapshots.ts'
import {
  handleOf,
  locate,
  type SqliteLocation,
  type SqliteOptions,
  type SqliteSource,
  settingsOf,
} from './sqlite-source.ts'
import { JoinedTransaction } from './sqlite-transaction.ts'
import { SqliteWriter } from './sqlite-writer.ts'

/** What begins, ends or divides a transaction. SQLite takes most of it for reading, and all reads share a connection. */
const TRANSACTION_CONTROL =
  /^(?:[\s;]|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*(?:begin|commit|end|rollback|savepoint|release)\b/i
const NO_CONTROL =
  'BEGIN, COMMIT, ROLLBACK, SAVEPOINT and RELEASE do not work here; outside of a transaction use database.transaction(...).'

/**
 * The `better-sqlite3` package behind the store's {@link Driver} (DESIGN, rule 11).
 *
 * Reads outside a transaction have a connection of their own and see what is committed. A database in memory has one
 * connection only, on which reads wait for their turn as writes do.
 */
export class SqliteDriver implements Driver {
  readonly dialect = sqliteDialect
  /** They share one thread, so more of them would not be quicker. */
  readonly maxStreams = 5
  readonly #location: SqliteLocation
  readonly #settings: ConnectionSettings
  readonly #writer: SqliteWriter
  readonly #reader: SqliteConnection | null
  readonly #snapshots: SqliteSnapshots | null
  /** The application's handles, by which it takes us along into its transactions. */
  readonly #handles = new WeakMap<SqliteHandle, SqliteConnection>()

  constructor(source: SqliteSource, options: SqliteOptions) {
    this.#settings = settingsOf(options)
    this.#location = locate(source)
    const { busyTimeout } = this.#settings
    if ('handle' in this.#location) {
      this.#writer = new SqliteWriter(this.#connectionOn(this.#location.handle), busyTimeout, null)
      this.#reader = null
      this.#snapshots = null
    } else {
      const { path } = this.#location
      const open = () => SqliteConnection.open(path, this.#settings)
      this.#writer = new SqliteWriter(open(), busyTimeout, open)
      const reader = this.#openReader(path)
      this.#reader = reader
      this.#snapshots = new SqliteSnapshots(path, busyTimeout, () => reader.pragma('wal_checkpoint(truncate)'))
    }
  }

  async run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    // What has a name was compiled by the store.
    if (statement.name === undefined && TRANSACTION_CONTROL.test(statement.text)) throw new Error(NO_CONTROL)
    const reader = this.#reader
    if (!reader?.isReadonly(statement)) return this.#writer.run(statement, values)
    try {
      return reader.run(statement, values)
    } catch (error) {
      if (!isBusy(error)) throw error
      return retryWhileBusy(this.#settings.busyTimeout, () => reader.run(statement, values))
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
    if ('handle' in this.#location) {
      const { rows } = await this.#writer.run(statement, values)
      yield* this.#batches(rows, batch, prepare)
      return
    }
    const release = await this.#snapshots?.take()
    let connection: SqliteConnection | undefined
    try {
      // While a statement is being iterated, its connection can do nothing else, so a stream has one of its own.
      connection = this.#openReader(this.#location.path)
      yield* this.#batches(connection.iterate(statement.text, values), batch, prepare)
    } finally {
      connection?.close()
      release?.()
    }
  }

  async *#batches(
    source: Iterable<RawRow>,
    batch: number,
    prepare: PrepareBatch | undefined,
  ): AsyncGenerator<readonly RawRow[]> {
    let rows: RawRow[] = []
    for (const row of source) {
      rows.push(row)
      if (rows.length < batch) continue
      if (prepare) await prepare(rows, this)
      yield rows
      rows = []
    }
    if (rows.length === 0) return
    if (prepare) await prepare(rows, this)
    yield rows
  }

  drizzle(executor: ObservedExecutor, connection: Executor): object {
    return connection === this ? new DrizzleOnPool(executor, () => this.begin()) : new DrizzleOnConnection(executor)
  }

  async close(): Promise<void> {
    await this.#writer.close()
    this.#reader?.close()
  }

  #openReader(path: string): SqliteConnection {
    const connection = SqliteConnection.open(path, this.#settings)
    connection.pragma('query_only = on')
    return connection
  }

  #connectionOn(handle: SqliteHandle): SqliteConnection {
    const known = this.#handles.get(handle)
    if (known) return known
    const connection = new SqliteConnection(handle)
    this.#handles.set(handle, connection)
    return connection
  }
}
