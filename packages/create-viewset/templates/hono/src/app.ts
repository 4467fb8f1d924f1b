import { getRequestListener } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { createHandler } from 'viewset/fetch'
import { api } from './api.ts'
import type { App, AppOptions } from './application.ts'
import { readiness } from './ready.ts'

declare module 'viewset' {
  interface NativeRequests {
    /** The type of `request.native` in views and in `authenticate`. */
    readonly hono: Context
  }
}

/** Makes the application, for production and for tests. */
export function createApp(options: AppOptions): App {
  const handler = createHandler({ ...api, ...options })
  const app = new Hono()
  app.get('/health', context => context.json({ status: 'ok' }))
  app.get('/ready', async context => {
    const { code, body } = await readiness(options.database)
    return context.json(body, code)
  })
  app.all(`${api.prefix}/*`, context => handler.answer(context.req.raw, { native: context }))
  app.onError((error, context) => handler.refuse(error, context.req.raw))
  return { listener: getRequestListener(app.fetch), handler }
}
