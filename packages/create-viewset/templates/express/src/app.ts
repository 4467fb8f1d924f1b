import express from 'express'
import { createHandler } from 'viewset/node'
import { api } from './api.ts'
import type { App, AppOptions } from './application.ts'

/** The application: the same in production and in tests. */
export function createApp(options: AppOptions): App {
  const handler = createHandler({ ...api, ...options })
  const app = express()
  app.disable('x-powered-by')
  app.get('/health', (_request, response) => {
    response.json({ status: 'ok' })
  })
  app.use(handler)
  // What other middleware has thrown under the API's prefix gets its envelope, too.
  app.use(handler.onError)
  return { listener: app, handler }
}
