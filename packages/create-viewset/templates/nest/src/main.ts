import { createApp } from './app.ts'
import { migrateDatabase, openDatabase } from './database.ts'
import { readEnvironment } from './environment.ts'
import { explain } from './explain.ts'
import { authenticateBy } from './users.ts'

try {
  const { DATABASE_URL, API_KEY, HOST, PORT, logLevels } = readEnvironment()
  await migrateDatabase(DATABASE_URL)
  const database = openDatabase(DATABASE_URL)
  const app = await createApp({ database, authenticate: authenticateBy(API_KEY), logLevels })
  app.enableShutdownHooks()
  await app.listen(PORT, HOST)
  const address = await app.getUrl()
  console.log(`The API is at ${address}/api/`)
  console.log(`Its reference page is at ${address}/api/docs/`)
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}
