import type { Readable } from 'node:stream'
import type { ErrorLog } from './error-log.ts'
import { ValidationError } from './errors.ts'
import { replaceParameters } from './query-string.ts'

/**
 * The servers' own requests: each face adds the type of its own by declaration merging. An application that has a
 * framework above its server adds `framework`, which then is the one.
 *
 * @example
 * declare module 'viewset' {
 *   interface NativeRequests {
 *     readonly framework: import('hono').Context
 *   }
 * }
 */
export interface NativeRequests {
  readonly none: never
}

type KnownNativeRequest = NativeRequests extends { readonly framework: infer R }
  ? R
  : NativeRequests[keyof NativeRequests]

/** The request of the server whose face the program imports: Fastify's with `viewset/fastify`. */
export type NativeRequest = [KnownNativeRequest] extends [never] ? unknown : KnownNativeRequest

/** A request as the core sees it, whatever server received it; errors of the request go to its log. */
export interface ApiRequest extends ErrorLog {
  /** Names the request in logs. */
  readonly id: string
  readonly method: string
  /** Scheme and host that links start with, for example `https://api.example.org`. */
  readonly origin: string
  /** Path and query as they were requested. */
  readonly url: string
  /** The path as it was requested, for example `/api/cities/`. */
  readonly path: string
  /** What stands behind the `?`, without it. */
  readonly search: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: unknown
  /** The body as it arrives, for an endpoint that reads it itself (`MixinRoute.streams`); else `null`. */
  readonly bodyStream: Readable | null
  /** The server's own request, with what its plugins have put there: a session, a user, the client's address. */
  readonly native: NativeRequest
  /** Aborts when the client has gone, if the server can tell. */
  readonly signal?: AbortSignal
}

/**
 * The value of a query parameter; `undefined` when it is absent.
 *
 * @throws ValidationError when it is given more than once, since no choice between the values would be right.
 * @example
 * const month = queryValue(request, 'month')
 */
export function queryValue(request: ApiRequest, name: string): string | undefined {
  const value = request.query[name]
  if (value === undefined || typeof value === 'string') return value
  throw new ValidationError({ [name]: ['Give this parameter once.'] }, 'A query parameter is not valid.')
}

/**
 * Refuses an address with broken percent-encoding, which servers read in different ways, or with NUL.
 *
 * @throws ValidationError
 */
export function checkAddress(url: string): void {
  if (!url.includes('%')) return
  if (url.includes('%00')) throw new ValidationError('Null characters are not allowed in a URL.')
  try {
    decodeURIComponent(url)
  } catch {
    throw new ValidationError('The URL is malformed: a % must be followed by two hexadecimal digits of valid UTF-8.')
  }
}

/**
 * An absolute link to the same list with other parameters; `undefined` takes a parameter out.
 *
 * @example
 * const next = linkTo(request, { month: '2026-02' })
 */
export function linkTo(request: ApiRequest, changes: Readonly<Record<string, string | undefined>>): string {
  const search = replaceParameters(request.search, changes)
  return `${request.origin}${request.path}${search === '' ? '' : `?${search}`}`
}
