import type pg from 'pg'
import type { RawRow, Result, Statement } from '../driver.ts'

/** What a client of `pg` writes messages with. Its types know an older form of these methods. */
export interface Wire {
  readonly stream: { cork(): void; uncork(): void }
  readonly parsedStatements: Record<string, string>
  query(text: string): void
  parse(statement: { readonly name: string; readonly text: string }): void
  bind(portal: { readonly statement: string; readonly values: readonly WireValue[] }): void
  execute(portal: object): void
  sync(): void
  close(target: { readonly type: 'S'; readonly name: string }): void
  sendCopyFail(message: string): void
}

/** A value as it is sent: text, bytes or null. */
type WireValue = string | Buffer | null

/** Values as they are sent; `undefined` where one is of a kind that only `pg` knows how to write, as a `Date`. */
export function wireValues(values: readonly unknown[]): readonly WireValue[] | undefined {
  const written: WireValue[] = []
  for (const value of values) {
    if (typeof value === 'string') written.push(value)
    else if (value === null || value === undefined) written.push(null)
    else if (typeof value !== 'object') written.push(String(value))
    else if (Buffer.isBuffer(value)) written.push(value)
    else return undefined
  }
  return written
}

/**
 * A statement on its way, as `pg` lets others write theirs (`pg-cursor` is one). Ours never asks what the columns are:
 * every value stays the text that the server sent, so a row is taken as it comes. Half of the work of a short read in
 * this process was that question, its answer and what `pg` makes of both.
 */
class RowsQuery implements Result {
  readonly name: string
  readonly text: string
  /** `pg` calls it, and may wrap it to set a limit of time. */
  callback: (error: Error | null) => void
  rows: RawRow[] = []
  changes = 0
  readonly #values: readonly WireValue[]

  constructor({ name = '', text }: Statement, values: readonly WireValue[], callback: (error: Error | null) => void) {
    this.name = name
    this.text = text
    this.#values = values
    this.callback = callback
  }

  submit(wire: Wire): void {
    const { name, text } = this
    if (!this.#isExtended) {
      wire.query(text)
      return
    }
    // One packet instead of four.
    wire.stream.cork()
    if (name === '' || wire.parsedStatements[name] === undefined) wire.parse({ name, text })
    wire.bind({ statement: name, values: this.#values })
    wire.execute({})
    wire.sync()
    wire.stream.uncork()
  }

  /** Whether it is parsed and run by messages of their own, and not as a plain text. */
  get #isExtended(): boolean {
    return this.name !== '' || this.#values.length > 0
  }

  /** Comes unasked with the answer to a plain text, which may hold several statements: the last one counts. */
  handleRowDescription(): void {
    this.rows = []
  }

  handleDataRow({ fields }: { readonly fields: RawRow }): void {
    this.rows.push(fields)
  }

  /** The tag ends with the number of rows, where it has one: `SELECT 1`, `INSERT 0 5`, `BEGIN`. */
  handleCommandComplete({ text }: { readonly text: string }): void {
    this.changes = Number(text.slice(text.lastIndexOf(' ') + 1)) || 0
  }

  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyData(): void {}

  handleCopyInResponse(wire: Wire): void {
    wire.sendCopyFail('Nothing is copied here.')
    // The one behind the statement was lost on a server that waited for rows.
    if (this.#isExtended) wire.sync()
  }

  handleError(error: Error): void {
    this.callback(error)
  }

  handleReadyForQuery(): void {
    this.callback(null)
  }
}

/** Runs a statement on a client for which {@link wireOf} has found something. */
export async function runRowsQuery(
  client: pg.Client,
  statement: Statement,
  values: readonly WireValue[],
): Promise<Result> {
  try {
    return await new Promise<Result>((resolve, reject) => {
      const query = new RowsQuery(statement, values, error => (error ? reject(error) : resolve(query)))
      client.query(query as unknown as pg.Submittable)
    })
  } catch (error) {
    // Its stack leads to a socket; who has asked is what a log wants to know.
    if (error instanceof Error) Error.captureStackTrace(error)
    throw error
  }
}

/** What a client writes with; `null` for one that takes no statements but its own: a native one, or one that pipelines. */
export function wireOf(client: pg.Client): Wire | null {
  const wire = client.connection as unknown as Wire | undefined
  const takesOthers = typeof wire?.bind === 'function' && Reflect.get(client, 'pipeline') !== true
  return takesOthers ? wire : null
}
