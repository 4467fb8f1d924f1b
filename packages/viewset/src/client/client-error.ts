/** What a {@link ClientError} knows beside its message. */
export interface ClientErrorParts {
  readonly status?: number
  readonly envelope?: Envelope<null>
  readonly headers?: Headers
  readonly cause?: unknown
}

/**
 * The one error of a client: the API refused a request, something else than the API answered, or nobody did.
 *
 * @example
 * try {
 *   await client.authors.create({ name: 'x'.repeat(201) })
 * } catch (error) {
 *   if (error instanceof ClientError) console.log(error.errors) // { name: ['Ensure this field has no more than 200 characters.'] }
 * }
 */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  /** The status of the answer; 0 where there was none: no connection, or the request was aborted (see `cause`). */
  readonly status: number
  /** Messages by field, by the names on the wire; empty where the API names none. */
  readonly errors: Readonly<Record<string, readonly string[]>>
  /** The whole answer; `undefined` where there was none, or none of the API. */
  readonly envelope: Envelope<null> | undefined
  /** What the server's log calls the request. */
  readonly requestId: string | undefined
  /** Seconds to wait before asking again. */
  readonly retryAfter: number | undefined

  constructor(message: string, { status = 0, envelope, headers, cause }: ClientErrorParts = {}) {
    super(message, { cause })
    const after = Number.parseInt(headers?.get('retry-after') ?? '', 10)
    this.status = status
    this.errors = envelope?.errors ?? {}
    this.envelope = envelope
    this.requestId = headers?.get('x-request-id') ?? undefined
    this.retryAfter = Number.isNaN(after) ? undefined : after
  }
}

/** The standard response envelope, with `data` as the endpoint gives it; an answer may have further keys. */
export interface Envelope<T> {
  readonly success: boolean
  readonly timestamp: string
  readonly message: string
  readonly data: T
  /** The number of results, where a list is cut into pages by a style that counts them. */
  readonly count?: number | null
  readonly next?: string | null
  readonly previous?: string | null
  /** Messages by field, on 400 and 409. */
  readonly errors?: Readonly<Record<string, readonly string[]>>
  readonly [key: string]: unknown
}

/** Whether an answer is the API's. */
export function isEnvelope(value: unknown): value is Envelope<unknown> {
  return typeof value === 'object' && value !== null && 'success' in value && 'data' in value
}
