import type { default as pg } from 'pg'
import { BoundedCache } from '../../core/bounded-cache.ts'
import { isOutdated } from '../../model/dialect/pg-faults.ts'
import type { ObservedExecutor, Result, Statement } from '../connection/driver.ts'
import { runRowsQuery, type Wire, wireOf, wireValues } from './pg-rows-query.ts'

const PREPARED = 500
/**
 * Characters of all prepared statements of a connection. The server needs 60 to 90 bytes for each character. Requests
 * can choose among thousands of orderings, so a limit on the number alone would allow 50 MB for each connection.
 */
const PREPARED_TEXT = 200_000
/** Longer statements are not prepared. */
const LONGEST_NAMED = 20_000

export type SessionSettings = Readonly<Record<string, number>>

/** Counts how often a server reported an outdated prepared statement: all earlier ones are outdated too. */
export interface Plans {
  epoch: number
}

/** Values stay the server's text. Decoders convert them. */
const asText = (text: string) => text
const rawTypes = { getTypeParser: () => asText }

export class PostgresSession {
  readonly client: pg.Client
  readonly #begin: string
  readonly #wire: Wire | null
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
   * A pooler (PgBouncer in transaction mode) lends a server session for one transaction, so settings and prepared
   * statements would reach other clients. A pooler is recognized by its process id, which differs from the server's.
   * Behind one, each transaction makes the settings again and nothing is prepared, unless `isNamed` says so.
   */
  static async open(
    client: pg.Client,
    isNamed: boolean | undefined,
    settings: SessionSettings,
    plans: Plans,
  ): Promise<PostgresSession> {
    const names = Object.keys(settings)
    const made = names.map(name => `set_config('${name}', '${settings[name]}', false)`)
    const processId = Number(Reflect.get(client, 'processID')) || 0
    const { rowCount } = await client.query(`select ${made.join(', ')} where pg_backend_pid() = ${processId}`)
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
      // The transaction has to begin again with newly prepared statements.
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
    // `pg` does not change the values, although its types are mutable.
    const query = { ...statement, values: values as unknown[], rowMode: 'array', types: rawTypes } as const
    const { rows, rowCount } = await this.client.query(query)
    return { rows, changes: rowCount ?? 0 }
  }

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

/** Sent before the next statement without waiting. Deallocating an unknown statement is not an error here. */
function unprepare(client: pg.Client, name: string): void {
  const wire = client.connection as unknown as Wire
  wire.close({ type: 'S', name })
  delete wire.parsedStatements[name]
}

/** Whether a client has no open transaction. Older versions of `pg` do not report it. */
export function isIdle(client: pg.Client): boolean {
  return client.getTransactionStatus?.() === 'I'
}

export function observeQuery<T>(
  observer: ObservedExecutor,
  [query]: readonly unknown[],
  send: () => Promise<T>,
): Promise<T> {
  return observer.observe(typeof query === 'string' ? { text: query } : (query as Statement), send, rowsOf)
}

function rowsOf(result: unknown): number {
  return (result as pg.QueryResult | undefined)?.rowCount ?? 0
}

const ignore = () => {}

/**
 * A connection that a pool has lent. If it dies between two statements, the next statement reports it. Without a
 * listener, the error would end the process.
 */
export function borrowed(client: pg.PoolClient): pg.PoolClient & pg.Client {
  client.on('error', ignore)
  return client as pg.PoolClient & pg.Client
}

export function returnClient(client: pg.PoolClient, broken?: boolean | Error): void {
  client.off('error', ignore)
  client.release(broken)
}

const originals = new WeakMap<object, pg.Client>()

/** The client itself, if its queries are observed elsewhere. */
export function originalOf(client: pg.Client): pg.Client {
  return originals.get(client) ?? client
}

export function observedPool(pool: pg.Pool, observer: ObservedExecutor): pg.Pool {
  const connect = async () => {
    const client = borrowed(await pool.connect())
    const release = (broken?: boolean | Error) => returnClient(client, broken)
    const seen = new Proxy(client, {
      get: (_, property) => (property === 'release' ? release : observedMember(client, property, observer)),
    })
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
  return (...args: unknown[]) => observeQuery(observer, args, () => call(...args))
}
