import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { ErrorLog } from '../core/context.ts'
import type { ApiRequest } from '../core/request.ts'
import type { HttpApi } from '../http/http-api.ts'
import { type Address, forwardedAddress, HttpRequest, namesUser, readTarget, requestId } from '../http/http-request.ts'

export interface FetchRequestContext {
  readonly api: HttpApi
  readonly log: ErrorLog
  readonly trustProxy: boolean
}

export class FetchRequest extends HttpRequest {
  readonly #request: Request
  readonly #context: FetchRequestContext
  #headers: ApiRequest['headers'] | undefined
  #incoming: Readable | undefined

  constructor(context: FetchRequestContext, request: Request, native: unknown) {
    super({
      id: requestId(request.headers.get('x-request-id')),
      method: request.method,
      target: request.url,
      native,
      baseUrl: context.api.baseUrl,
    })
    this.#request = request
    this.#context = context
  }

  get headers(): ApiRequest['headers'] {
    this.#headers ??= Object.fromEntries(this.#request.headers)
    return this.#headers
  }

  override header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined
  }

  override get rawHeaders(): readonly string[] {
    const hosts = this.header('host')?.split(',') ?? []
    return hosts.flatMap(host => ['host', host])
  }

  get incoming(): Readable | null {
    // Read once: Bun marks a body as used as soon as its stream has a reader.
    if (this.#incoming) return this.#incoming
    const { body } = this.#request
    if (body === null) return null
    if (this.#isTaken)
      throw new Error('The body was read before it came to the API: give the handler an unread request.')
    // An error without a reader must not end the process.
    this.#incoming = Readable.fromWeb(body as ReadableStream<Uint8Array>).on('error', () => {})
    return this.#incoming
  }

  /** Discards an unread body. Otherwise a server may consider the client stalled and disconnect. */
  skipBody(): void {
    if (this.#hasNoBody) return
    // Hono's server has no body for a URL that the Fetch standard rejects.
    if (namesUser(this.target) || this.#isTaken) return
    if (this.incoming?.readableFlowing === null) this.incoming.resume()
  }

  /** Without a look at `body`, for which Hono's server makes a whole `Request` with its `AbortController`. */
  get #hasNoBody(): boolean {
    const { method, headers } = this.#request
    if (method !== 'GET' && method !== 'HEAD') return false
    return !headers.has('content-length') && !headers.has('transfer-encoding')
  }

  get #isTaken(): boolean {
    const { body, bodyUsed } = this.#request
    return this.#incoming === undefined && (bodyUsed || body?.locked === true)
  }

  get signal(): AbortSignal {
    return this.#request.signal
  }

  protected get log(): ErrorLog {
    return this.#context.log
  }

  protected get address(): Address {
    const { url } = this.#request
    // Next replaces the client's host in the URL, but not in the header.
    const host = this.header('host') ?? readTarget(url).host ?? ''
    const asked = { protocol: url.slice(0, url.indexOf(':')), host }
    return this.#context.trustProxy ? forwardedAddress(name => this.header(name), asked) : asked
  }
}
