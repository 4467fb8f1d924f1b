import express from 'express'
import { createHandler } from 'viewset/node'
import { api } from './api.ts'
import type { App, AppOptions } from './application.ts'
import { readiness } from './ready.ts'

/** Makes the application, for production and for tests. */
export function createApp(options: AppOptions): App {
  const handler = createHandler({ ...api, ...options })
  const app = express()
  app.disable('x-powered-by')
  app.get('/health', (_request, response) => {
    response.json({ status: 'ok' })
  })
  app.get('/ready', async (_request, response) => {
    const { code, body } = await readiness(options.database)
    response.status(code).json(body)
  })
  app.use(handler)
  // Errors of other middleware below the prefix get an envelope as well.
  app.use(handler.onError)
  return { listener: app, handler }
}
