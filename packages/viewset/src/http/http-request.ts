import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { ErrorDetails, ErrorLog } from '../core/context.ts'
import { ApiError, ValidationError } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import type { ApiRequest, NativeRequest } from '../core/request.ts'
import { sizeText } from '../core/text.ts'

/** A name or IP address with an optional port, safe to use in a link. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i

const PROTOCOL = /^https?$/i

/** The parts of a request that a face knows when it arrives. */
export interface RequestParts {
  readonly id: string
  readonly method: string
  /** The target of the request line: path and query, or an absolute URL (RFC 9112, 3.2). */
  readonly target: string
  /** The server's own request. */
  readonly native: unknown
  /** The start of links, if it differs from the requested address. */
  readonly baseUrl: string | undefined
}

/**
 * A request as a face provides it. This class holds the common part of all servers; properties that few actions use are
 * computed on demand.
 */
export abstract class HttpRequest implements ApiRequest {
  readonly id: string
  readonly method: string
  readonly native: NativeRequest
  /** Path parameters, query and body, set after matching and reading. */
  params: ApiRequest['params'] = {}
  query: ApiRequest['query'] = {}
  body: unknown
  bodyStream: Readable | null = null
  /** The target of the request line. */
  readonly target: string
  readonly url: string
  readonly #baseUrl: string | undefined
  #origin: string | undefined

  constructor({ id, method, target, native, baseUrl }: RequestParts) {
    this.id = id
    this.method = method
    // A program declares the type by declaration merging.
    this.native = native as NativeRequest
    this.target = target
    this.url = readTarget(target).url
    this.#baseUrl = baseUrl
  }

  abstract readonly headers: ApiRequest['headers']
  abstract readonly signal: AbortSignal
  /** The requested scheme and host. Includes a proxy's headers if the server trusts it. */
  protected abstract readonly address: Address
  protected abstract readonly log: ErrorLog
  /** The unread body; `null` without one. */
  abstract readonly incoming: Readable | null

  /** A header that occurs once. Faces may override it with a faster way. */
  header(name: string): string | undefined {
    const value = this.headers[name]
    return typeof value === 'object' ? value.join(', ') : value
  }

  /** Names and values in turn, if the server keeps repeated headers. */
  get rawHeaders(): readonly string[] {
    return []
  }

  /** Whether the response may have a `Connection` header. HTTP/2 has none. */
  get hasConnectionHeader(): boolean {
    return false
  }

  /** Path and query below the mount path of the application (Express's `app.use(path)`), for matching. */
  get mountedUrl(): string {
    return this.url
  }

  /** The parameters of the mount path. */
  get mountParams(): ApiRequest['params'] | undefined {
    return undefined
  }

  /**
   * The whole body.
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
    if (!PROTOCOL.test(protocol)) throw new ValidationError(message('malformed.protocol'))
    if (!HOST.test(host)) throw new ValidationError(message('malformed.host'))
    return `${protocol}://${host}`
  }

  logError(error: unknown, details: ErrorDetails): void {
    this.log.logError(error, { ...details, requestId: this.id })
  }

  logWarning(message: string): void {
    this.log.logWarning(message)
  }
}

/** Scheme and host of a request, as proxies in front of the server report them. */
export interface Address {
  readonly protocol: string
  readonly host: string
}

/** The address in a trusted proxy's headers. The last entry is the nearest proxy's, as in Fastify. */
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

/** The id in `x-request-id` if it is valid, or a new one. */
export function requestId(given: unknown): string {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}

interface RequestTarget {
  /** The usual form has no host, because the `Host` header names it. */
  readonly host: string | undefined
  readonly url: string
}

/** Parses the target of a request line, which may be an absolute URL (RFC 9112, 3.2.2). */
export function readTarget(target: string): RequestTarget {
  if (target.startsWith('/')) return { host: undefined, url: target }
  // Some servers end the host at a backslash, and would see another path.
  const [, host, url = ''] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\\]+)(.*)$/i.exec(target) ?? []
  if (host === undefined) return { host, url: target }
  return { host, url: url.startsWith('/') ? url : `/${url}` }
}

/** Whether a target contains user information (`http://user@host/`), which RFC 9110, 4.2.4, forbids. */
export function namesUser(target: string): boolean {
  return !target.startsWith('/') && readTarget(target).host?.includes('@') === true
}

/** Whether a request has two `Host` headers (RFC 9112, 3.2): Node uses the first, other servers the last. */
export function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

export function bodyTooLarge(limit?: unknown): ApiError {
  const most = typeof limit === 'number' ? sizeText(limit) : undefined
  return new ApiError(413, 'payload_too_large', message('payload_too_large', { limit: most }))
}

/** The late rest of the body would be read as the next request, so the connection is closed. */
export const BODY_TOO_LATE = new ApiError(408, 'request_timeout', message('request_timeout'), {
  headers: { connection: 'close' },
})

/**
 * @throws ApiError 413 for more than `limit` bytes, 408 for a body that takes longer than `timeout` milliseconds, 400
 *   for a body that is cut off.
 */
function readBytes(body: Readable, limit: number, timeout: number): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let length = 0
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const take = (chunk: Buffer | string) => {
    // Other middleware may have called `setEncoding`.
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, body.readableEncoding ?? 'utf8') : chunk
    length += bytes.length
    if (length > limit) refuse(bodyTooLarge(limit))
    else chunks.push(bytes)
  }
  const stop = () => {
    clearTimeout(late)
    // Discards the rest, so that the client can read the error.
    body.off('data', take).off('end', end).off('close', cutOff).resume()
  }
  const refuse = (error: ApiError) => {
    stop()
    reject(error)
  }
  const cutOff = () => refuse(new ValidationError(message('malformed.cut_off')))
  // It stays: an error of a body without a listener ends the process.
  const fail = (error: unknown) => (error instanceof ApiError ? refuse(error) : cutOff())
  // At once: `close` follows before a handler of the promise runs.
  const end = () => {
    stop()
    resolve(Buffer.concat(chunks, length))
  }
  const late = setTimeout(() => refuse(BODY_TOO_LATE), timeout)
  body.on('data', take).once('end', end).once('error', fail).once('close', cutOff)
  return promise
}
