type Given<T> = T | (() => T | Promise<T>)

/** Options of {@link createClient}. */
export interface ClientOptions {
  /** The API's URL with its prefix: `https://api.example.org/api`; in a browser also `/api`. */
  readonly baseUrl: string
  /**
   * Sent as `Authorization: Bearer ...`. A function is called for each request; without a result, no header is sent.
   */
  readonly token?: Given<string | null | undefined>
  /** Sent with every request. */
  readonly headers?: Given<Readonly<Record<string, string>>>
  /** Replaces the global `fetch`: to send cookies, to retry, or for a test. */
  readonly fetch?: (address: string, init: RequestInit) => Promise<Response>
  /** How often a request with an `idempotencyKey` is sent again. Default 3. */
  readonly retries?: number
}

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The tag of the record as it was read, from {@link etagOf}. If the record has changed since, the call throws a
   * {@link ClientError} with the status 412, and stores nothing.
   */
  readonly ifMatch?: string | undefined
  /**
   * Sends an `Idempotency-Key`, so that the API carries the request out once, however often it arrives; `true` makes a
   * new one. After a lost connection, or a 502, 503 or 504, the client sends the request again with the same key. For
   * actions that take keys only: others would do it twice.
   *
   * @example
   * await client.orders.create(order, { idempotencyKey: true })
   */
  readonly idempotencyKey?: string | true | undefined
}

/** {@link CallOptions} of a request with any query parameters. */
export interface QueryOptions extends CallOptions {
  readonly query?: Readonly<Record<string, QueryValue>>
}

/** Options of `$request`. */
export interface RequestOptions extends QueryOptions {
  /** Sent as JSON; a `FormData` as multipart. */
  readonly body?: unknown
}

export function segment(value: unknown): string {
  const text = String(value ?? '')
  // Such a part would change the URL to the list or a level above.
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`"${text}" cannot be a part of an address`)
  return encodeURIComponent(text)
}

function fill(path: string, values: Readonly<Record<string, unknown>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => segment(values[name]))
}

/** `make` runs at once if the path has no parameters, or else when their values are known. */
export function whenFilled<T>(
  path: string,
  make: (path: string) => T,
): T | ((values: Readonly<Record<string, unknown>>) => T) {
  return path.includes(':') ? values => make(fill(path, values)) : make(path)
}

type Scalar = string | number | bigint | boolean
/** A value of a query parameter. A list is sent with commas between its items. */
export type QueryValue = Scalar | readonly Scalar[] | undefined

export function queryString(query: object = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query) as [string, QueryValue | null][]) {
    if (value !== undefined) search.append(name, textOf(name, value))
  }
  const text = String(search)
  return text && `?${text}`
}

/** @throws TypeError for a value that the API would read differently, or as no filter. */
function textOf(name: string, value: Exclude<QueryValue, undefined> | null): string {
  if (value === null) throw new TypeError(`${name} cannot be null; ask for ${name}__isnull`)
  if (!Array.isArray(value)) return String(value)
  const text = value.join()
  // The API reads an empty text as no filter.
  if (text === '' && name !== 'ordering') throw new TypeError(`${name} is an empty list, which would find everything`)
  if (text.split(',').length > value.length && text !== '') {
    throw new TypeError(`${name} has an item with a comma, which would be two`)
  }
  return text
}
