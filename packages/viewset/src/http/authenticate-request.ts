import { parse } from 'node:querystring'
import type { Readable } from 'node:stream'
import { currentContext, type ErrorLog, type User } from '../core/context.ts'
import type { ApiRequest } from '../core/request.ts'
import type { Authenticate } from '../viewset/handle.ts'
import { type Address, HttpRequest, readTarget, requestId } from './http-request.ts'
import { refusalOfAuthenticate } from './refusal-of-others.ts'

/** A request of Fastify, Express or Node's server, or one of the Fetch standard: `c.req.raw` of Hono. */
export interface ServerRequest {
  readonly headers: ApiRequest['headers'] | Headers
  readonly url?: string | undefined
  readonly method?: string | undefined
}

/**
 * The user of a request that goes to another route than those of the API; `null` for an anonymous one. Current values,
 * such as the database, are those of the caller: `database.use(() => authenticateRequest(...))` if `authenticate` reads
 * records.
 *
 * @throws NotAuthenticated for wrong credentials. Fastify and Express answer it with its status, 401, and its headers
 * @example
 * app.get('/me', async request => authenticateRequest(authenticate, request))
 */
export async function authenticateRequest(authenticate: Authenticate, request: ServerRequest): Promise<User | null> {
  try {
    return (await authenticate(new OutsideRequest(request))) ?? null
  } catch (error) {
    throw refusalOfAuthenticate(error) ?? error
  }
}

/** Additions of frameworks to Node's request. */
interface Extended extends ServerRequest {
  readonly id?: unknown
  readonly originalUrl?: string
  readonly protocol?: string
  readonly host?: string
  readonly params?: unknown
  readonly body?: unknown
  readonly signal?: AbortSignal
  readonly socket?: { readonly encrypted?: boolean }
}

/** A request that the API does not answer, so its body is that of the server. */
class OutsideRequest extends HttpRequest {
  readonly headers: ApiRequest['headers']
  readonly #request: Extended

  constructor(request: Extended) {
    const { id, method = 'GET', originalUrl, url = '/' } = request
    const headers = plainHeaders(request.headers)
    super({
      id: typeof id === 'string' ? id : requestId(headers['x-request-id']),
      method,
      target: originalUrl ?? url,
      native: request,
      baseUrl: undefined,
    })
    this.#request = request
    this.headers = headers
    this.query = parse(this.search)
    this.params = (request.params ?? {}) as ApiRequest['params']
    // The body of a `Request` is a stream, which only the route may read.
    if (!isHeaders(request.headers)) this.body = request.body
  }

  get incoming(): Readable | null {
    return null
  }

  get signal(): AbortSignal {
    return this.#request.signal ?? new AbortController().signal
  }

  protected get address(): Address {
    const { protocol, host, socket } = this.#request
    const ofTarget = readTarget(this.target).host
    const scheme = ofTarget === undefined ? (socket?.encrypted ? 'https' : 'http') : this.target.split(':', 1)[0]
    return { protocol: protocol ?? scheme ?? 'http', host: host ?? this.header('host') ?? ofTarget ?? '' }
  }

  protected get log(): ErrorLog {
    return currentContext().log
  }
}

/** Not by class: another copy of Fetch has its own. */
function isHeaders(headers: ServerRequest['headers']): headers is Headers {
  return typeof headers.get === 'function' && typeof headers.entries === 'function'
}

/** By the names in lower case, as Node has them. */
function plainHeaders(headers: ServerRequest['headers']): ApiRequest['headers'] {
  const entries = isHeaders(headers) ? [...headers.entries()] : Object.entries(headers)
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]))
}
