import type { FastifyInstance, FastifyRequest } from 'fastify'
import { registrations } from '../describe/registrations.ts'
import type { ApiOptions } from '../http/api-options.ts'
import { createApi } from '../http/create-api.ts'
import { logProblem, ofFastify } from './api-request.ts'
import { Face } from './face.ts'

declare module '../core/request.ts' {
  // Declared here so that importing the plugin's types includes it.
  interface NativeRequests {
    readonly fastify: FastifyRequest
  }
}

/** Options of the plugin. Fastify itself has `prefix` and the body limit. */
export type ResourcesOptions = Omit<ApiOptions, 'bodyLimit'>

/**
 * The Fastify plugin: registers the endpoints of resources, with envelopes for all responses under the prefix.
 *
 * @throws ConfigError at start for a wrong option or resource.
 * @example
 * const app = Fastify(serverOptions)
 * await app.register(resources, { prefix: '/api', database, resources: { countries: CountryViewSet } })
 */
export async function resources(app: FastifyInstance, options: ResourcesOptions): Promise<void> {
  // Fastify adds this option to those of plugins.
  const { logLevel, ...apiOptions } = options as ResourcesOptions & { readonly logLevel?: string }
  const api = createApi({ ...apiOptions, prefix: app.prefix })
  new Face(app, api)
  registrations.publish({ server: app.server, prefix: app.prefix, document: () => api.document() })
  app.addHook('onReady', () => api.start(ofFastify(app.log)))
  // Later than registration: an application may run its migrations in between.
  app.addHook('onListen', async () => {
    for (const warning of await api.warnings()) logProblem(app.log, warning)
  })
}
