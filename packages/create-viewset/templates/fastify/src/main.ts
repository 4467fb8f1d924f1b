import closeWithGrace from 'close-with-grace'
import { createApp } from './app.ts'
import { migrateDatabase, openDatabase } from './database.ts'
import { readEnvironment } from './environment.ts'
import { explain } from './explain.ts'
import { authenticateBy } from './users.ts'

try {
  const { DATABASE_URL, API_KEY, HOST, PORT, LOG_LEVEL } = readEnvironment()
  await migrateDatabase(DATABASE_URL)
  const database = openDatabase(DATABASE_URL)
  const app = await createApp({ database, authenticate: authenticateBy(API_KEY), logLevel: LOG_LEVEL })
  app.addHook('onClose', () => database.close())

  // A signal to stop: open requests are answered, new ones get a 503, then the database closes. At most 10 seconds.
  closeWithGrace({ delay: 10_000 }, async ({ err }) => {
    if (err) app.log.error({ err }, 'stopping because of an error')
    await app.close()
  })
  // Fastify logs its address as JSON. The sentence below is easier to read.
  app.log.level = 'warn'
  const address = await app.listen({ host: HOST, port: PORT })
  app.log.level = LOG_LEVEL
  console.log(`The API is at ${address}/api/`)
  console.log(`Its reference page is at ${address}/api/docs/`)
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}
