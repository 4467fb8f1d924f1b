import type pg from 'pg'
import { BoundedCache } from '../bounded-cache.ts'
import type { Result, Statement } from '../driver.ts'
import { runRowsQuery, type Wire, wireOf, wireValues } from './pg-rows-query.ts'

/** Statements kept prepared for each connection; the server needs about 20 kB for one. */
const PREPARED = 500

/** Settings of a session on the server: numbers in the server's own units (milliseconds), by their names. */
export type SessionSettings = Readonly<Record<string, number>>

/** Every value stays the text the server sent: who reads it knows what it holds. */
const asText = (text: string) => text
const rawTypes = { getTypeParser: () => asText }

/** A connection to PostgreSQL with what it keeps from one statement to the next. */
export class PostgresSession {
  readonly client: pg.Client
  readonly #begin: string
  readonly #wire: Wire | null
  readonly #prepared: BoundedCache<string, string> | null

  private constructor(client: pg.Client, begin: string, isNamed: boolean) {
    this.client = client
    this.#begin = begin
    this.#wire = wireOf(client)
    this.#prepared = isNamed ? new BoundedCache(PREPARED, { forget: name => unprepare(client, name) }) : null
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
  ): Promise<PostgresSession> {
    const names = Object.keys(settings)
    const made = names.map(name => `set_config('${name}', '${settings[name]}', false)`)
    const told = Number(Reflect.get(client, 'processID')) || 0
    const { rowCount } = await client.query(`select ${made.join(', ')} where pg_backend_pid() = ${told}`)
    const isOurs = rowCount === 1
    const local = isOurs ? [] : names.map(name => `set local ${name} = ${settings[name]}`)
    return new PostgresSession(client, ['begin', ...local].join('; '), isNamed ?? isOurs)
  }

  query({ text, name }: Statement, values: readonly unknown[]): Promise<Result> {
    const known = name === undefined ? undefined : this.#prepared?.get(name, () => name)
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
