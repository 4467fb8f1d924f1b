import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { ValidationError } from '../core/errors.ts'
import type { ApiRequest } from '../core/request.ts'

/** A name or an address, and a port: what can stand in a link without becoming something else. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i

/** Fastify's request as the core sees it. What few actions ask for is worked out when it is asked for. */
export class FastifyApiRequest implements ApiRequest {
  readonly #request: FastifyRequest
  readonly #baseUrl: string | undefined

  readonly #response: ServerResponse
  #gone: AbortController | undefined

  constructor(request: FastifyRequest, response: ServerResponse, baseUrl: string | undefined) {
    this.#request = request
    this.#response = response
    this.#baseUrl = baseUrl
  }

  get id(): string {
    return this.#request.id
  }

  get method(): string {
    return this.#request.method
  }

  get url(): string {
    return this.#request.url
  }

  /** The configured base, else the host that was asked; a proxy's word for it counts as `trustProxy` says. */
  get origin(): string {
    if (this.#baseUrl !== undefined) return this.#baseUrl
    const { protocol, host } = this.#request
    if (!HOST.test(host)) throw new ValidationError('The Host header is malformed.')
    return `${protocol}://${host}`
  }

  get path(): string {
    const end = this.url.indexOf('?')
    return end === -1 ? this.url : this.url.slice(0, end)
  }

  get search(): string {
    const end = this.url.indexOf('?')
    return end === -1 ? '' : this.url.slice(end + 1)
  }

  get params(): ApiRequest['params'] {
    return this.#request.params as ApiRequest['params']
  }

  get query(): ApiRequest['query'] {
    return this.#request.query as ApiRequest['query']
  }

  get headers(): ApiRequest['headers'] {
    return this.#request.headers
  }

  get body(): unknown {
    return this.#request.body
  }

  get bodyStream(): Readable | null {
    return this.body instanceof Readable ? this.body : null
  }

  get signal(): AbortSignal {
    if (this.#gone) return this.#gone.signal
    const gone = new AbortController()
    this.#gone = gone
    // The request's own end comes with its body's. After a whole answer there is nothing left to abort.
    this.#response.once('close', () => gone.abort())
    return gone.signal
  }
}
