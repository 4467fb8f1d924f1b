import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { ErrorDetails } from '../core/error-log.ts'
import { ValidationError } from '../core/errors.ts'
import type { ApiRequest } from '../core/request.ts'
import { errorLogOf } from './log.ts'
import { readTarget } from './request-target.ts'

/** A name or an address, and a port: what can stand in a link without becoming something else. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i

/** Fastify's request as the core sees it. What few actions ask for is worked out when it is asked for. */
export class FastifyApiRequest implements ApiRequest {
  readonly native: FastifyRequest
  readonly #baseUrl: string | undefined

  readonly #response: ServerResponse
  #gone: AbortController | undefined

  constructor(request: FastifyRequest, response: ServerResponse, baseUrl: string | undefined) {
    this.native = request
    this.#response = response
    this.#baseUrl = baseUrl
  }

  get id(): string {
    return this.native.id
  }

  get method(): string {
    return this.native.method
  }

  get url(): string {
    return readTarget(this.native.url).url
  }

  /** The configured base, else the host that was asked; a proxy's word for it counts as `trustProxy` says. */
  get origin(): string {
    if (this.#baseUrl !== undefined) return this.#baseUrl
    const host = this.#host
    if (!HOST.test(host)) throw new ValidationError('The Host header is malformed.')
    return `${this.native.protocol}://${host}`
  }

  get #host(): string {
    const { host, headers, url } = this.native
    // Only a proxy's word is more than the request line's, and that more than the header's.
    return host === headers.host ? (readTarget(url).host ?? host) : host
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

  get params(): ApiRequest['params'] {
    return this.native.params as ApiRequest['params']
  }

  get query(): ApiRequest['query'] {
    return this.native.query as ApiRequest['query']
  }

  get headers(): ApiRequest['headers'] {
    return this.native.headers
  }

  get body(): unknown {
    return this.native.body
  }

  get bodyStream(): Readable | null {
    return this.body instanceof Readable ? this.body : null
  }

  get signal(): AbortSignal {
    if (this.#gone) return this.#gone.signal
    const gone = new AbortController()
    this.#gone = gone
    // The request's own end comes with its body's. After a whole answer there is nothing left to abort.
    if (this.#response.destroyed && !this.#response.writableFinished) gone.abort()
    else this.#response.once('close', () => gone.abort())
    return gone.signal
  }

  logError(error: unknown, details: ErrorDetails): void {
    errorLogOf(this.native.log).logError(error, details)
  }

  logWarning(message: string): void {
    errorLogOf(this.native.log).logWarning(message)
  }
}
