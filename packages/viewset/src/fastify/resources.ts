import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ConfigError } from '../core/errors.ts'
import { refuseUnknown } from '../core/refuse-unknown.ts'
import { type ApiSettingsInput, resolveSettings } from '../core/settings.ts'
import { type DescribingOptions, describedApi } from '../describe/described-api.ts'
import { registrations } from '../describe/registrations.ts'
import { sweepTemporaryFolders } from '../importing/read/left-folders.ts'
import { Database } from '../store/database.ts'
import { findMissingTables, missingTable } from '../store/missing-tables.ts'
import { asResourceClass, checkResource } from '../viewset/as-resource-class.ts'
import { endpointsOf } from '../viewset/endpoints/endpoints.ts'
import type { Authenticate } from '../viewset/handle.ts'
import type { ViewContext } from '../viewset/view-context.ts'
import { Face } from './face.ts'
import { logProblem } from './log.ts'

declare module '../core/request.ts' {
  // It stands here because whoever imports the plugin's types gets this one along.
  interface NativeRequests {
    readonly fastify: FastifyRequest
  }
}

/** Options of the plugin; `prefix` is Fastify's own. */
export interface ResourcesOptions extends DescribingOptions {
  readonly prefix?: string
  readonly database: Database
  /** The resources by the name in their path: `{ countries: CountryViewSet }` answers at `/countries/`. */
  readonly resources: Readonly<Record<string, new (context: ViewContext) => object>>
  /** Who makes a request; without it, nobody does. */
  readonly authenticate?: Authenticate
  readonly settings?: ApiSettingsInput
  /** What links start with (`https://api.example.org`), where it is not the address that clients ask. */
  readonly baseUrl?: string
}

const OPTIONS = [
  'prefix',
  'logLevel',
  'database',
  'resources',
  'authenticate',
  'settings',
  'baseUrl',
  'openapi',
  'schema',
  'docs',
]

/**
 * The Fastify plugin: registers the endpoints of resources, with envelopes for everything under the prefix.
 *
 * @throws ConfigError at start, naming the option or the resource that is wrong.
 * @example
 * const app = Fastify(serverOptions)
 * await app.register(resources, { prefix: '/api', database, resources: { countries: CountryViewSet } })
 */
export async function resources(app: FastifyInstance, options: ResourcesOptions): Promise<void> {
  checkOptions(options)
  const settings = resolveSettings(options.settings)
  const face = new Face(app, {
    database: options.database,
    authenticate: options.authenticate ?? (() => null),
    settings,
    baseUrl: options.baseUrl,
  })
  const registered = Object.entries(options.resources).map(([name, value]) => {
    const resource = asResourceClass(name, value)
    checkResource(name, resource, options.database, settings)
    return { name, resource, endpoints: endpointsOf(name, resource) }
  })
  for (const { endpoints } of registered) {
    for (const path of new Set(endpoints.map(endpoint => endpoint.path))) {
      face.addPath(
        path,
        endpoints.filter(endpoint => endpoint.path === path),
      )
    }
  }
  // People's files, which a process that was killed has left behind.
  if (registered.some(({ endpoints }) => endpoints.some(({ readsBody }) => readsBody))) await sweepTemporaryFolders()
  const api = describedApi(registered, options)
  for (const endpoint of api.endpoints) face.addPath(endpoint.path, [endpoint])
  registrations.publish({ server: app.server, prefix: app.prefix, document: api.document })
  const tables = registered.map(({ resource }) => resource.definition.model)
  // Not before: an application may run its migrations between this and its start.
  app.addHook('onListen', async () => {
    // A database that is away says so to each request.
    const missing = await findMissingTables(options.database, [...new Set(tables)]).catch(() => [])
    for (const name of missing) logProblem(app.log, missingTable(name))
  })
}

function checkOptions(options: ResourcesOptions): void {
  refuseUnknown('resources', 'option', Object.keys(options), OPTIONS)
  if (!(options.database instanceof Database)) {
    throw new ConfigError('resources', 'database', 'is required; make it with postgres(url) or sqlite(path)')
  }
  if (options.baseUrl !== undefined && !/^https?:\/\/[^/?#]+(\/[^?#]*)?$/i.test(options.baseUrl)) {
    throw new ConfigError('resources', 'baseUrl', 'must be an address such as "https://api.example.org"')
  }
  if (options.authenticate !== undefined && typeof options.authenticate !== 'function') {
    throw new ConfigError('resources', 'authenticate', 'must be a function of the request that returns a user or null')
  }
  if (typeof options.resources !== 'object' || options.resources === null || Array.isArray(options.resources)) {
    throw new ConfigError(
      'resources',
      'resources',
      'is required; give the viewsets by name, as in { countries: CountryViewSet }',
    )
  }
}
