import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { ErrorLog } from '../core/context.ts'
import type { ApiRequest } from '../core/request.ts'
import type { HttpApi } from '../http/http-api.ts'
import { type Address, forwardedAddress, HttpRequest, readTarget, requestId } from '../http/http-request.ts'
import { hasBody, signalOf } from '../http/node-server.ts'
import type { TrustedProxy } from './prepare-server.ts'

/** Express's additions to Node's request. Similar middleware adds the parsed body. */
export interface ExtendedMessage extends IncomingMessage {
  readonly baseUrl?: string
  readonly originalUrl?: string
  readonly params?: ApiRequest['params']
  readonly app?: unknown
  readonly protocol?: string
  readonly host?: string
  readonly body?: unknown
  readonly rawBody?: unknown
}

export interface NodeRequestContext {
  readonly api: HttpApi
  readonly log: ErrorLog
  readonly isTrusted: TrustedProxy
}

export class NodeRequest extends HttpRequest {
  readonly #request: ExtendedMessage
  readonly #response: ServerResponse
  readonly #context: NodeRequestContext
  #signal: AbortSignal | undefined

  constructor(context: NodeRequestContext, request: ExtendedMessage, response: ServerResponse) {
    super({
      id: requestId(request.headers['x-request-id']),
      method: request.method ?? 'GET',
      target: request.originalUrl ?? request.url ?? '/',
      native: request,
      baseUrl: context.api.baseUrl,
    })
    this.#request = request
    this.#response = response
    this.#context = context
  }

  get headers(): ApiRequest['headers'] {
    return this.#request.headers
  }

  override get rawHeaders(): readonly string[] {
    return this.#request.rawHeaders
  }

  override get hasConnectionHeader(): boolean {
    return this.#request.httpVersionMajor < 2
  }

  /** Express and Connect remove the mount path; other middleware may have rewritten the URL. */
  override get mountedUrl(): string {
    return readTarget(this.#request.url ?? '/').url
  }

  override get mountParams(): ApiRequest['params'] | undefined {
    const { baseUrl, params } = this.#request
    return baseUrl ? params : undefined
  }

  get incoming(): Readable | null {
    if (!hasBody(this.#request)) return null
    if (!this.#request.readableDidRead) return this.#request
    throw new Error('The body was read before it came to the API: put its handler before what reads bodies.')
  }

  /** Uses the body that the body-parser of Express or Nest has read, exactly if it kept the bytes (`rawBody`). */
  override async readBytes(limit: number, timeout: number): Promise<Uint8Array> {
    const { body, rawBody, readableDidRead } = this.#request
    if (!readableDidRead) return super.readBytes(limit, timeout)
    const read = rawBody ?? body
    if (read === undefined) return super.readBytes(limit, timeout)
    return Buffer.isBuffer(read) ? read : Buffer.from(typeof read === 'string' ? read : JSON.stringify(read))
  }

  get signal(): AbortSignal {
    this.#signal ??= signalOf(this.#response)
    return this.#signal
  }

  protected get log(): ErrorLog {
    return this.#context.log
  }

  /** Express's own `trust proxy` decides about a proxy's headers. */
  protected get address(): Address {
    const { app, protocol, host, headers, socket } = this.#request
    if (app !== undefined && protocol !== undefined && host !== undefined) return { protocol, host }
    const asked = {
      protocol: socket instanceof TLSSocket ? 'https' : 'http',
      host: String(headers.host ?? headers[':authority'] ?? ''),
    }
    return this.#context.isTrusted(socket?.remoteAddress) ? forwardedAddress(name => this.header(name), asked) : asked
  }
}
