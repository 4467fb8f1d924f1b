import Fastify, { type FastifyInstance } from 'fastify'
import { logOptions, resources as resourcesPlugin, serverOptions } from 'viewset/fastify'
import { atlasApi } from './api.ts'
import type { AtlasDatabase } from './database.ts'
import { isLoaded, loadData, type OnProgress } from './load.ts'
import { models } from './models.ts'
import { databaseError } from './start-error.ts'
import { authenticateBy, createUsers, type Tokens } from './users.ts'

export interface AtlasOptions {
  readonly tokens: Tokens
  /** Told while the data is loaded, which happens at the first start only. */
  readonly onProgress?: OnProgress
}

/** The atlas as a Fastify application that is ready to listen: tables, users and data are there. */
export async function createAtlas(atlas: AtlasDatabase, options: AtlasOptions): Promise<FastifyInstance> {
  const { database } = atlas
  const tables = models(atlas.kit)
  await atlas.migrate().catch(error => {
    throw databaseError(error, atlas.description)
  })
  await createUsers(database, tables)
  if (!(await isLoaded(database, tables))) await loadData(database, tables, options.onProgress ?? (() => {}))

  const app = Fastify({ ...serverOptions, logger: { ...logOptions, level: 'warn' } })
  app.addHook('onClose', () => database.close())
  await app.register(resourcesPlugin, {
    ...atlasApi(tables),
    database,
    authenticate: authenticateBy(options.tokens),
  })
  return app
}
