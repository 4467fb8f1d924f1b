import type { FastifyInstance, FastifyRequest } from 'fastify'
import { registrations } from '../describe/registrations.ts'
import type { ApiOptions } from '../http/api-options.ts'
import { createApi } from '../http/create-api.ts'
import { missingTable } from '../store/faults.ts'
import { logProblem, ofFastify } from './api-request.ts'
import { Face } from './face.ts'

declare module '../core/request.ts' {
  // It stands here because whoever imports the plugin's types gets this one along.
  interface NativeRequests {
    readonly fastify: FastifyRequest
  }
}

/** Options of the plugin; `prefix` is Fastify's own, and so is the limit of bodies, which the server has. */
export type ResourcesOptions = Omit<ApiOptions, 'bodyLimit'>

/**
 * The Fastify plugin: registers the endpoints of resources, with envelopes for everything under the prefix.
 *
 * @throws ConfigError at start, naming the option or the resource that is wrong.
 * @example
 * const app = Fastify(serverOptions)
 * await app.register(resources, { prefix: '/api', database, resources: { countries: CountryViewSet } })
 */
export async function resources(app: FastifyInstance, options: ResourcesOptions): Promise<void> {
  // Fastify adds this one to the options of plugins.
  const { logLevel, ...own } = options as ResourcesOptions & { readonly logLevel?: string }
  const api = createApi({ ...own, prefix: app.prefix })
  new Face(app, api)
  registrations.publish({ server: app.server, prefix: app.prefix, document: () => api.document() })
  app.addHook('onReady', () => api.start(ofFastify(app.log)))
  // Not before: an application may run its migrations between this and its start.
  app.addHook('onListen', async () => {
    for (const name of await api.missingTables()) logProblem(app.log, missingTable(name))
  })
}
