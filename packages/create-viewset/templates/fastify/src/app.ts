import Fastify, { type FastifyInstance } from 'fastify'
import { logOptions, type ResourcesOptions, resources, serverOptions } from 'viewset/fastify'
import { api } from './api.ts'
import { readiness } from './ready.ts'

interface AppOptions extends Pick<ResourcesOptions, 'database' | 'authenticate'> {
  /** The level of the log. Default `silent`. */
  readonly logLevel?: string
}

/** Makes the application, for production and for tests. */
export async function createApp({ logLevel = 'silent', ...options }: AppOptions): Promise<FastifyInstance> {
  const app = Fastify({ ...serverOptions, logger: { ...logOptions, level: logLevel } })
  app.get('/health', () => ({ status: 'ok' }))
  app.get('/ready', async (_request, reply) => {
    const { code, body } = await readiness(options.database)
    return reply.code(code).send(body)
  })
  await app.register(resources, { ...api, ...options })
  return app
}
