import type { RequestListener } from 'node:http'
import { createHandler } from 'viewset/node'
import { api } from './api.ts'
import type { App, AppOptions } from './application.ts'
import { readiness } from './ready.ts'

/** Makes the application, for production and for tests. */
export function createApp(options: AppOptions): App {
  const handler = createHandler({ ...api, ...options })
  const listener: RequestListener = async (request, response) => {
    const send = (code: number, body: object) =>
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.url === '/health') send(200, { status: 'ok' })
    else if (request.url === '/ready') {
      const { code, body } = await readiness(options.database)
      send(code, body)
    } else handler(request, response)
  }
  return { listener, handler }
}
