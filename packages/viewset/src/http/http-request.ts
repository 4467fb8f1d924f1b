import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { ErrorDetails, ErrorLog } from '../core/context.ts'
import { ApiError, ValidationError } from '../core/errors.ts'
import type { ApiRequest, NativeRequest } from '../core/request.ts'
import { sizeText } from '../core/text.ts'

/** A name or an address, and a port: what can stand in a link without becoming something else. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i

const PROTOCOL = /^https?$/i

/** What a face knows of a request when it arrives. */
export interface RequestParts {
  readonly id: string
  readonly method: string
  /** The target of the request line: path and query, or a whole address (RFC 9112, 3.2). */
  readonly target: string
  /** The server's own request. */
  readonly native: unknown
  /** What links start with, where it is not the address that the client asked. */
  readonly baseUrl: string | undefined
}

/**
 * A request as a face brings it: what all servers have in common stands here, a face adds how its own one tells the
 * rest. What few actions ask for is worked out when it is asked for.
 */
export abstract class HttpRequest implements ApiRequest {
  readonly id: string
  readonly method: string
  readonly native: NativeRequest
  /** Parameters of the path, the query, and the body; given when the request has been matched and read. */
  params: ApiRequest['params'] = {}
  query: ApiRequest['query'] = {}
  body: unknown
  bodyStream: Readable | null = null
  /** The target of the request line. */
  readonly target: string
  readonly url: string
  readonly #baseUrl: string | undefined
  /** A page has two links. */
  #origin: string | undefined

  constructor({ id, method, target, native, baseUrl }: RequestParts) {
    this.id = id
    this.method = method
    // Which one it is, a program says by declaration merging.
    this.native = native as NativeRequest
    this.target = target
    this.url = readTarget(target).url
    this.#baseUrl = baseUrl
  }

  abstract readonly headers: ApiRequest['headers']
  abstract readonly signal: AbortSignal
  /** Scheme and host as the client asked for them; a proxy's word counts where the server trusts it. */
  protected abstract readonly address: Address
  protected abstract readonly log: ErrorLog
  /** The body as it arrives; `null` where there is none. */
  abstract readonly incoming: Readable | null

  /** A header that is sent once; faces that have a quicker way take it. */
  header(name: string): string | undefined {
    const value = this.headers[name]
    return typeof value === 'object' ? value.join(', ') : value
  }

  /** Names and values in turn, where the server tells what was sent twice. */
  get rawHeaders(): readonly string[] {
    return []
  }

  /** Whether the answer may say that the connection ends with it, which HTTP/2 has no header for. */
  get hasConnectionHeader(): boolean {
    return false
  }

  /** Path and query below the path that the application has put the API at (Express's `app.use(path)`): what is matched. */
  get mountedUrl(): string {
    return this.url
  }

  /** The parameters of that path. */
  get mountParams(): ApiRequest['params'] | undefined {
    return undefined
  }

  /**
   * All of the body.
   *
   * @throws ApiError 413 for more than `limit` bytes, 408 for one that takes longer than `timeout` milliseconds
   */
  async readBytes(limit: number, timeout: number): Promise<Uint8Array> {
    return this.incoming === null ? new Uint8Array() : readBytes(this.incoming, limit, timeout)
  }

  get path(): string {
    const { url } = this
    const end = url.indexOf('?')
    return end === -1 ? url : url.slice(0, end)
  }

  get search(): string {
    const { url } = this
    const end = url.indexOf('?')
    return end === -1 ? '' : url.slice(end + 1)
  }

  get origin(): string {
    this.#origin ??= this.#baseUrl ?? this.#askedOrigin()
    return this.#origin
  }

  #askedOrigin(): string {
    const { protocol, host } = this.address
    if (!PROTOCOL.test(protocol)) throw new ValidationError('The X-Forwarded-Proto header is malformed.')
    if (!HOST.test(host)) throw new ValidationError('The Host header is malformed.')
    return `${protocol}://${host}`
  }

  logError(error: unknown, details: ErrorDetails): void {
    this.log.logError(error, { ...details, requestId: this.id })
  }

  logWarning(message: string): void {
    this.log.logWarning(message)
  }
}

/** Scheme and host of a request, by what stands in front of the server. */
export interface Address {
  readonly protocol: string
  readonly host: string
}

/** What a trusted proxy says that the client asked for; the last entry is that of the nearest one, as in Fastify. */
export function forwardedAddress(header: (name: string) => string | undefined, asked: Address): Address {
  return {
    protocol: lastOf(header('x-forwarded-proto')) ?? asked.protocol,
    host: lastOf(header('x-forwarded-host')) ?? asked.host,
  }
}

function lastOf(header: string | undefined): string | undefined {
  return header?.slice(header.lastIndexOf(',') + 1).trim() || undefined
}

const REQUEST_ID = /^[\w.:-]{1,100}$/

/** The id that a proxy or a client gave a request by `x-request-id`, if that is one, or a new one. */
export function requestId(given: unknown): string {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}

/** The two parts of a request line that names the host as well, as clients of proxies write it (RFC 9112, 3.2.2). */
interface RequestTarget {
  /** The host and port that it names; `undefined` where the `Host` header has them, as usual. */
  readonly host: string | undefined
  /** Path and query. */
  readonly url: string
}

/** Takes a request line's target apart. */
export function readTarget(target: string): RequestTarget {
  if (target.startsWith('/')) return { host: undefined, url: target }
  // A backslash ends a host for some servers, and would make this path another one than theirs.
  const [, host, url = ''] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\\]+)(.*)$/i.exec(target) ?? []
  if (host === undefined) return { host, url: target }
  return { host, url: url.startsWith('/') ? url : `/${url}` }
}

/** Whether a target names a user (`http://user@host/`), which a sender must not do (RFC 9110, 4.2.4). */
export function namesUser(target: string): boolean {
  return !target.startsWith('/') && readTarget(target).host?.includes('@') === true
}

/** Whether a request says twice which host it is for (RFC 9112, 3.2): Node keeps the first, another server the last. */
export function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

/** @param limit in bytes, if it is known */
export function bodyTooLarge(limit?: unknown): ApiError {
  const most = typeof limit === 'number' ? ` The limit is ${sizeText(limit)}.` : ''
  return new ApiError(413, 'payload_too_large', `The body is too large.${most}`)
}

/** The connection ends with it: what is still to come would be taken for the next request. */
export const BODY_TOO_LATE = new ApiError(408, 'request_timeout', 'The request took too long to arrive.', {
  headers: { connection: 'close' },
})

/**
 * All bytes of a body.
 *
 * @throws ApiError 413 for more than `limit` bytes, 408 for one that takes longer than `timeout` milliseconds, 400 for
 *   one that is cut off
 */
function readBytes(body: Readable, limit: number, timeout: number): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let length = 0
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const take = (chunk: Buffer | string) => {
    // Other middleware may have had the body read as text (`setEncoding`).
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, body.readableEncoding ?? 'utf8') : chunk
    length += bytes.length
    if (length > limit) reject(bodyTooLarge(limit))
    else chunks.push(bytes)
  }
  const end = () => resolve(Buffer.concat(chunks, length))
  const fail = (error: unknown) =>
    reject(error instanceof ApiError ? error : new ValidationError('The body was cut off.'))
  const late = setTimeout(() => reject(BODY_TOO_LATE), timeout)
  body.on('data', take).once('end', end).once('error', fail).once('close', fail)
  return promise.finally(() => {
    clearTimeout(late)
    // What is still to come is read past, so that the client gets to read why it is refused.
    body.off('data', take).off('end', end).off('close', fail).resume()
  })
}
