import { finished, Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { type ApiError, NotFound } from '../core/errors.ts'
import { withVary } from '../core/headers/vary.ts'
import { type HttpApi, nothingAt } from '../http/http-api.ts'
import {
  answerExpectations,
  closeWhenStalled,
  endWhenLate,
  resetWhenBroken,
  unusedConnectionsOf,
} from '../http/node-server.ts'
import { readJson as read } from '../http/read-body.ts'
import { type ApiPath, allowedBy, withoutEndSlash, writesFixedParts } from '../http/router.ts'
import type { ApiResponse } from '../viewset/answer/respond.ts'
import type { Endpoint } from '../viewset/endpoints/endpoint.ts'
import { FastifyApiRequest } from './api-request.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const ROUTE = { prefixTrailingSlash: 'slash' } as const

/** Hides a route from plugins that document routes, such as @fastify/swagger. */
const HIDDEN: { readonly schema: FastifySchema & { readonly hide: true } } = { schema: { hide: true } }

/** The APIs of each server. Fastify refuses a malformed URL before it knows the plugin. */
const FACES = new WeakMap<object, Face[]>()

interface Route {
  readonly url: string
  readonly schema?: FastifySchema
}

export class Face {
  readonly #app: FastifyInstance
  readonly #api: HttpApi

  constructor(app: FastifyInstance, api: HttpApi) {
    this.#app = app
    this.#api = api
    const faces = FACES.get(app.server) ?? []
    FACES.set(app.server, [...faces, this])
    app.setErrorHandler((error, request, reply) => this.#refuse(request, reply, withLimit(error, request)))
    app.setNotFoundHandler((request, reply) => {
      const asked = this.#read(request, reply)
      return this.#send(request, reply, api.refuse(api.refusalAt(asked), asked))
    })
    const closeUnused = unusedConnectionsOf(app.server)
    app.addHook('preClose', done => {
      api.close()
      closeUnused()
      done()
    })
    app.addHook('preParsing', (request, reply, payload, done) => {
      this.#endWhenLate(request, reply)
      // A plugin that decodes bodies replaces the request's stream.
      const encoding = payload === request.raw ? request.headers['content-encoding'] : undefined
      const { rawHeaders } = request.raw
      const refused = api.refusalOf(request.url, rawHeaders, encoding) ?? this.#refusalAt(request, reply)
      if (refused) this.#refuse(request, reply, refused)
      else done(null, payload)
    })
    // Only JSON: Fastify's parser for plain text would accept the wrong media type.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readJson)
    answerExpectations(app.server)
    for (const path of api.paths) this.#addPath(path)
  }

  /** Answers an error before routing as the API at the request's address does; `undefined` outside of all APIs. */
  static refuse(request: FastifyRequest, reply: FastifyReply, error: ApiError): FastifyReply | undefined {
    const { url, headers, raw, server } = request
    const [face] = (FACES.get(server.server) ?? [])
      .filter(face => face.#api.owns(face.#read(request, reply)))
      .toSorted((a, b) => comparePrefixes(b.#api.prefix, a.#api.prefix))
    if (!face) return undefined
    const refused = face.#api.refusalOf(url, raw.rawHeaders, headers['content-encoding']) ?? error
    return face.#refuse(request, reply, refused)
  }

  #addPath({ path, endpoints }: ApiPath): void {
    const addresses = this.#addresses(path)
    const applicationMethods = addresses.flatMap(url => this.#methodsAt(path, url))
    const offered: readonly string[] = endpoints.map(({ method }) => method)
    const allowed = allowedBy([...offered, ...applicationMethods])
    const refused = METHODS.filter(method => !offered.includes(method))
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
          reply
            .code(204)
            .headers({ allow: allowed.join(', '), 'x-request-id': request.id })
            .send(),
        )
      }
      const method = refused.filter(name => !taken.includes(name))
      if (method.length === 0) continue
      this.#app.route({
        ...ROUTE,
        ...HIDDEN,
        method,
        url,
        // Before the body is read: only the method counts.
        onRequest: (request, reply) => {
          this.#endWhenLate(request, reply)
          const refused = this.#refusalAt(request, reply)
          this.#refuse(request, reply, refused ?? this.#api.notAllowed(this.#read(request, reply), path, allowed))
        },
        handler: () => undefined,
      })
    }
  }

  /** The methods that the application itself answers at the API's root, where it may have pages. */
  #methodsAt(path: string, url: string): readonly string[] {
    if (path !== '/') return []
    const address = this.#app.prefix + url
    // A router that ignores the slash at the end knows the path without it.
    const known = (this.#ignoresEndSlash && withoutEndSlash(address)) || address || '/'
    return [...METHODS, 'OPTIONS' as const].filter(method => this.#app.hasRoute({ method, url: known }))
  }

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
      // Fastify would wait for a returned reply with listeners on its response.
      handler: (request, reply) => {
        this.#api
          .answerAt(endpoint, this.#read(request, reply))
          .then(answer => this.#send(request, reply, answer))
          .catch(error => reply.send(error))
      },
    })
  }

  #refusalAt(request: FastifyRequest, reply: FastifyReply): ApiError | undefined {
    if (request.is404) return this.#api.refusalAt(this.#read(request, reply))
    if (!request.url.includes('%')) return undefined
    const { url = '' } = request.routeOptions
    return writesFixedParts(url, this.#read(request, reply).url) ? undefined : new NotFound(nothingAt())
  }

  #refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
    return this.#send(request, reply, this.#api.refuse(error, this.#read(request, reply), reply.getHeaders()))
  }

  #read(request: FastifyRequest, reply: FastifyReply): FastifyApiRequest {
    return new FastifyApiRequest(this.#api, request, reply)
  }

  #send(request: FastifyRequest, reply: FastifyReply, { status, headers, body }: ApiResponse): FastifyReply {
    const { settings } = this.#api
    // A failing stream destroys the socket, so that a client cannot take a part for the whole.
    reply
      .code(status)
      .headers(withVary(headers, reply.getHeader('vary')))
      .send(sendableBody(reply, body))
    closeWhenStalled(request.raw, reply.raw, settings.COMMON.STALL_TIMEOUT, this.#app.server.timeout)
    return reply
  }

  #endWhenLate(request: FastifyRequest, reply: FastifyReply): void {
    endWhenLate(request.raw, this.#api.settings.COMMON.BODY_TIMEOUT, {
      isAnswered: () => reply.sent,
      isStreaming: () => request.body instanceof Readable,
    })
  }

  /** `/cities` and `/cities/`. A server made with `serverOptions` ignores the slash by itself. */
  #addresses(path: string): readonly string[] {
    const ignored = this.#ignoresEndSlash
    if (path !== '/') return ignored ? [path] : [path, withoutEndSlash(path)]
    // Fastify puts the prefix before it unchanged.
    if (this.#app.prefix.endsWith('/')) return ['']
    return ignored || this.#app.prefix === '' ? [path] : [path, '']
  }

  get #ignoresEndSlash(): boolean {
    const { ignoreTrailingSlash, routerOptions } = this.#app.initialConfig
    return routerOptions?.ignoreTrailingSlash ?? ignoreTrailingSlash ?? false
  }
}

/** Like the router: a longer prefix precedes a shorter one, and a fixed part precedes a parameter. */
function comparePrefixes(a: string, b: string): number {
  const [ofA, ofB] = [a.split('/'), b.split('/')]
  const fixed = (parts: readonly string[]) => parts.filter(part => !part.includes(':')).length
  return ofA.length - ofB.length || fixed(ofA) - fixed(ofB)
}

/** Fastify's error does not contain the body limit. */
function withLimit(error: unknown, { routeOptions }: FastifyRequest): unknown {
  const isTooLarge = error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
  return isTooLarge ? Object.assign(error, { limit: routeOptions.bodyLimit }) : error
}

function readJson(
  { headers }: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  try {
    done(null, read(headers['content-type'] ?? '', body))
  } catch (error) {
    done(error as Error)
  }
}

/**
 * Destroys a body when its response ends. A hook of the application may replace it, and an unread stream would hold a
 * database connection.
 */
function sendableBody({ raw, request }: FastifyReply, body: ApiResponse['body']): ApiResponse['body'] | undefined {
  // Fastify gives an empty text a content type.
  if (body === '') return undefined
  if (!(body instanceof Readable)) return body
  // Before it is sent, errors have no listener. The reader gets them.
  body.on('error', () => {})
  if (request.method === 'HEAD') {
    body.destroy()
    // Fastify would read the whole stream for HEAD, and add a length for text.
    return Readable.from([])
  }
  resetWhenBroken(request.raw, body)
  finished(raw, () => body.destroy())
  return body
}
