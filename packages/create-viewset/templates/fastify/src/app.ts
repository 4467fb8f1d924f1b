import Fastify, { type FastifyInstance } from 'fastify'
import { logOptions, type ResourcesOptions, resources, serverOptions } from 'viewset/fastify'
import { api } from './api.ts'

interface AppOptions extends Pick<ResourcesOptions, 'database' | 'authenticate'> {
  /** What is logged. Default `silent`. */
  readonly logLevel?: string
}

/** The application, ready to listen: the same in production and in tests. */
export async function createApp({ logLevel = 'silent', ...options }: AppOptions): Promise<FastifyInstance> {
  const app = Fastify({ ...serverOptions, logger: { ...logOptions, level: logLevel } })
  app.get('/health', () => ({ status: 'ok' }))
  await app.register(resources, { ...api, ...options })
  return app
}
