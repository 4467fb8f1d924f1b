import { SingleBar } from 'cli-progress'
import closeWithGrace from 'close-with-grace'
import { createAtlas } from './app.ts'
import { openDatabase } from './database.ts'
import { tokensFrom } from './users.ts'

const { env } = process
const started = performance.now()
const atlas = await openDatabase(env)
const tokens = tokensFrom(env)

const bar = new SingleBar({ format: 'Loading {bar} {value}/{total} rows', noTTYOutput: true, notTTYSchedule: 2_000 })
let loading = false
const app = await createAtlas(atlas, {
  tokens,
  onProgress(done, total) {
    if (!loading) bar.start(total, 0)
    loading = true
    bar.update(done)
  },
})
if (loading) bar.stop()

const address = await app.listen({ port: Number(env.PORT || 3000), host: env.HOST || '127.0.0.1' })
const seconds = ((performance.now() - started) / 1000).toFixed(1)
console.log(`Atlas is ready after ${seconds} s: ${address}/api/ (${atlas.description})`)
console.log(`  admin token:  ${tokens.admin}`)
console.log(`  reader token: ${tokens.reader}`)

// Requests in flight are answered, new ones are refused, then the database is closed; what hangs is cut off.
closeWithGrace({ delay: 10_000 }, async ({ err }) => {
  if (err) app.log.error({ err }, 'stopping because of an error')
  await app.close()
})
