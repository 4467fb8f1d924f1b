import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import closeWithGrace from 'close-with-grace'
import { pino } from 'pino'
import { prepareServer, serverOptions } from 'viewset/node'
import { createApp } from './app.ts'
import { migrateDatabase, openDatabase } from './database.ts'
import { readEnvironment } from './environment.ts'
import { explain } from './explain.ts'
import { authenticateBy } from './users.ts'

try {
  const { DATABASE_URL, API_KEY, HOST, PORT, LOG_LEVEL } = readEnvironment()
  const logger = pino({ level: LOG_LEVEL })
  await migrateDatabase(DATABASE_URL)
  const database = openDatabase(DATABASE_URL)
  const { listener, handler } = createApp({ database, authenticate: authenticateBy(API_KEY), logger })
  const server = prepareServer(createServer(serverOptions, listener))

  // A signal to stop: open requests are answered, new ones get a 503, then the database closes. At most 10 seconds.
  closeWithGrace({ delay: 10_000 }, async ({ err }) => {
    if (err) logger.error({ err }, 'stopping because of an error')
    server.close()
    await handler.close()
    await database.close()
  })
  await handler.ready()
  await once(server.listen(PORT, HOST), 'listening')
  const address = `http://${HOST}:${(server.address() as AddressInfo).port}`
  console.log(`The API is at ${address}/api/`)
  console.log(`Its reference page is at ${address}/api/docs/`)
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}
