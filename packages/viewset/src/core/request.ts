import type { Readable } from 'node:stream'
import type { ErrorLog } from './context.ts'
import { ValidationError } from './errors.ts'
import { message } from './messages/message.ts'

/**
 * Types of the servers' own requests. Each face adds its type by declaration merging. An application with a framework
 * above its server adds `framework`, which then takes precedence.
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

/** A request, independent of the server that received it. Errors of the request go to its log. */
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
  readonly search: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: unknown
  /** The unread body, for an endpoint with `MixinRoute.streams`; else `null`. */
  readonly bodyStream: Readable | null
  /** The server's own request, with the properties that its plugins add: a session, a user, the client's address. */
  readonly native: NativeRequest
  /** Aborts if the client leaves before its response is complete and the server reports that. */
  readonly signal?: AbortSignal
}

/**
 * The value of a query parameter; `undefined` if it is absent.
 *
 * @throws ValidationError for a repeated parameter.
 * @example
 * const month = queryValue(request, 'month')
 */
export function queryValue(request: ApiRequest, name: string): string | undefined {
  const value = request.query[name]
  if (value === undefined || typeof value === 'string') return value
  throw new ValidationError({ [name]: [message('repeated')] })
}

/**
 * Rejects NUL and broken percent-encoding, which servers decode in different ways.
 *
 * @throws ValidationError
 */
export function checkAddress(url: string): void {
  if (!url.includes('%')) return
  if (url.includes('%00')) throw new ValidationError(message('malformed.nul_in_url'))
  try {
    decodeURIComponent(url)
  } catch {
    throw new ValidationError(message('malformed.percent'))
  }
}

/**
 * An absolute link to the same list with other parameters. `undefined` removes a parameter.
 *
 * @example
 * const next = linkTo(request, { month: '2026-02' })
 */
export function linkTo(request: ApiRequest, changes: Readonly<Record<string, string | undefined>>): string {
  const search = replaceParameters(request.search, changes)
  return `${request.origin}${request.path}${search === '' ? '' : `?${search}`}`
}

/**
 * Changes parameters of a query string. All others keep their spelling and order.
 *
 * @example
 * replaceParameters('page=2&ordering=name', { page: '3' }) // 'ordering=name&page=3'
 */
export function replaceParameters(search: string, changes: Readonly<Record<string, string | undefined>>): string {
  const kept = search === '' ? [] : search.split('&').filter(part => !Object.hasOwn(changes, parameterName(part)))
  for (const [name, value] of Object.entries(changes)) {
    if (value !== undefined) kept.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  }
  return kept.join('&')
}

export function onlyParameters(search: string, names: readonly string[]): string {
  return search
    .split('&')
    .filter(part => names.includes(parameterName(part)))
    .join('&')
}

function parameterName(part: string): string {
  const end = part.indexOf('=')
  const name = end === -1 ? part : part.slice(0, end)
  if (!/[%+]/.test(name)) return name
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}
