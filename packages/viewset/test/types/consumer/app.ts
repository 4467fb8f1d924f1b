import Fastify from 'fastify'
import {
  boundedCount,
  createRecord,
  currentDb,
  defineConfig,
  exactCount,
  findRecords,
  insertMany,
  QuerySet,
  transaction,
} from 'viewset'
import { anyOf, apiKey, bearerJwt } from 'viewset/auth'
import { logOptions, resources as plugin, serverOptions } from 'viewset/fastify'
import { postgres } from 'viewset/pg'
import { sqlite } from 'viewset/sqlite'
import { createTestDatabase, startApi } from 'viewset/testing'
import { articles, authors } from './models.js'
import { exporting, resources } from './viewsets.js'

export const databases = [postgres('postgres://localhost/shop'), sqlite('shop.db')] as const
export const [database] = databases
export const driver = database.driver
export const dialect = database.dialect
export const authenticate = anyOf(
  apiKey({ lookup: () => null }),
  bearerJwt({ secret: 'x'.repeat(32), algorithms: ['HS256'] }),
)
export const config = defineConfig({ resources })
export const queryset = () => QuerySet.of(database, articles)
export const ordering = () => queryset().ordering
export const model = () => queryset().model
export const create = () => createRecord(authors, { name: 'Ada' })
export const find = () => findRecords(articles)
export const add = () => insertMany(authors, [{ name: 'Ada' }])
export const inTransaction = () => transaction(async () => currentDb().select().from(articles))
export const counts = [boundedCount({ limit: 5 }), exactCount]
export const file = () => exporting.export(queryset(), { fileType: 'csv', onWarning: warning => void warning.code })

export const server = async () => {
  const app = Fastify({ ...serverOptions, logger: logOptions })
  await app.register(plugin, { prefix: '/api', database, resources, authenticate })
  return app
}
export const tested = () => createTestDatabase({ schema: { articles } })
export const api = () =>
  startApi({ schema: { articles }, app: async () => Object.assign(await server(), { database }) as never })
