import type pg from 'pg'
import type { RawRow, Result, Statement } from '../connection/driver.ts'

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

type WireValue = string | Buffer | null

/** Encoded values; `undefined` if `pg` has to encode one, such as a `Date`. */
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
 * A statement in the protocol of `pg`'s custom queries, as in `pg-cursor`. It does not ask for column descriptions, and
 * values stay the server's text. This halves the client's work for a short read.
 */
class RowsQuery implements Result {
  readonly name: string
  readonly text: string
  /** `pg` calls it, and may wrap it to set a timeout. */
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

  /** Whether it uses the extended protocol rather than a simple query. */
  get #isExtended(): boolean {
    return this.name !== '' || this.#values.length > 0
  }

  /** Arrives only for simple queries. If the text has several statements, the last one counts. */
  handleRowDescription(): void {
    this.rows = []
  }

  handleDataRow({ fields }: { readonly fields: RawRow }): void {
    this.rows.push(fields)
  }

  /** The tag ends with the number of rows, if any: `SELECT 1`, `INSERT 0 5`, `BEGIN`. */
  handleCommandComplete({ text }: { readonly text: string }): void {
    this.changes = Number(text.slice(text.lastIndexOf(' ') + 1)) || 0
  }

  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyData(): void {}

  handleCopyInResponse(wire: Wire): void {
    wire.sendCopyFail('Nothing is copied here.')
    // A server that waits for COPY data discards the sync after the statement.
    if (this.#isExtended) wire.sync()
  }

  handleError(error: Error): void {
    this.callback(error)
  }

  handleReadyForQuery(): void {
    this.callback(null)
  }
}

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
    // The error's own stack leads to the socket instead of the caller.
    if (error instanceof Error) Error.captureStackTrace(error)
    throw error
  }
}

/** The client's protocol writer; `null` for a native client or one that pipelines. */
export function wireOf(client: pg.Client): Wire | null {
  const wire = client.connection as unknown as Wire | undefined
  const takesOthers = typeof wire?.bind === 'function' && Reflect.get(client, 'pipeline') !== true
  return takesOthers ? wire : null
}
