import cluster from 'node:cluster'
import { SingleBar } from 'cli-progress'
import { openAtlas, prepareData } from './app.ts'
import { type AtlasDatabase, openDatabase } from './database.ts'
import { serve } from './serve.ts'
import { portFrom, StartError } from './start-error.ts'
import { concurrencyFrom, Supervisor, sharedSecrets } from './supervisor.ts'
import { type Tokens, tokensFrom } from './users.ts'
import { welcome } from './welcome.ts'

const { env } = process
const started = performance.now()

try {
  if (cluster.isPrimary) await start()
  else await serve(await openAtlas(await openDatabase(env), tokensFrom(env)), env)
} catch (error) {
  // An unexpected error is printed with its stack.
  console.error(error instanceof StartError ? error.message : error)
  process.exitCode = 1
  if (cluster.isWorker) process.disconnect()
}

/** Starts one process, or as many as the environment asks for. */
async function start(): Promise<void> {
  portFrom(env)
  const count = concurrencyFrom(env)
  const tokens = tokensFrom(env)
  const atlas = await openDatabase(env)
  await prepare(atlas)
  if (count === 1) return announce(await serve(await openAtlas(atlas, tokens), env), atlas, tokens)
  await atlas.database.close()
  const environment = { ...sharedSecrets(env), ATLAS_ADMIN_TOKEN: tokens.admin, ATLAS_READER_TOKEN: tokens.reader }
  const supervisor = new Supervisor(count, environment)
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => supervisor.stop())
  }
  process.on('SIGHUP', () => supervisor.restart(prepareAgain))
  try {
    await supervisor.start()
  } catch (error) {
    await supervisor.stop()
    throw error
  }
  const address = `http://${env.HOST || '127.0.0.1'}:${portFrom(env)}`
  announce(address, { ...atlas, description: `${atlas.description}, ${count} processes` }, tokens)
}

function announce(address: string, { description }: Pick<AtlasDatabase, 'description'>, tokens: Tokens): void {
  const seconds = (performance.now() - started) / 1000
  const folder = env.INIT_CWD ?? process.cwd()
  console.log(welcome({ address, description, seconds, tokens, folder }))
}

/** Updates the tables before new processes start. */
async function prepareAgain(): Promise<void> {
  const atlas = await openDatabase(env)
  await prepare(atlas)
  await atlas.database.close()
}

/** Creates tables and data, and shows the progress of a first start. */
async function prepare(atlas: AtlasDatabase): Promise<void> {
  const bar = new SingleBar({ format: 'Loading {bar} {value}/{total} rows', noTTYOutput: true, notTTYSchedule: 2_000 })
  let loading = false
  const onProgress = (done: number, total: number) => {
    if (!loading) bar.start(total, 0)
    loading = true
    bar.update(done)
  }
  try {
    await prepareData(atlas, onProgress)
  } catch (error) {
    await atlas.database.close()
    throw error
  } finally {
    if (loading) bar.stop()
  }
}
