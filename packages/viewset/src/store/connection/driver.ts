import type { Dialect } from '../../model/dialect/dialect.ts'
import type { ConstantSql, ReadTables } from '../read-tables.ts'

/** A driver's row: a value for each selected column, as text on PostgreSQL and native values on SQLite. */
export type RawRow = readonly unknown[]

/** SQL text, and the name under which the server may keep it prepared. */
export interface Statement {
  readonly text: string
  /** Absent for text that is not worth preparing. */
  readonly name?: string
  /** Present if the statement is a page of a table, or a list of related records. */
  readonly scan?: TableScan
}

export type CompiledStatement = Pick<Statement, 'text' | 'scan'>

/** A read whose rows, before a limit, come from one table. Other tables are joined by their keys. */
export interface TableScan {
  /** The table's name or alias in the text. */
  readonly table: string
  /** The number of LIMIT's placeholder, before that of OFFSET. */
  readonly limitAt: number | undefined
  /** Whether the read leaves rows of the table out. */
  readonly hasCondition: boolean
  /** The same statement with one more condition on the table, before the others. */
  withCondition(condition: string): string
}

/** The result of a statement. */
export interface Result {
  readonly rows: readonly RawRow[]
  /** Rows inserted, updated or deleted. */
  readonly changes: number
}

/** Runs statements: a pool, or the connection of a transaction. */
export interface Executor {
  run(statement: Statement, values: readonly unknown[]): Promise<Result>
}

/** An executor that publishes `viewset.statement` events. */
export interface ObservedExecutor extends Executor {
  /** Publishes a statement that the driver's package sends without {@link run}. */
  observe<T>(statement: Statement, send: () => Promise<T>, rowsOf: (result: T) => number): Promise<T>
}

/**
 * Called with each batch of a stream before the reader gets it. `executor` runs further statements on the stream's
 * connection: waiting for a second connection of the pool could deadlock.
 */
export type PrepareBatch = (rows: readonly RawRow[], executor: Executor) => Promise<void>

/** A connection with an open transaction; `commit` or `rollback` releases it. */
export interface TransactionConnection extends Executor {
  /** @throws if the database did not commit. */
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** A connection with a transaction that the application began and will end. */
export interface JoinedConnection extends Executor {
  /** Runs no further statements of Viewset. */
  leave(): Promise<void>
}

/** Runs the reads of one request. */
export interface Reader extends Executor, Pick<Driver, 'stream'> {}

/** A count, and the version of the data that it counted. `null`: unknown. */
export interface VersionedCount {
  readonly version: string | null
  /** `null` if the version is the one that the caller knows. */
  readonly count: number | null
}

/** Compares versions of the data. Equal versions have equal rows in all ordinary tables. */
export interface DataVersions {
  readonly constantSql: ConstantSql
  /** Placeholders of the statement before those of its `select`. */
  readonly placeholders: number
  /** Makes the statement for {@link count} from a `select` of one number. */
  statement(select: string): string
  /** Runs the statement outside of transactions, unless the version is still `known`. */
  count(
    executor: Executor,
    statement: Statement,
    values: readonly unknown[],
    known: string | null,
  ): Promise<VersionedCount>
  /** Whether these are ordinary tables in this version. A view or a foreign table may change without a commit. */
  areOrdinary(executor: Executor, read: ReadTables, version: string): Promise<boolean>
  /** Whether an error may mean that the server does not know what the statements ask for. */
  isUnsupported(error: unknown): boolean
}

/**
 * The adapter of a database package (after Kysely's `Driver`): it runs the statements that a {@link Dialect} writes.
 */
export interface Driver extends Executor {
  readonly dialect: Dialect
  /** Streams that may be open at the same time. Each occupies a connection until its reader has finished. */
  readonly maxStreams: number
  /** Begins a transaction on an exclusive connection. */
  begin(): Promise<TransactionConnection>
  /** @throws ConfigError for other values than an open transaction of this database. */
  join(transaction: unknown): Promise<JoinedConnection>
  /**
   * Reads the rows of a statement in batches, from one snapshot and as fast as the reader takes them. Leaving the loop
   * early releases the connection.
   */
  stream(
    statement: Statement,
    values: readonly unknown[],
    batch: number,
    prepare?: PrepareBatch,
  ): AsyncIterable<readonly RawRow[]>
  /**
   * An ordinary Drizzle database on `executor`, for `currentDb()`. Its own `transaction()` is a savepoint.
   *
   * `connection` is the connection behind `executor`, as {@link begin} or {@link join} returned it, or the driver
   * itself.
   */
  drizzle(executor: ObservedExecutor, connection: Executor): object
  /**
   * Reads for a request that has not written, if replicas exist. Every read sees the commits before the request's first
   * statement, and never less than an earlier read. The primary handles writes and statements that a replica cannot
   * answer. Absent without replicas.
   */
  reader?(): Reader
  /** @internal Absent if the driver cannot compare: every count then reads the rows. */
  readonly versions?: DataVersions | undefined
  close(): Promise<void>
}
