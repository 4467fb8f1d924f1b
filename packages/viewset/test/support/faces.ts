import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import express, { type Express } from 'express'
import Fastify, { type FastifyServerOptions } from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { resources } from 'viewset/fastify'
import type { FetchHandler } from 'viewset/fetch'
import type { Handler } from 'viewset/http'
import { createHandler as createNodeHandler, type NodeHandler, prepareServer, serverOptions } from 'viewset/node'
import type { Face, FaceOptions, FaceServer } from 'viewset-faces'
import { FaceContext } from '../../../viewset-faces/src/face-context.ts'
import type { StartedFace } from '../../../viewset-faces/src/started-face.ts'

/** Fastify, which has a logger of its own. */
export function fastifyFace(name: string, server: FastifyServerOptions): Face {
  return {
    name,
    answersMalformed: true,
    async start({ logger, ...options }) {
      const write = (line: string) => {
        const { msg, ...details } = JSON.parse(line) as { readonly msg: string }
        logger.error(details, msg)
      }
      const app = Fastify({ ...server, logger: { level: 'error', stream: { write } } })
      await app.register(resources, options)
      return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() }
    },
  }
}

/** A server of `node:http` with its listener. */
export async function serveNode(listener: RequestListener, handler: Handler): Promise<FaceServer> {
  return serving(prepareServer(createServer(serverOptions, listener)).listen(0, '127.0.0.1'), handler)
}

/** Waits until a server listens; stops the API before it. */
async function serving(server: Server, handler: Handler): Promise<FaceServer> {
  if (!server.listening) await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      await handler.close()
      server.close()
      await once(server, 'close')
    },
  }
}

export const onNode: Face = {
  name: 'node:http',
  answersMalformed: true,
  start(options) {
    const handler = createNodeHandler(options)
    return serveNode(handler, handler)
  },
}

/** An application of Express, which `use` puts the API into. */
export function expressFace(name: string, use: (app: Express, options: FaceOptions) => NodeHandler): Face {
  return {
    name,
    answersMalformed: true,
    start(options) {
      const app = express()
      const handler = use(app, options)
      return serveNode(app, handler)
    },
  }
}

/** As docs/adapters.md has it, for all addresses. */
export const onKoa: Face = {
  name: 'Koa',
  answersMalformed: true,
  start(options) {
    const handler = createNodeHandler(options)
    const app = new Koa()
    app.use(ctx => {
      ctx.respond = false
      handler(ctx.req, ctx.res)
    })
    return serveNode(app.callback(), handler)
  },
}

/** An application of Hono, which `use` puts the API into. */
export function honoFace(name: string, use: (app: Hono, options: FaceOptions) => FetchHandler): Face {
  return {
    name,
    answersMalformed: true,
    start(options) {
      const app = new Hono()
      const handler = use(app, options)
      const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', serverOptions })
      return serving(prepareServer(server as Server), handler)
    },
  }
}

/** Has `check` ask the sample API over a face. */
export async function askOver(
  face: Face,
  check: (api: StartedFace, context: FaceContext) => Promise<void>,
): Promise<void> {
  const context = new FaceContext(face)
  try {
    await context.with({}, api => check(api, context))
  } finally {
    await context.close()
  }
}
