// An API with histories and undos, started by long/histories.test.ts as `history-process.ts <database> <folder>`.
import Fastify from 'fastify'
import { resources, serverOptions } from 'viewset/fastify'
import { embeddedQueue, folder } from 'viewset/jobs'
import { postgres } from 'viewset/pg'
import { sqlite } from 'viewset/sqlite'
import { parts, partsResource } from './parts.ts'

const [location = '', files = ''] = process.argv.slice(2)
const dialect = location.startsWith('postgres:') ? 'pg' : 'sqlite'
const database = dialect === 'pg' ? postgres(location) : sqlite(location)
const tables = parts(dialect)

const app = Fastify(serverOptions)
app.addHook('onClose', () => database.close())
await app.register(resources, {
  prefix: '/api',
  database,
  authenticate: () => ({ id: 'ann' }),
  resources: { parts: partsResource(tables) },
  jobs: { tables, files: folder(files), queue: embeddedQueue() },
})
process.send?.(await app.listen({ port: 0, host: '127.0.0.1' }))
