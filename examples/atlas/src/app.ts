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
  /** Called while the data is loaded, which happens only at the first start. */
  readonly onProgress?: OnProgress
}

/** Creates missing tables, users and data. */
export async function prepareData(atlas: AtlasDatabase, onProgress: OnProgress = () => {}): Promise<void> {
  const { database } = atlas
  const tables = models(atlas.kit)
  await atlas.migrate().catch(error => {
    throw databaseError(error, atlas.description)
  })
  await createUsers(database, tables)
  if (!(await isLoaded(database, tables))) await loadData(database, tables, onProgress)
}

function apiOf({ kit, jobs, database }: AtlasDatabase, tokens: Tokens) {
  return { ...atlasApi(models(kit), jobs), database, authenticate: authenticateBy(tokens) }
}

/** The atlas's API on a prepared database, for any face. */
export async function prepareApi(atlas: AtlasDatabase, { tokens, onProgress }: AtlasOptions) {
  await prepareData(atlas, onProgress)
  return apiOf(atlas, tokens)
}

/** The atlas on a prepared database, as a Fastify application that is ready to listen. */
export async function openAtlas(atlas: AtlasDatabase, tokens: Tokens): Promise<FastifyInstance> {
  const app = Fastify({ ...serverOptions, logger: { ...logOptions, level: 'warn' } })
  app.addHook('onClose', () => atlas.database.close())
  await app.register(resources, apiOf(atlas, tokens))
  // Programs read the text, browsers go to the page of the API.
  app.get('/', (_request, reply) =>
    reply.code(302).header('location', '/api/').send('The API is at /api/, its reference page at /api/docs/.\n'),
  )
  return app
}

export async function createAtlas(
  atlas: AtlasDatabase,
  { tokens, onProgress }: AtlasOptions,
): Promise<FastifyInstance> {
  await prepareData(atlas, onProgress)
  return openAtlas(atlas, tokens)
}
