import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { ApiError, MethodNotAllowed, NotFound, ServiceUnavailable, ValidationError } from '../core/errors.ts'
import type { Endpoint } from '../viewset/endpoints/endpoint.ts'
import { type Api, type ApiResponse, type Authenticate, errorResponse, handle, refusal } from '../viewset/handle.ts'
import { AllowedMethods } from './allowed-methods.ts'
import { FastifyApiRequest } from './api-request.ts'
import { answerExpectations } from './expectations.ts'
import { endWhenLate } from './late-body.ts'
import { readJson } from './read-json.ts'
import { refusalOfAuthenticate, refusalOfOthers } from './refusal-of-others.ts'
import { hasTwoHosts, readTarget } from './request-target.ts'
import { sendableBody } from './sendable-body.ts'
import { closeWhenStalled } from './stalled-client.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** The API's root is one route, and not one with and one without a slash. */
const ROUTE = { prefixTrailingSlash: 'slash' } as const

/** For plugins that document routes, such as @fastify/swagger: this is no endpoint of its own. */
const HIDDEN: { readonly schema: FastifySchema & { readonly hide: true } } = { schema: { hide: true } }

interface Route {
  readonly url: string
  readonly schema?: FastifySchema
}

interface FaceOptions extends Api {
  readonly baseUrl: string | undefined
}

/** One registration of the plugin. */
export class Face {
  readonly #app: FastifyInstance
  readonly #api: Api
  /** The prefix, without a slash at its end. */
  readonly #prefix: string
  readonly #baseUrl: string | undefined
  readonly #allowed = new AllowedMethods()
  #closing = false

  constructor(app: FastifyInstance, { baseUrl, ...api }: FaceOptions) {
    this.#app = app
    this.#prefix = withoutEndSlash(app.prefix)
    this.#baseUrl = baseUrl === undefined ? undefined : withoutEndSlash(baseUrl)
    this.#api = { ...api, authenticate: withRefusals(api.authenticate) }
    app.setErrorHandler((error, request, reply) =>
      this.#refuse(request, reply, refusalOfOthers(error, reply.getHeaders()) ?? error),
    )
    app.setNotFoundHandler((request, reply) => this.#send(request, reply, refusal(this.#notFound(request))))
    app.addHook('preClose', done => {
      this.#closing = true
      done()
    })
    // Before the body is read: whatever it is, it would not be looked at.
    app.addHook('preParsing', (request, reply, payload, done) => {
      endWhenLate(reply, api.settings.COMMON.BODY_TIMEOUT)
      const error = this.#refusalOf(request, payload)
      if (error) this.#send(request, reply, refusal(error))
      else done(null, payload)
    })
    // Only JSON: what Fastify would read as plain text is the wrong media type here.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readJson)
    answerExpectations(app.server)
  }

  addPath(path: string, endpoints: readonly Endpoint[]): void {
    const offered: string[] = endpoints.map(endpoint => endpoint.method)
    const addresses = this.#addresses(path)
    const own = addresses.flatMap(url => this.#methodsAt(path, url))
    const allowed = [
      ...new Set([...offered, ...own, ...([...offered, ...own].includes('GET') ? ['HEAD'] : []), 'OPTIONS']),
    ]
    const refused = METHODS.filter(method => !offered.includes(method))
    this.#allowed.add(this.#prefix + path, allowed)
    for (const [index, url] of addresses.entries()) {
      const taken = this.#methodsAt(path, url)
      for (const endpoint of endpoints) {
        if (taken.includes(endpoint.method)) continue
        const route = { ...ROUTE, url, ...(index > 0 && HIDDEN) }
        if (endpoint.readsBody) this.#addStreamingEndpoint(route, endpoint)
        else this.#addEndpoint(this.#app, route, endpoint)
      }
      if (!taken.includes('OPTIONS')) {
        this.#app.options(url, { ...ROUTE, ...HIDDEN }, (request, reply) =>
          this.#send(request, reply, { status: 204, headers: { allow: allowed.join(', ') }, body: '' }),
        )
      }
      const method = refused.filter(name => !taken.includes(name))
      if (method.length === 0) continue
      this.#app.route({
        ...ROUTE,
        ...HIDDEN,
        method,
        url,
        // Before the body is read: whatever it is, the method is what is wrong.
        onRequest: (request, reply) => {
          endWhenLate(reply, this.#api.settings.COMMON.BODY_TIMEOUT)
          this.#refuse(request, reply, new MethodNotAllowed(request.method, allowed))
        },
        handler: () => undefined,
      })
    }
  }

  /** What the application answers by itself at the root of the API, where it may have pages of its own: they stay. */
  #methodsAt(path: string, url: string): readonly string[] {
    if (path !== '/') return []
    const address = this.#app.prefix + url
    // A router that ignores the slash at the end knows the address without it.
    const known = (this.#ignoresEndSlash && withoutEndSlash(address)) || address || '/'
    return [...METHODS, 'OPTIONS' as const].filter(method => this.#app.hasRoute({ method, url: known }))
  }

  /** An endpoint that reads its body itself, and whatever it is: permissions come before that. */
  #addStreamingEndpoint(route: Route, endpoint: Endpoint): void {
    this.#app.register(async app => {
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', (_request, body, done) => done(null, body))
      this.#addEndpoint(app, route, endpoint)
    })
  }

  #addEndpoint(app: FastifyInstance, route: Route, endpoint: Endpoint): void {
    app.route({
      ...route,
      method: endpoint.method,
      handler: async (request, reply) => {
        return this.#send(request, reply, await handle(this.#api, endpoint, this.#read(request, reply)))
      },
    })
  }

  /** What is wrong with a request, whatever its body is. */
  #refusalOf(request: FastifyRequest, payload: unknown): ApiError | undefined {
    if (this.#closing) return new ServiceUnavailable('The server is shutting down. Please try again.')
    if (hasTwoHosts(request.raw.rawHeaders)) return new ValidationError('Send one Host header.')
    if (request.is404) return this.#notFound(request)
    // A plugin that decodes bodies has put a stream of its own in place of the request.
    const encoding = request.headers['content-encoding']
    if (encoding === undefined || encoding.toLowerCase() === 'identity' || payload !== request.raw) return undefined
    // RFC 9110, 15.5.16: what would have been accepted.
    const headers = { 'accept-encoding': 'identity' }
    return new ApiError(415, 'unsupported_media_type', 'Send the body as it is, without content-encoding.', { headers })
  }

  #notFound(request: FastifyRequest): ApiError {
    const [path = ''] = readTarget(request.url).url.split('?', 1)
    const allowed = this.#allowed.at(path)
    if (allowed) return new MethodNotAllowed(request.method, allowed)
    return new NotFound('There is nothing at this address.')
  }

  #refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
    return this.#send(request, reply, errorResponse(this.#api, this.#read(request, reply), error))
  }

  #read(request: FastifyRequest, reply: FastifyReply): FastifyApiRequest {
    return new FastifyApiRequest(request, reply.raw, this.#baseUrl)
  }

  #send(request: FastifyRequest, reply: FastifyReply, { status, headers, body }: ApiResponse): FastifyReply {
    reply.code(status).headers(headers).header('x-request-id', request.id)
    closeWhenStalled(reply, this.#api.settings.COMMON.STALL_TIMEOUT)
    // HTTP/2 has no such header, and says so by itself.
    if (this.#closing && request.raw.httpVersionMajor < 2) reply.header('connection', 'close')
    // A stream that fails half-way destroys the socket, so a client never takes a part for the whole.
    return reply.send(sendableBody(reply, body))
  }

  /** `/cities` and `/cities/` are the same; a server made with `serverOptions` sees to it by itself. */
  #addresses(path: string): readonly string[] {
    const ignored = this.#ignoresEndSlash
    if (path !== '/') return ignored ? [path] : [path, withoutEndSlash(path)]
    // Fastify puts the prefix before it as it is.
    if (this.#app.prefix.endsWith('/')) return ['']
    return ignored || this.#app.prefix === '' ? [path] : [path, '']
  }

  get #ignoresEndSlash(): boolean {
    const { ignoreTrailingSlash, routerOptions } = this.#app.initialConfig
    return routerOptions?.ignoreTrailingSlash ?? ignoreTrailingSlash ?? false
  }
}

function withoutEndSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url
}

/** `authenticate` may ask a plugin of Fastify, or another service, which refuse in their own way. */
function withRefusals(authenticate: Authenticate): Authenticate {
  const asking: Authenticate = async request => {
    try {
      return await authenticate(request)
    } catch (error) {
      throw refusalOfAuthenticate(error) ?? error
    }
  }
  return Object.assign(asking, authenticate)
}
