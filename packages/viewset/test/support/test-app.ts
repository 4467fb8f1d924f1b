import type { Server } from 'node:http'
import Fastify, { type FastifyHttpOptions, type FastifyInstance } from 'fastify'
import injectNode from 'light-my-request'
import { type ResourcesOptions, resources, serverOptions } from 'viewset/fastify'
import { createHandler as createFetchHandler } from 'viewset/fetch'
import type { Handler } from 'viewset/http'
import { createHandler as createNodeHandler } from 'viewset/node'
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
}

/** The API at `/api`, over one of the faces. */
export async function appOf(
  face: TestFace,
  options: ResourcesOptions,
  server: FastifyHttpOptions<Server> = {},
): Promise<FaceApp> {
  const { bodyLimit, trustProxy } = server
  // Errors are what many tests are about: without a logger, all of them would be on stderr.
  const fastify: FastifyInstance = Fastify({ ...serverOptions, logger: { level: 'silent' }, ...server })
  const atPrefix = { prefix: '/api', ...options }
  const ofHandler = { ...atPrefix, logger: fastify.log, ...(bodyLimit !== undefined && { bodyLimit }) }
  switch (face) {
    case 'fastify': {
      await fastify.register(resources, atPrefix)
      return { fastify, inject: request => fastify.inject(request), close: () => fastify.close() }
    }
    case 'node': {
      const handler = createNodeHandler({ ...ofHandler, ...(typeof trustProxy === 'string' && { trustProxy }) })
      return handlerApp(handler, request => injectNode((req, res) => handler(req, res), request))
    }
    case 'fetch': {
      const handler = createFetchHandler({ ...ofHandler, trustProxy: true })
      return handlerApp(handler, request => injectFetch(handler, request))
    }
  }
}

async function handlerApp(handler: Handler, inject: TestApp['inject']): Promise<FaceApp> {
  // Else the first request would be counted with the statement that looks for missing tables.
  await handler.ready()
  return { fastify: undefined, inject, close: () => handler.close() }
}

/** Asks a handler of the Fetch standard, and waits for all of its answer. */
async function injectFetch(
  handler: (request: Request) => Promise<Response>,
  { method, url, headers, payload }: InjectedRequest,
): Promise<InjectedResponse> {
  const { host = HOST } = headers
  const response = await handler(
    new Request(`http://${host}${url}`, {
      method,
      // The address of a `Request` has no port that is the usual one, and what is tested here is the answer.
      headers: { 'x-forwarded-host': host, ...headers },
      ...(payload && { body: Uint8Array.from(payload) }),
    }),
  )
  // What every server adds.
  const all = { connection: 'keep-alive', date: new Date().toUTCString(), ...Object.fromEntries(response.headers) }
  const cookies = response.headers.getSetCookie()
  return {
    statusCode: response.status,
    headers: cookies.length > 0 ? { ...all, 'set-cookie': cookies } : all,
    rawPayload: Buffer.from(await response.arrayBuffer()),
  }
}
