import { drizzle } from 'drizzle-orm/node-postgres'
import { NodePgSession, NodePgTransaction } from 'drizzle-orm/node-postgres/session'
import { PgDialect } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { ConfigError, ServiceUnavailable } from '../../core/errors.ts'
import { refuseUnknown } from '../../core/refuse-unknown.ts'
import type { Driver, Executor, PrepareBatch, RawRow, Result, Statement, TransactionConnection } from '../driver.ts'
import { postgresDialect } from './postgres.ts'

export interface PostgresOptions {
  /** Connections at most. Default 10. */
  readonly poolSize?: number
  /** Milliseconds to wait for a free connection before answering 503. Default 5,000. */
  readonly connectTimeout?: number
  /** Milliseconds a statement may take. Default 30,000. */
  readonly statementTimeout?: number
  /** `false` behind a pooler that cannot keep prepared statements. Default true. */
  readonly namedStatements?: boolean
}

const OPTIONS = ['poolSize', 'connectTimeout', 'statementTimeout', 'namedStatements']

/** Every value stays the text the server sent: who reads it knows what it holds. */
const asText = (text: string) => text
const rawTypes = { getTypeParser: () => asText }

const ignore = () => {}

type Client = pg.Pool | pg.PoolClient

/** The `pg` package behind the store's {@link Driver}. */
export class PostgresDriver implements Driver {
  readonly dialect = postgresDialect
  readonly #pool: pg.Pool
  readonly #named: boolean

  constructor(url: string, options: PostgresOptions) {
    refuseUnknown('postgres', 'option', Object.keys(options), OPTIONS)
    // Without an address, pg would take one from the environment, or the machine's own server.
    if (typeof url !== 'string' || url === '') {
      throw new ConfigError('postgres', 'url', 'is required, such as "postgres://user:password@localhost/shop"')
    }
    this.#named = options.namedStatements ?? true
    const statementTimeout = Math.trunc(options.statementTimeout ?? 30_000)
    this.#pool = new pg.Pool({
      connectionString: url,
      max: options.poolSize ?? 10,
      connectionTimeoutMillis: options.connectTimeout ?? 5_000,
      // Sent as a statement rather than as start-up options, which poolers refuse.
      onConnect: async client => {
        await client.query(`set timezone = 'UTC'; set datestyle = 'ISO'; set statement_timeout = ${statementTimeout}`)
      },
    })
    // An idle connection that dies is replaced by the pool; unheard, its error would end the process.
    this.#pool.on('error', ignore)
  }

  run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    return this.send(this.#pool, statement, values)
  }

  send(client: Client, statement: Statement, values: readonly unknown[]): Promise<Result> {
    const { text, name } = statement
    // `pg` does not write to the values, whatever its types say.
    const query = { text, values: values as unknown[], rowMode: 'array', types: rawTypes } as const
    const answer = client.query(this.#named && name !== undefined ? { ...query, name } : query)
    return answer.then(({ rows, rowCount }) => ({ rows, changes: rowCount ?? 0 }))
  }

  async begin(): Promise<TransactionConnection> {
    const client = await this.#pool.connect()
    // A connection that dies between two statements: the next one tells. Unheard, the error would end the process.
    client.on('error', ignore)
    try {
      await client.query('begin')
    } catch (error) {
      release(client, true)
      throw error
    }
    return new PostgresTransaction(this, client)
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
      // Nothing was written; a rollback also ends a transaction that has failed.
      await connection.rollback()
    }
  }

  drizzle(executor: Executor): object {
    if (!(executor instanceof PostgresTransaction)) return drizzle(this.#pool)
    // Drizzle's own begin/commit must not run here: as a transaction it makes savepoints instead.
    const dialect = new PgDialect()
    return new NodePgTransaction(dialect, new NodePgSession(executor.guarded(), dialect, undefined), undefined)
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }
}

/** Gives a client of the pool back; a broken one is closed. */
function release(client: pg.PoolClient, broken: boolean): void {
  client.off('error', ignore)
  client.release(broken)
}

class PostgresTransaction implements TransactionConnection {
  readonly #driver: PostgresDriver
  readonly #client: pg.PoolClient
  #open = true
  /** Settles when the statement before is answered. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(driver: PostgresDriver, client: pg.PoolClient) {
    this.#driver = driver
    this.#client = client
  }

  run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    return this.#inTurn(() => this.#driver.send(this.#client, statement, values))
  }

  /** One connection takes one statement at a time; code may start several at once, as in `Promise.all`. */
  #inTurn<T>(send: () => Promise<T>): Promise<T> {
    this.#assertOpen()
    const result = this.#turn.then(send)
    this.#turn = result.catch(ignore)
    return result
  }

  async commit(): Promise<void> {
    this.#open = false
    let broken = true
    try {
      await this.#turn
      const { command } = await this.#client.query('commit')
      broken = false
      // A transaction with a failed statement answers COMMIT with ROLLBACK and no error (DESIGN, rule 5).
      if (command !== 'COMMIT') throw new Error('The transaction was rolled back: an error inside it was swallowed.')
    } catch (error) {
      if (!broken) throw error
      // An answer from the server, a deferred constraint for example, means that nothing was stored. A FATAL one only
      // says that the connection ends, which can also happen right after the commit.
      broken = !(error instanceof pg.DatabaseError) || error.severity === 'FATAL'
      if (!broken) throw error
      throw new ServiceUnavailable('The connection was lost while saving; the outcome is not known.', 1, error)
    } finally {
      release(this.#client, broken)
    }
  }

  async rollback(): Promise<void> {
    this.#open = false
    let broken = true
    try {
      await this.#turn
      await this.#client.query('rollback')
      broken = false
    } catch {
      // The connection is gone and the server has rolled back by itself.
    } finally {
      release(this.#client, broken)
    }
  }

  /** The client as Drizzle sees it, for as long as the transaction is open. */
  guarded(): pg.PoolClient {
    return new Proxy(this.#client, {
      get: (client, property) => {
        this.#assertOpen()
        const value: unknown = Reflect.get(client, property)
        if (typeof value !== 'function') return value
        const call = value.bind(client)
        return property === 'query' ? (...args: unknown[]) => this.#inTurn(() => call(...args)) : call
      },
    })
  }

  #assertOpen(): void {
    if (!this.#open) throw new Error('This transaction has ended; its database cannot be used any more.')
  }
}
