import { createHash } from 'node:crypto'
import { BoundedCache } from '../../core/bounded-cache.ts'
import { ConfigError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { Turns } from '../../core/turns.ts'
import type { Dialect } from '../../model/dialect/dialect.ts'
import { wrongDatabase } from '../../model/dialect/dialects.ts'
import type { TableInfo } from '../../model/model-info.ts'
import { KeptCounts } from '../kept-counts.ts'
import type { CompiledStatement, Driver, ObservedExecutor, PrepareBatch, RawRow, Result, Statement } from './driver.ts'
import { ObservedConnection, observedStream } from './observed-connection.ts'
import { Reads } from './reads.ts'
import { executorOf, readsOf, runInSession } from './session.ts'
import { runTransaction, type TransactionOptions } from './transaction.ts'
import { type BegunTransaction, type JoinOptions, joinTransaction } from './with-transaction.ts'

const SHAPES = 2_000

/** Milliseconds that a stream waits for others to end. */
const PATIENCE = 5_000
const STREAMS = message('service_unavailable.streams')

/** Limits the characters of cached statements: requests choose orderings and searches, so some are long. */
const SHAPES_BUDGET = {
  most: 4 * 1024 ** 2,
  sizeOf: (shape: string, { text }: Statement) => shape.length + text.length,
}

/**
 * A registered database, made by `postgres(...)`, `sqlite(...)` or with a custom driver.
 *
 * @example
 * const database = sqlite('data/app.db')
 * await database.transaction(async () => currentDb().insert(tags).values({ label: 'new' }))
 * await database.close()
 */
export class Database {
  readonly driver: Driver
  /** @internal Runs statements outside of transactions. */
  readonly executor: ObservedExecutor
  readonly #statements = new BoundedCache<string, Statement>(SHAPES, { budget: SHAPES_BUDGET })
  /** @internal Absent if the driver cannot compare versions of the data. */
  readonly keptCounts: KeptCounts | undefined
  readonly #streamTurns = new Turns()
  #closed: Promise<void> | undefined

  /** For a custom driver. Use `postgres(...)` and `sqlite(...)` for the built-in ones. */
  constructor(driver: Driver) {
    this.driver = driver
    this.executor = new ObservedConnection(driver.dialect, driver)
    this.keptCounts = driver.versions && new KeptCounts(this, driver.versions)
  }

  get dialect(): Dialect {
    return this.driver.dialect
  }

  /** @internal The cached statement of a shape. */
  statement(shape: string, compile: () => string | CompiledStatement): Statement {
    return this.#statements.get(shape, () => namedStatement(compile()))
  }

  /** @internal The replicas for a request that only reads; `undefined` without replicas. */
  reads(): Reads | undefined {
    const reader = this.driver.reader?.()
    return reader && new Reads(this.dialect, reader)
  }

  /** @internal Runs a statement, in the open transaction if there is one. */
  run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    return executorOf(this).run(statement, values)
  }

  /**
   * @internal Reads the rows of a statement in batches, from one snapshot; not a part of the open transaction. Few are read at the
   * same time, for a reader may take as long as it likes.
   *
   * @throws ServiceUnavailable if no other stream ends within five seconds
   */
  async *stream(
    statement: Statement,
    values: readonly unknown[],
    batch: number,
    prepare?: PrepareBatch,
  ): AsyncGenerator<readonly RawRow[]> {
    const release = await this.#streamTurns.take({
      limit: this.driver.maxStreams,
      patience: PATIENCE,
      message: STREAMS,
    })
    try {
      const source = readsOf(this)?.reader ?? this.driver
      yield* observedStream(this.dialect, source, statement, values, batch, prepare)
    } finally {
      release()
    }
  }

  /** Runs `fn` with this database as the current one, without a transaction. */
  use<T>(fn: () => T): T {
    return runInSession({ database: this, transaction: null }, fn)
  }

  /**
   * Runs `fn` in a transaction, or in a savepoint of the open one. After a serialization failure or deadlock, all of it
   * runs again, so use `onCommit` for effects outside of the database.
   */
  transaction<T>(fn: () => Promise<T>, options?: TransactionOptions): Promise<T> {
    return runTransaction(this, fn, options)
  }

  /**
   * Runs `fn` in a transaction that the application began and ends. `fn` is a savepoint in it: its error undoes its own
   * writes only.
   *
   * `tx` is the transaction of a Drizzle database on `pg`, or a client of `pg` after `begin`. On SQLite, it is a handle
   * of `better-sqlite3`, or a Drizzle database on one, after `begin immediate`.
   *
   * @throws ConfigError for other values, and for a transaction that is not open.
   * @example
   * await db.transaction(async tx => {
   *   await tx.insert(orders).values(order)
   *   await database.withTransaction(tx, () => createRecord(invoices, invoice))
   * })
   */
  withTransaction<T>(tx: BegunTransaction, fn: () => Promise<T>, options?: JoinOptions): Promise<T> {
    return joinTransaction(this, tx, fn, options)
  }

  /** Closes all connections after their running statements. A second call waits for the first. */
  close(): Promise<void> {
    this.#closed ??= this.driver.close()
    return this.#closed
  }
}

/** Named after its text, so that a statement evicted from the cache finds its prepared statement again. */
function namedStatement(compiled: string | CompiledStatement): Statement {
  const { text, ...scan } = typeof compiled === 'string' ? { text: compiled } : compiled
  return { ...scan, text, name: `viewset_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}` }
}

/** @throws ConfigError for a table of another database, whose values have another form. */
export function checkDialect({ dialect }: Database, { name, dialect: tableDialect }: TableInfo): void {
  if (tableDialect.name !== dialect.name)
    throw new ConfigError(name, 'model', wrongDatabase(name, tableDialect, dialect))
}
