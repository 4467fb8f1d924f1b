/** Something, or a function that gives it for each request anew. */
type Given<T> = T | (() => T | Promise<T>)

/** Options of {@link createClient}. */
export interface ClientOptions {
  /** Where the API is, with its prefix: `https://api.example.org/api`; in a browser, `/api` as well. */
  readonly baseUrl: string
  /** Sent as `Authorization: Bearer ...`; a function is asked for each request, and none is sent where it gives none. */
  readonly token?: Given<string | null | undefined>
  /** Sent with every request. */
  readonly headers?: Given<Readonly<Record<string, string>>>
  /** What asks in place of the global `fetch`: to send cookies, to try again, or for a test. */
  readonly fetch?: (address: string, init: RequestInit) => Promise<Response>
}

/** What every call takes. */
export interface CallOptions {
  /** Aborts the request. */
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

/** {@link CallOptions} of a request whose query parameters no type knows. */
export interface QueryOptions extends CallOptions {
  readonly query?: Readonly<Record<string, QueryValue>>
}

/** What `$request` sends. */
export interface RequestOptions extends QueryOptions {
  /** Sent as JSON; a `FormData` as multipart. */
  readonly body?: unknown
}

/** One part of a path. @throws TypeError for what no address can have. */
export function segment(value: unknown): string {
  const text = String(value ?? '')
  // An address with such a part would be another one: of the list, or of what stands above it.
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`"${text}" cannot be a part of an address`)
  return encodeURIComponent(text)
}

/** A path whose parts such as `:author` have their values. */
function fill(path: string, values: Readonly<Record<string, unknown>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => segment(values[name]))
}

/**
 * A path with values to come: `make` is called at once where it has none of them, else with the path once they are
 * known.
 */
export function whenFilled<T>(
  path: string,
  make: (path: string) => T,
): T | ((values: Readonly<Record<string, unknown>>) => T) {
  return path.includes(':') ? values => make(fill(path, values)) : make(path)
}

type Scalar = string | number | bigint | boolean
/** A value of a query parameter; a list is sent with commas between its items. */
export type QueryValue = Scalar | readonly Scalar[] | undefined

/** The query string of these parameters, with its `?`; parameters that are undefined are left out. */
export function queryString(query: object = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query) as [string, QueryValue | null][]) {
    if (value !== undefined) search.append(name, textOf(name, value))
  }
  const text = String(search)
  return text && `?${text}`
}

/** @throws TypeError for what the API would take for something else, or for no filter at all. */
function textOf(name: string, value: Exclude<QueryValue, undefined> | null): string {
  if (value === null) throw new TypeError(`${name} cannot be null; ask for ${name}__isnull`)
  if (!Array.isArray(value)) return String(value)
  const text = value.join()
  // The API takes an empty text for no filter.
  if (text === '' && name !== 'ordering') throw new TypeError(`${name} is an empty list, which would find everything`)
  if (text.split(',').length > value.length && text !== '') {
    throw new TypeError(`${name} has an item with a comma, which would be two`)
  }
  return text
}
