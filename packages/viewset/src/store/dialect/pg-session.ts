import type pg from 'pg'
import { BoundedCache } from '../bounded-cache.ts'
import type { Result, Statement } from '../driver.ts'

/** Statements kept prepared for each connection; the server needs about 20 kB for one. */
const PREPARED = 500

/** Settings of a session on the server: numbers in the server's own units (milliseconds), by their names. */
export type SessionSettings = Readonly<Record<string, number>>

/** What a client of `pg` speaks through. Its types leave these members out; its own cursors use them. */
interface Wire {
  readonly parsedStatements: Record<string, string>
  close(target: { readonly type: 'S'; readonly name: string }): void
}

/** Every value stays the text the server sent: who reads it knows what it holds. */
const asText = (text: string) => text
const rawTypes = { getTypeParser: () => asText }

/** A connection to PostgreSQL with what it keeps from one statement to the next. */
export class PostgresSession {
  readonly client: pg.Client
  readonly #begin: string
  readonly #prepared: BoundedCache<string, string> | null

  private constructor(client: pg.Client, begin: string, isNamed: boolean) {
    this.client = client
    this.#begin = begin
    const wire = client.connection as pg.Connection & Wire
    this.#prepared = isNamed ? new BoundedCache(PREPARED, { forget: name => unprepare(wire, name) }) : null
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

  async query({ text, name }: Statement, values: readonly unknown[]): Promise<Result> {
    // `pg` does not write to the values, whatever its types say.
    const query = { text, values: values as unknown[], rowMode: 'array', types: rawTypes } as const
    const known = name === undefined ? undefined : this.#prepared?.get(name, () => name)
    const { rows, rowCount } = await this.client.query(known === undefined ? query : { ...query, name: known })
    return { rows, changes: rowCount ?? 0 }
  }

  async begin(): Promise<void> {
    await this.client.query(this.#begin)
  }
}

/** Sent ahead of the next statement, and answered with it. A statement that was never prepared is no error. */
function unprepare(wire: Wire, name: string): void {
  wire.close({ type: 'S', name })
  delete wire.parsedStatements[name]
}
