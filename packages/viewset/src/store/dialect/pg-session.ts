import type { default as pg } from 'pg'
import { isOutdated } from '../../model/dialect/pg-faults.ts'
import { BoundedCache } from '../bounded-cache.ts'
import type { ObservedExecutor, Result, Statement } from '../driver.ts'
import { runRowsQuery, type Wire, wireOf, wireValues } from './pg-rows-query.ts'

/** Statements kept prepared for each connection. */
const PREPARED = 500
/**
 * Characters of all statements that one connection keeps prepared. The server holds 60 to 90 bytes for each, and requests
 * can choose among thousands of orderings, so a number alone would let each connection grow by 50 MB.
 */
const PREPARED_TEXT = 200_000
/** Characters of a statement that is worth a name. */
const LONGEST_NAMED = 20_000

/** Settings of a session on the server: numbers in the server's own units (milliseconds), by their names. */
export type SessionSettings = Readonly<Record<string, number>>

/** Counts how often a server has said that a prepared statement is out of date: others of that time are so as well. */
export interface Plans {
  epoch: number
}

/** Every value stays the text the server sent: who reads it knows what it holds. */
const asText = (text: string) => text
const rawTypes = { getTypeParser: () => asText }

/** A connection to PostgreSQL with what it keeps from one statement to the next. */
export class PostgresSession {
  readonly client: pg.Client
  readonly #begin: string
  readonly #wire: Wire | null
  /** The length of each statement by its name. */
  readonly #prepared: BoundedCache<string, number> | null
  readonly #plans: Plans

  private constructor(client: pg.Client, begin: string, isNamed: boolean, plans: Plans) {
    this.client = client
    this.#plans = plans
    this.#begin = begin
    this.#wire = wireOf(client)
    const forget = (name: string) => unprepare(client, name)
    const budget = { most: PREPARED_TEXT, sizeOf: (_name: string, length: number) => length }
    this.#prepared = isNamed ? new BoundedCache(PREPARED, { forget, budget }) : null
  }

  /**
   * Makes the settings of a new connection.
   *
   * A pooler (PgBouncer in transaction mode) lends us a session of the server for one transaction: what we set or
   * prepare there would meet somebody else. Then the server's process is not the one that the pooler has told us, the
   * settings are made in each transaction, and nothing is prepared unless `isNamed` says so.
   */
  static async open(
    client: pg.Client,
    isNamed: boolean | undefined,
    settings: SessionSettings,
    plans: Plans,
  ): Promise<PostgresSession> {
    const names = Object.keys(settings)
    const made = names.map(name => `set_config('${name}', '${settings[name]}', false)`)
    const told = Number(Reflect.get(client, 'processID')) || 0
    const { rowCount } = await client.query(`select ${made.join(', ')} where pg_backend_pid() = ${told}`)
    const isOurs = rowCount === 1
    const local = isOurs ? [] : names.map(name => `set local ${name} = ${settings[name]}`)
    return new PostgresSession(client, ['begin', ...local].join('; '), isNamed ?? isOurs, plans)
  }

  async query(statement: Statement, values: readonly unknown[]): Promise<Result> {
    const { epoch } = this.#plans
    try {
      return await this.#send(statement, values)
    } catch (error) {
      if (!isOutdated(error)) throw error
      if (this.#plans.epoch === epoch) this.#plans.epoch++
      // A transaction has to begin again, with statements that are prepared anew.
      if (!isIdle(this.client)) throw error
      return this.#send(statement, values)
    }
  }

  #send({ text, name }: Statement, values: readonly unknown[]): Promise<Result> {
    const known = name === undefined ? undefined : this.#preparedName(name, text.length)
    const statement = known === undefined ? { text } : { text, name: known }
    const written = this.#wire && wireValues(values)
    return written ? runRowsQuery(this.client, statement, written) : this.#queryOfPg(statement, values)
  }

  async #queryOfPg(statement: Statement, values: readonly unknown[]): Promise<Result> {
    // `pg` does not write to the values, whatever its types say.
    const query = { ...statement, values: values as unknown[], rowMode: 'array', types: rawTypes } as const
    const { rows, rowCount } = await this.client.query(query)
    return { rows, changes: rowCount ?? 0 }
  }

  /** The name under which a statement is prepared here, or is going to be. */
  #preparedName(name: string, length: number): string | undefined {
    if (!this.#prepared || length > LONGEST_NAMED) return undefined
    const { epoch } = this.#plans
    const current = epoch === 0 ? name : `${name}_${epoch}`
    this.#prepared.get(current, () => length)
    return current
  }

  async begin(): Promise<void> {
    await this.client.query(this.#begin)
  }
}

/** Sent ahead of the next statement, and answered with it. A statement that was never prepared is no error. */
function unprepare(client: pg.Client, name: string): void {
  const wire = client.connection as unknown as Wire
  wire.close({ type: 'S', name })
  delete wire.parsedStatements[name]
}

/** Whether no transaction is open on a client. Older versions of `pg` cannot tell. */
export function isIdle(client: pg.Client): boolean {
  return client.getTransactionStatus?.() === 'I'
}

/** Tells of what somebody else, such as Drizzle, sends by `query` of a client of `pg`. */
export function tellQuery<T>(
  observer: ObservedExecutor,
  [query]: readonly unknown[],
  send: () => Promise<T>,
): Promise<T> {
  return observer.tell(typeof query === 'string' ? { text: query } : (query as Statement), send, rowsOf)
}

function rowsOf(result: unknown): number {
  return (result as pg.QueryResult | undefined)?.rowCount ?? 0
}

/** The clients behind those of {@link observedPool}. */
const originals = new WeakMap<object, pg.Client>()

/** The client itself, for whoever tells of its queries by other means. */
export function originalOf(client: pg.Client): pg.Client {
  return originals.get(client) ?? client
}

/** A pool as Drizzle sees it; `observer` tells of its queries, and of those of its clients. */
export function observedPool(pool: pg.Pool, observer: ObservedExecutor): pg.Pool {
  const connect = async () => {
    const client = (await pool.connect()) as pg.PoolClient & pg.Client
    const seen = new Proxy(client, { get: (_, property) => observedMember(client, property, observer) })
    originals.set(seen, client)
    return seen
  }
  return new Proxy(pool, {
    get: (_, property) => (property === 'connect' ? connect : observedMember(pool, property, observer)),
  })
}

function observedMember(target: object, property: string | symbol, observer: ObservedExecutor): unknown {
  const value: unknown = Reflect.get(target, property)
  if (typeof value !== 'function') return value
  const call = value.bind(target)
  if (property !== 'query') return call
  return (...args: unknown[]) => tellQuery(observer, args, () => call(...args))
}
