import type { QueryValue } from './query.ts'

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
