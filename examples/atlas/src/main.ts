import { SingleBar } from 'cli-progress'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { createAtlas } from './app.ts'
import { type AtlasDatabase, openDatabase } from './database.ts'
import { listenError, portFrom, StartError } from './start-error.ts'
import { type Tokens, tokensFrom } from './users.ts'

const { env } = process
const started = performance.now()

try {
  const port = portFrom(env)
  const host = env.HOST || '127.0.0.1'
  const tokens = tokensFrom(env)
  const atlas = await openDatabase(env)
  const app = await prepare(atlas, tokens)
  const address = await app.listen({ port, host }).catch(async error => {
    await app.close()
    throw listenError(error, host, port)
  })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`Atlas is ready after ${seconds} s: ${address}/api/ (${atlas.description})`)
  console.log(`  reference:    ${address}/api/docs/`)
  console.log(`  admin token:  ${tokens.admin}`)
  console.log(`  reader token: ${tokens.reader}`)

  // Requests in flight are answered, new ones are refused, then the database is closed; what hangs is cut off.
  closeWithGrace({ delay: 10_000 }, async ({ err }) => {
    if (err) app.log.error({ err }, 'stopping because of an error')
    await app.close()
  })
} catch (error) {
  // What nobody has foreseen is told with its stack.
  console.error(error instanceof StartError ? error.message : error)
  process.exitCode = 1
}

/** Makes the application, and shows how far a first start is. */
async function prepare(atlas: AtlasDatabase, tokens: Tokens): Promise<FastifyInstance> {
  const bar = new SingleBar({ format: 'Loading {bar} {value}/{total} rows', noTTYOutput: true, notTTYSchedule: 2_000 })
  let loading = false
  const onProgress = (done: number, total: number) => {
    if (!loading) bar.start(total, 0)
    loading = true
    bar.update(done)
  }
  try {
    return await createAtlas(atlas, { tokens, onProgress })
  } catch (error) {
    await atlas.database.close()
    throw error
  } finally {
    if (loading) bar.stop()
  }
}
