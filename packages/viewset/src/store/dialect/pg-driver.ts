import { is } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { NodePgSession, NodePgTransaction } from 'drizzle-orm/node-postgres/session'
import { PgDialect, PgTransaction } from 'drizzle-orm/pg-core'
import type { default as pg } from 'pg'
import { ConfigError } from '../../core/errors.ts'
import { postgresDialect } from '../../model/dialect/postgres.ts'
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
import {
  borrowed,
  isIdle,
  observedPool,
  originalOf,
  type Plans,
  PostgresSession,
  returnClient,
  type SessionSettings,
} from './pg-session.ts'
import { openPool, type PostgresOptions, type PostgresSource } from './pg-source.ts'
import { endsConnection, JoinedTransaction, OpenTransaction, PostgresTransaction } from './pg-transaction.ts'
import { pgVersions } from './pg-versions.ts'

const ignore = () => {}

export class PostgresDriver implements Driver {
  readonly dialect = postgresDialect
  readonly versions = pgVersions
  readonly #pool: pg.Pool
  readonly #isForeign: boolean
  readonly #namedStatements: boolean | undefined
  readonly #plans: Plans = { epoch: 0 }
  readonly #sessions = new WeakMap<pg.Client, PostgresSession>()

  constructor(source: PostgresSource, options: PostgresOptions, name = 'postgres') {
    const { pool, isForeign } = openPool(source, options, name, (client, settings) => this.#introduce(client, settings))
    this.#pool = pool
    this.#isForeign = isForeign
    this.#namedStatements = options.namedStatements
    // The pool replaces an idle connection that dies. Without a listener, the error would end the process.
    if (!isForeign) pool.on('error', ignore)
  }

  /** Half of the pool, so that short statements still find a connection. */
  get maxStreams(): number {
    return Math.max(1, Math.floor(this.#pool.options.max / 2))
  }

  async run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    const client = borrowed(await this.#pool.connect())
    let broken = false
    try {
      const session = this.#sessions.get(client) ?? (await this.#introduce(client))
      return await session.query(statement, values)
    } catch (error) {
      broken = endsConnection(error)
      throw error
    } finally {
      returnClient(client, broken)
    }
  }

  async begin(): Promise<TransactionConnection> {
    const client = borrowed(await this.#pool.connect())
    try {
      const session = this.#sessions.get(client) ?? (await this.#introduce(client))
      await session.begin()
      return new PostgresTransaction(session, broken => returnClient(client, broken))
    } catch (error) {
      returnClient(client, true)
      throw error
    }
  }

  async join(transaction: unknown): Promise<JoinedConnection> {
    const client = clientOf(transaction)
    return new JoinedTransaction(this.#sessions.get(client) ?? (await this.#introduce(client)))
  }

  async *stream(
    statement: Statement,
    values: readonly unknown[],
    batch: number,
    prepare?: PrepareBatch,
  ): AsyncGenerator<readonly RawRow[]> {
    const connection = await this.begin()
    try {
      await connection.run({ text: `declare viewset_rows no scroll cursor for ${statement.text}` }, values)
      for (let full = true; full; ) {
        const { rows } = await connection.run({ text: `fetch ${batch} from viewset_rows` }, [])
        full = rows.length === batch
        if (rows.length === 0) break
        if (prepare) await prepare(rows, connection)
        yield rows
      }
    } finally {
      // Nothing was written. A rollback also ends a failed transaction.
      await connection.rollback()
    }
  }

  drizzle(executor: ObservedExecutor, connection: Executor): object {
    if (!(connection instanceof OpenTransaction)) return drizzle(observedPool(this.#pool, executor))
    // Drizzle's own begin and commit must not run here. As a transaction, it makes savepoints instead.
    const dialect = new PgDialect()
    return new NodePgTransaction(
      dialect,
      new NodePgSession(connection.guarded(executor), dialect, undefined),
      undefined,
    )
  }

  async close(): Promise<void> {
    if (!this.#isForeign) await this.#pool.end()
  }

  async #introduce(client: pg.Client, settings: SessionSettings = {}): Promise<PostgresSession> {
    const session = await PostgresSession.open(client, this.#namedStatements, settings, this.#plans)
    this.#sessions.set(client, session)
    return session
  }
}

/**
 * The connection of a transaction that the application began.
 *
 * @throws ConfigError for other values than Drizzle's `tx` of node-postgres or a client of `pg`, with an open transaction.
 */
function clientOf(transaction: unknown): pg.Client {
  // Drizzle's transaction knows its connection but does not expose it.
  const client = is(transaction, PgTransaction)
    ? Reflect.get(Reflect.get(transaction, 'session') as object, 'client')
    : transaction
  if (!isClient(client)) {
    throw new ConfigError(
      'withTransaction',
      'tx',
      'must be what transaction() of a "drizzle-orm/node-postgres" database hands out, or a client of "pg"',
    )
  }
  if (isIdle(client)) {
    throw new ConfigError(
      'withTransaction',
      'tx',
      'no transaction is open on it; begin one, and wait for the end of fn',
    )
  }
  return originalOf(client)
}

function isClient(value: unknown): value is pg.Client {
  return typeof value === 'object' && value !== null && 'escapeLiteral' in value && 'query' in value
}
