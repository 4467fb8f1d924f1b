import type { Readable } from 'node:stream'
import type { ErrorDetails, ErrorLog } from '../core/context.ts'
import { ValidationError } from '../core/errors.ts'
import type { ApiRequest, NativeRequest } from '../core/request.ts'
import type { Address } from './forwarded.ts'
import { readBytes } from './read-bytes.ts'
import { readTarget } from './request-target.ts'

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
