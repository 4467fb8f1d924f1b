import Fastify, { type FastifyInstance } from 'fastify'
import { logOptions, resources, serverOptions } from 'viewset/fastify'
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

/** The atlas's API for whichever face: tables, users and data are there. */
export async function prepareApi(atlas: AtlasDatabase, { tokens, onProgress = () => {} }: AtlasOptions) {
  const { database } = atlas
  const tables = models(atlas.kit)
  await atlas.migrate().catch(error => {
    throw databaseError(error, atlas.description)
  })
  await createUsers(database, tables)
  if (!(await isLoaded(database, tables))) await loadData(database, tables, onProgress)
  return { ...atlasApi(tables, atlas.jobs), database, authenticate: authenticateBy(tokens) }
}

/** The atlas as a Fastify application that is ready to listen. */
export async function createAtlas(atlas: AtlasDatabase, options: AtlasOptions): Promise<FastifyInstance> {
  const api = await prepareApi(atlas, options)
  const app = Fastify({ ...serverOptions, logger: { ...logOptions, level: 'warn' } })
  app.addHook('onClose', () => atlas.database.close())
  await app.register(resources, api)
  return app
}
