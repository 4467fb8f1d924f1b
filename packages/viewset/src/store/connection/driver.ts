import type { Dialect } from '../../model/dialect/dialect.ts'

/** A row as the driver delivers it: one value per selected column, text on PostgreSQL, native values on SQLite. */
export type RawRow = readonly unknown[]

/** SQL text that is sent again and again, with the name under which a server may keep it prepared. */
export interface Statement {
  readonly text: string
  /** Absent for text that is not worth keeping. */
  readonly name?: string
}

/** What a statement has come to. */
export interface Result {
  readonly rows: readonly RawRow[]
  /** Rows inserted, updated or deleted. */
  readonly changes: number
}

/** Something that runs statements: a pool, or the one connection of a transaction. */
export interface Executor {
  run(statement: Statement, values: readonly unknown[]): Promise<Result>
}

/** One that tells subscribers of `viewset.statement` what it sends. */
export interface ObservedExecutor extends Executor {
  /** Tells of a statement that is sent past {@link run}, by a driver package itself. */
  tell<T>(statement: Statement, send: () => Promise<T>, rowsOf: (result: T) => number): Promise<T>
}

/**
 * Called with each batch of a stream before it is handed out. `executor` runs further statements: a stream that asked
 * a pool for a second connection could wait for others like itself, for ever.
 */
export type PrepareBatch = (rows: readonly RawRow[], executor: Executor) => Promise<void>

/** A connection with an open transaction; `commit` or `rollback` gives it back. */
export interface TransactionConnection extends Executor {
  /** @throws when the database answers that it did not commit. */
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** What a driver may have to know of a transaction before it begins. */
export interface BeginOptions {
  /** It will be rolled back whatever comes of it: a dry run, which a driver may keep out of the way of others. */
  readonly isDryRun: boolean
  /** How often it has been begun, with this time: more than 1 after a fault of the kind `retry`. */
  readonly attempt: number
}

/** A connection with a transaction that somebody else began and will end. */
export interface JoinedConnection extends Executor {
  /** Runs nothing more for us. */
  leave(): Promise<void>
}

/** What the reads of one request go through. */
export interface Reader extends Executor, Pick<Driver, 'stream'> {}

/**
 * The seam to a database (after Kysely's `Driver`): what runs the statements that a {@link Dialect} spells. One file for
 * each driver package.
 */
export interface Driver extends Executor {
  readonly dialect: Dialect
  /** Streams that may be open at the same time: each holds a connection for as long as its reader takes. */
  readonly maxStreams: number
  /** Begins a transaction on a connection that nobody else uses until it has ended. */
  begin(options?: BeginOptions): Promise<TransactionConnection>
  /** @throws ConfigError for what is no open transaction of this kind of database. */
  join(transaction: unknown): Promise<JoinedConnection>
  /**
   * Reads the rows of one statement in batches, from one snapshot, at the reader's pace. Leaving the loop early gives
   * the connection back.
   */
  stream(
    statement: Statement,
    values: readonly unknown[],
    batch: number,
    prepare?: PrepareBatch,
  ): AsyncIterable<readonly RawRow[]>
  /**
   * An ordinary Drizzle database that runs on `executor`, for `currentDb()`. Its own `transaction()` is a savepoint.
   *
   * `connection` is what `executor` sends its statements on, as {@link begin} or {@link join} has returned it, or the
   * driver itself: for a driver that has to know.
   */
  drizzle(executor: ObservedExecutor, connection: Executor): object
  /**
   * Reads for one request that has not written, where other servers have copies of what this one stores. Whatever was
   * committed when the first statement is sent is there, and a later statement never shows less than an earlier one.
   * What a copy cannot answer, a write among it, this server does. Absent: there is no copy.
   */
  reader?(): Reader
  close(): Promise<void>
}
