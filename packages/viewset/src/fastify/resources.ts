import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  ApiError,
  ConfigError,
  MethodNotAllowed,
  NotFound,
  ServiceUnavailable,
  ValidationError,
} from '../core/errors.ts'
import { refuseUnknown } from '../core/refuse-unknown.ts'
import { resolveSettings, type SettingsInput } from '../core/settings.ts'
import { Database } from '../store/database.ts'
import { asResourceClass } from '../viewset/compose.ts'
import { type Endpoint, endpointsOf } from '../viewset/endpoints.ts'
import type { ViewContext } from '../viewset/generic-viewset.ts'
import { type Api, type ApiResponse, type Authenticate, errorResponse, handle, refusal } from '../viewset/handle.ts'
import { AllowedMethods } from './allowed-methods.ts'
import { FastifyApiRequest } from './api-request.ts'
import { readJson } from './read-json.ts'

/** Options of the plugin; `prefix` is Fastify's own. */
export interface ResourcesOptions {
  readonly prefix?: string
  readonly database: Database
  /** The resources by the name in their path: `{ countries: CountryViewSet }` answers at `/countries/`. */
  readonly resources: Readonly<Record<string, new (context: ViewContext) => object>>
  /** Who makes a request; without it, nobody does. */
  readonly authenticate?: Authenticate
  readonly settings?: SettingsInput
  /** What links start with (`https://api.example.org`), where it is not the address that clients ask. */
  readonly baseUrl?: string
}

const OPTIONS = ['prefix', 'logLevel', 'database', 'resources', 'authenticate', 'settings', 'baseUrl']
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/**
 * The Fastify plugin: registers the endpoints of resources, with envelopes for everything under the prefix.
 *
 * @throws ConfigError at start, naming the option or the resource that is wrong.
 * @example
 * const app = Fastify(serverOptions)
 * await app.register(resources, { prefix: '/api', database, resources: { countries: CountryViewSet } })
 */
export async function resources(app: FastifyInstance, options: ResourcesOptions): Promise<void> {
  checkOptions(options)
  const face = new Face(app, options)
  for (const [name, resource] of Object.entries(options.resources)) {
    const endpoints = endpointsOf(name, asResourceClass(name, resource, options.database))
    for (const path of new Set(endpoints.map(endpoint => endpoint.path))) {
      face.addPath(
        path,
        endpoints.filter(endpoint => endpoint.path === path),
      )
    }
  }
}

/** One registration of the plugin. */
class Face {
  readonly #app: FastifyInstance
  readonly #api: Api
  readonly #baseUrl: string | undefined
  readonly #allowed = new AllowedMethods()
  #closing = false

  constructor(app: FastifyInstance, options: ResourcesOptions) {
    this.#app = app
    this.#baseUrl = options.baseUrl === undefined ? undefined : withoutEndSlash(options.baseUrl)
    this.#api = {
      database: options.database,
      authenticate: options.authenticate ?? (() => null),
      settings: resolveSettings(options.settings),
      logError: (error, details) => app.log.error({ err: error, ...details }, 'request failed'),
    }
    app.setErrorHandler((error, request, reply) => this.#refuse(request, reply, translate(error)))
    app.setNotFoundHandler((request, reply) => this.#send(request, reply, refusal(this.#notFound(request))))
    app.addHook('preClose', done => {
      this.#closing = true
      done()
    })
    // Before the body is read: whatever it is, it would not be looked at.
    app.addHook('preParsing', (request, reply, payload, done) => {
      const error = this.#refusalOf(request, payload)
      if (error) this.#send(request, reply, refusal(error))
      else done(null, payload)
    })
    // Only JSON: what Fastify would read as plain text is the wrong media type here.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readJson)
  }

  addPath(path: string, endpoints: readonly Endpoint[]): void {
    const offered: string[] = endpoints.map(endpoint => endpoint.method)
    const allowed = [...offered, ...(offered.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
    const refused = METHODS.filter(method => !offered.includes(method))
    this.#allowed.add(this.#app.prefix + path, allowed)
    for (const url of this.#addresses(path)) {
      for (const endpoint of endpoints) {
        if (endpoint.streams) this.#addStreamingEndpoint(url, endpoint)
        else this.#addEndpoint(this.#app, url, endpoint)
      }
      this.#app.options(url, (request, reply) =>
        this.#send(request, reply, { status: 204, headers: { allow: allowed.join(', ') }, body: '' }),
      )
      if (refused.length === 0) continue
      this.#app.route({
        method: [...refused],
        url,
        // Before the body is read: whatever it is, the method is what is wrong.
        onRequest: (request, reply) => {
          this.#refuse(request, reply, new MethodNotAllowed(request.method, allowed))
        },
        handler: () => undefined,
      })
    }
  }

  /** An endpoint that reads its body itself, and whatever it is: permissions come before that. */
  #addStreamingEndpoint(url: string, endpoint: Endpoint): void {
    this.#app.register(async app => {
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', (_request, body, done) => done(null, body))
      this.#addEndpoint(app, url, endpoint)
    })
  }

  #addEndpoint(app: FastifyInstance, url: string, endpoint: Endpoint): void {
    app.route({
      method: endpoint.method,
      url,
      handler: async (request, reply) => {
        const response = await handle(this.#api, endpoint, new FastifyApiRequest(request, reply.raw, this.#baseUrl))
        return this.#send(request, reply, response)
      },
    })
  }

  /** What is wrong with a request, whatever its body is. */
  #refusalOf(request: FastifyRequest, payload: unknown): ApiError | undefined {
    if (this.#closing) return new ServiceUnavailable('The server is shutting down. Please try again.')
    if (request.is404) return this.#notFound(request)
    // A plugin that decodes bodies has put a stream of its own in place of the request.
    const encoding = request.headers['content-encoding']
    if (encoding === undefined || encoding.toLowerCase() === 'identity' || payload !== request.raw) return undefined
    // RFC 9110, 15.5.16: what would have been accepted.
    const headers = { 'accept-encoding': 'identity' }
    return new ApiError(415, 'unsupported_media_type', 'Send the body as it is, without content-encoding.', { headers })
  }

  #notFound(request: FastifyRequest): ApiError {
    const [path = ''] = request.url.split('?', 1)
    const allowed = this.#allowed.at(path)
    if (allowed) return new MethodNotAllowed(request.method, allowed)
    return new NotFound('There is nothing at this address.')
  }

  #refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
    return this.#send(request, reply, errorResponse(this.#api, request.id, error))
  }

  #send(request: FastifyRequest, reply: FastifyReply, { status, headers, body }: ApiResponse): FastifyReply {
    reply.code(status).headers(headers).header('x-request-id', request.id)
    // HTTP/2 has no such header, and says so by itself.
    if (this.#closing && request.raw.httpVersionMajor < 2) reply.header('connection', 'close')
    // A stream that fails half-way destroys the socket, so a client never takes a part for the whole.
    const isReady = typeof body === 'string' || body instanceof Readable
    return reply.send(isReady ? body : Readable.from(body, { objectMode: false }))
  }

  /** `/cities` and `/cities/` are the same; a server made with `serverOptions` sees to it by itself. */
  #addresses(path: string): readonly string[] {
    const { ignoreTrailingSlash, routerOptions } = this.#app.initialConfig
    const ignored = routerOptions?.ignoreTrailingSlash ?? ignoreTrailingSlash ?? false
    return ignored ? [path] : [path, withoutEndSlash(path)]
  }
}

function withoutEndSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url
}

/** What Fastify itself refuses, in the API's own words. */
function translate(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ApiError) return error
  const { statusCode } = error as Error & { statusCode?: number }
  switch (statusCode) {
    case 400:
      return new ValidationError('The body is not valid JSON.')
    case 413:
      return new ApiError(413, 'payload_too_large', 'The body is too large.')
    case 415:
      return new ApiError(415, 'unsupported_media_type', 'Send the body as application/json.')
    default:
      return error
  }
}

function checkOptions(options: ResourcesOptions): void {
  refuseUnknown('resources', 'option', Object.keys(options), OPTIONS)
  if (!(options.database instanceof Database)) {
    throw new ConfigError('resources', 'database', 'is required; make it with postgres(url) or sqlite(path)')
  }
  if (options.baseUrl !== undefined && !/^https?:\/\/[^/?#]+(\/[^?#]*)?$/i.test(options.baseUrl)) {
    throw new ConfigError('resources', 'baseUrl', 'must be an address such as "https://api.example.org"')
  }
  if (options.authenticate !== undefined && typeof options.authenticate !== 'function') {
    throw new ConfigError('resources', 'authenticate', 'must be a function of the request that returns a user or null')
  }
  if (typeof options.resources !== 'object' || options.resources === null || Array.isArray(options.resources)) {
    throw new ConfigError(
      'resources',
      'resources',
      'is required; give the viewsets by name, as in { countries: CountryViewSet }',
    )
  }
}
