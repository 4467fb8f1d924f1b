import type { RequestListener } from 'node:http'
import { createHandler } from 'viewset/node'
import { api } from './api.ts'
import type { App, AppOptions } from './application.ts'

/** The application: the same in production and in tests. */
export function createApp(options: AppOptions): App {
  const handler = createHandler({ ...api, ...options })
  const listener: RequestListener = (request, response) => {
    if (request.url === '/health') response.setHeader('content-type', 'application/json').end('{"status":"ok"}')
    else handler(request, response)
  }
  return { listener, handler }
}
