import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { type ResourcesOptions, resources, serverOptions } from 'viewset/fastify'
import { createHandler as createFetchHandler } from 'viewset/fetch'
import { createHandler } from 'viewset/node'

/** How each framework serves an API; each begins to listen and returns its port. */
export const servers = {
  async Fastify(options: ResourcesOptions): Promise<number> {
    const app = Fastify(serverOptions)
    await app.register(resources, options)
    await app.listen({ host: '127.0.0.1', port: 0 })
    return portOf(app.server)
  },
  'node:http': (options: ResourcesOptions) => listen(createServer(createHandler(options))),
  Express: (options: ResourcesOptions) => listen(createServer(express().use(createHandler(options)))),
  Koa: (options: ResourcesOptions) => {
    const handler = createHandler(options)
    const app = new Koa().use(ctx => {
      ctx.respond = false
      handler(ctx.req, ctx.res)
    })
    return listen(createServer(app.callback()))
  },
  Hono: (options: ResourcesOptions) => {
    const handler = createFetchHandler(options)
    const app = new Hono().all('/api/*', c => handler(c.req.raw))
    return listen(createServer(getRequestListener(app.fetch)))
  },
} as const

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return portOf(server)
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}
