/** The properties of a {@link ClientError} beside its message. */
export interface ClientErrorParts {
  readonly status?: number
  readonly envelope?: Envelope<null>
  readonly headers?: Headers
  readonly cause?: unknown
}

/**
 * The error of a client's calls: the API rejected a request, the response is not from the API, or there is no response.
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
  /** The status of the response; 0 without one: no connection, or the request was aborted (see `cause`). */
  readonly status: number
  /** Messages by field, with the names in JSON. Empty if the API reports none. */
  readonly errors: Readonly<Record<string, readonly string[]>>
  /** The code of each message, in the shape of `errors`. Empty if the API sends none (its option `errorCodes`). */
  readonly codes: Readonly<Record<string, readonly string[]>>
  /** The whole response; `undefined` if there is none, or it is not from the API. */
  readonly envelope: Envelope<null> | undefined
  /** The id of the request in the server's log. */
  readonly requestId: string | undefined
  /** Seconds to wait before trying again. */
  readonly retryAfter: number | undefined
  /** On 412: the tag of the record as it is now. Read the record again before you use it. */
  readonly etag: string | undefined

  constructor(message: string, { status = 0, envelope, headers, cause }: ClientErrorParts = {}) {
    super(message, { cause })
    const after = Number.parseInt(headers?.get('retry-after') ?? '', 10)
    this.status = status
    this.errors = envelope?.errors ?? {}
    this.codes = envelope?.codes ?? {}
    this.envelope = envelope
    this.requestId = headers?.get('x-request-id') ?? undefined
    this.retryAfter = Number.isNaN(after) ? undefined : after
    this.etag = headers?.get('etag') ?? undefined
  }
}

/** The standard envelope of responses. A response may have further keys. */
export interface Envelope<T> {
  readonly success: boolean
  readonly timestamp: string
  readonly message: string
  readonly data: T
  /** The number of results, if the pagination style counts them. */
  readonly count?: number | null
  readonly next?: string | null
  readonly previous?: string | null
  /** Messages by field, on 400 and 409. */
  readonly errors?: Readonly<Record<string, readonly string[]>>
  /** The code of each message. */
  readonly codes?: Readonly<Record<string, readonly string[]>>
  readonly [key: string]: unknown
}

export function isEnvelope(value: unknown): value is Envelope<unknown> {
  return typeof value === 'object' && value !== null && 'success' in value && 'data' in value
}
