import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { createAdaptorServer } from '@hono/node-server'
import Fastify, { type FastifyHttpOptions, type FastifyInstance } from 'fastify'
import injectNode from 'light-my-request'
import { type ResourcesOptions, resources, serverOptions } from 'viewset/fastify'
import { createHandler as createFetchHandler } from 'viewset/fetch'
import type { Handler } from 'viewset/http'
import { createHandler as createNodeHandler, serverOptions as nodeOptions, prepareServer } from 'viewset/node'
import type { InjectedRequest, InjectedResponse, TestApp } from 'viewset/testing'

/** The faces that the contract suite runs over: Fastify's in `npm test`, the others in `npm run test:long`. */
export type TestFace = 'fastify' | 'fetch' | 'node'

declare module 'vitest' {
  interface ProvidedContext {
    face: TestFace
  }
}

/** Where an injected request is sent to. */
const HOST = 'localhost:80'

/** An API in an application of its own, to be asked without a network. */
export interface FaceApp extends TestApp {
  /** Of Fastify only. */
  readonly fastify: FastifyInstance | undefined
  readonly server: Server
  /** The port on 127.0.0.1 at which it listens from now on. */
  listen(): Promise<number>
}

/** The API at `/api`, over one of the faces. */
export async function appOf(
  face: TestFace,
  options: ResourcesOptions,
  server: FastifyHttpOptions<Server> = {},
): Promise<FaceApp> {
  const { bodyLimit, trustProxy, requestTimeout = nodeOptions.requestTimeout, http } = server
  const ofServer = { ...nodeOptions, requestTimeout, ...http }
  // Many tests are about errors: without a logger, all of them would be on stderr. A loaded machine may take longer to
  // register hundreds of resources than Fastify waits by default.
  const fastify: FastifyInstance = Fastify({
    ...serverOptions,
    logger: { level: 'silent' },
    pluginTimeout: 0,
    ...server,
  })
  const atPrefix = { prefix: '/api', ...options }
  const ofHandler = { ...atPrefix, logger: fastify.log, ...(bodyLimit !== undefined && { bodyLimit }) }
  switch (face) {
    case 'fastify': {
      await fastify.register(resources, atPrefix)
      return {
        fastify,
        server: fastify.server,
        listen: async () => {
          if (!fastify.server.listening) await fastify.listen({ port: 0, host: '127.0.0.1' })
          return portOf(fastify.server)
        },
        inject: request => fastify.inject(request),
        close: () => fastify.close(),
      }
    }
    case 'node': {
      const handler = createNodeHandler({ ...ofHandler, ...(typeof trustProxy === 'string' && { trustProxy }) })
      const server = prepareServer(createServer(ofServer, handler))
      return handlerApp(handler, server, request => injectNode((req, res) => handler(req, res), request))
    }
    case 'fetch': {
      const handler = createFetchHandler(ofHandler)
      const server = createAdaptorServer({ fetch: handler, createServer, serverOptions: ofServer }) as Server
      return handlerApp(handler, prepareServer(server), request => injectFetch(handler, request))
    }
  }
}

async function handlerApp(handler: Handler, server: Server, inject: TestApp['inject']): Promise<FaceApp> {
  // Else the first request would be counted with the statement that looks for missing tables.
  await handler.ready()
  return {
    fastify: undefined,
    server,
    inject,
    listen: async () => {
      if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
      return portOf(server)
    },
    close: async () => {
      // New requests over open connections are refused while the server closes.
      const answered = handler.close()
      if (server.listening) await new Promise(resolve => server.close(resolve))
      await answered
    },
  }
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

/** Asks a handler of the Fetch standard, and waits for all of its answer. */
async function injectFetch(
  handler: (request: Request) => Promise<Response>,
  { method, url, headers, payload }: InjectedRequest,
): Promise<InjectedResponse> {
  const { host = HOST } = headers
  // Such a request has none, whatever its client sends.
  const body = method === 'GET' || method === 'HEAD' ? undefined : payload
  const asked = new Request(`http://localhost${url}`, {
    method,
    headers,
    ...(body && { body: Uint8Array.from(body) }),
  })
  // As a server has read it, with a port that is the usual one, and with whatever a client has written there.
  Object.defineProperty(asked, 'url', { value: `http://${host}${url}` })
  // Over a network, each request comes with a turn of the event loop, and others have theirs between two of them.
  await setImmediate()
  const response = await handler(asked)
  // What every server adds.
  const all = { connection: 'keep-alive', date: new Date().toUTCString(), ...Object.fromEntries(response.headers) }
  const cookies = response.headers.getSetCookie()
  return {
    statusCode: response.status,
    headers: cookies.length > 0 ? { ...all, 'set-cookie': cookies } : all,
    rawPayload: Buffer.from(await response.arrayBuffer()),
  }
}
