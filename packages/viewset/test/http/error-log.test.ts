import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { pgSchema, uuid as pgUuid } from 'drizzle-orm/pg-core'
import Fastify, { LogController } from 'fastify'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  type ColumnKit,
  currentDb,
  Database,
  ReadOnlyViewSet,
} from 'viewset'
import { logOptions, resources as plugin, serverOptions } from 'viewset/fastify'
import { kit as pgKit, postgres } from 'viewset/pg'
import { afterEach, describe, expect, inject, test, vi } from 'vitest'
import { useApi } from '../support/api.ts'
import { capturedLog } from '../support/captured-log.ts'
import { CountingDriver } from '../support/counting-driver.ts'
import { describeDialects, sqliteDialect } from '../support/dialects.ts'
import { models } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const MISSING = 'table authors does not exist: run your migrations'

/** Authors whose table is not there, and an action that asks for it by Drizzle. */
function authorsOf(kit: ColumnKit) {
  const tables = models(kit)
  return BaseViewSet({
    model: tables.authors,
    serializer: serializers(tables).AuthorReference,
    permissionClasses: [AllowAny],
    actions: {
      all: { method: 'GET', detail: false, handler: () => currentDb().select().from(tables.authors) },
      crash: {
        method: 'POST',
        detail: false,
        handler: () => {
          throw new Error('the lamp is broken')
        },
      },
    },
  })
}

const errorIdOf = (message: string) => /error id ([0-9a-f-]{36})\.$/.exec(message)?.[1]

describeDialects('the log', dialect => {
  const { lines, server } = capturedLog()
  const authors = authorsOf(dialect.kit)
  const api = useApi(dialect, { tables: {}, server, resources: { authors, again: authors } })

  test.each([
    ['GET', '/authors/', {}],
    ['POST', '/authors/', { body: { name: 'Ada' } }],
    ['GET', '/authors/all/', {}],
  ] as const)(
    '%s %s of a table that does not exist says what to do, the client gets an id',
    async (method, path, options) => {
      lines.length = 0
      const response = await api.request(method, path, options)
      expect(response.status).toBe(500)
      const errorId = errorIdOf(response.envelope().message)
      expect(lines).toMatchObject([{ msg: MISSING, errorId, reqId: response.headers['x-request-id'] }])
      expect(response.headers['x-error-id']).toBe(errorId)
      expect(response.text).not.toContain('authors')
    },
  )

  test('at the start, each table that is missing is told once, by one statement', async () => {
    const { lines, server } = capturedLog()
    const driver = new CountingDriver(api.database.driver)
    const app = Fastify({ ...serverOptions, ...server })
    await app.register(plugin, { database: new Database(driver), resources: { authors, again: authors } })
    await app.listen({ port: 0, host: '127.0.0.1' })
    await expect.poll(() => lines).toMatchObject([{ msg: MISSING }])
    expect(driver.statements).toHaveLength(1)
    await app.close()
  })

  test('at the start, tables that are there are not told', async () => {
    const driver = new CountingDriver(api.database.driver)
    const tables = models(dialect.kit)
    await driver.run({ text: 'create table "categories" (code text)' }, [])
    const { lines, server } = capturedLog()
    const app = Fastify({ ...serverOptions, ...server })
    const categories = ReadOnlyViewSet({
      model: tables.categories,
      serializer: BaseModelSerializer(tables.categories, { fields: ['code'] }),
      permissionClasses: [AllowAny],
    })
    await app.register(plugin, { database: new Database(driver), resources: { categories, authors } })
    await app.listen({ port: 0, host: '127.0.0.1' })
    await expect.poll(() => lines).toMatchObject([{ msg: MISSING }])
    await app.close()
    await driver.run({ text: 'drop table "categories"' }, [])
  })
})

describe('a table in a schema of its own', () => {
  test('is looked for there', async () => {
    const { lines, server } = capturedLog()
    const other = pgSchema('nowhere').table('authors', { id: pgUuid().primaryKey() })
    const app = Fastify({ ...serverOptions, ...server })
    const database = postgres(inject('postgresUrl'))
    app.addHook('onClose', () => database.close())
    const authors = ReadOnlyViewSet({
      model: other,
      serializer: BaseModelSerializer(other, { fields: ['id'] }),
      permissionClasses: [AllowAny],
    })
    await app.register(plugin, { database, resources: { authors } })
    await app.listen({ port: 0, host: '127.0.0.1' })
    await expect.poll(() => lines).toMatchObject([{ msg: 'table nowhere.authors does not exist: run your migrations' }])
    await app.close()
  })
})

describe('a start', () => {
  test('does not fail because the database is away', async () => {
    const { lines, server } = capturedLog()
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as AddressInfo
    await new Promise(resolve => closed.close(resolve))
    const database = postgres(`postgres://me@127.0.0.1:${port}/none`)
    const app = Fastify({ ...serverOptions, ...server })
    await app.register(plugin, { database, resources: { authors: authorsOf(pgKit) } })
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    expect((await fetch(`${address}/authors/`)).status).toBe(503)
    expect(lines.map(({ msg }) => msg)).toEqual(['request failed'])
    await app.close()
    await database.close()
  })
})

describe('the id of a request', () => {
  const api = useApi(sqliteDialect, { tables: {}, resources: {} })

  test("has the name that Fastify's own lines give it", async () => {
    const { lines, server } = capturedLog()
    const logController = new LogController({ requestIdLogLabel: 'requestId' })
    const app = Fastify({ ...serverOptions, ...server, logController })
    await app.register(plugin, { database: api.database, resources: { authors: authorsOf(sqliteDialect.kit) } })
    const response = await app.inject({ method: 'POST', url: '/authors/crash/' })
    expect(lines).toMatchObject([{ msg: 'request failed', requestId: response.headers['x-request-id'] }])
    expect(lines[0]).not.toHaveProperty('reqId')
    await app.close()
  })
})

describe('without a logger', () => {
  const api = useApi(sqliteDialect, { tables: {}, resources: {} })
  const resources = { authors: authorsOf(sqliteDialect.kit) }
  const stderr = vi.spyOn(console, 'error').mockImplementation(() => {})
  afterEach(() => stderr.mockClear())

  test('errors go to stderr with the id that the client got', async () => {
    const app = Fastify(serverOptions)
    await app.register(plugin, { database: api.database, resources })
    const { message } = (await app.inject({ method: 'POST', url: '/authors/crash/' })).json() as { message: string }
    expect(stderr.mock.calls).toEqual([
      [
        `viewset: request failed (error id ${errorIdOf(message)})`,
        expect.objectContaining({ message: 'the lamp is broken' }),
      ],
    ])
    await app.close()
  })

  test('so do missing tables, at the start', async () => {
    const app = Fastify(serverOptions)
    await app.register(plugin, { database: api.database, resources })
    await app.listen({ port: 0, host: '127.0.0.1' })
    await expect.poll(() => stderr.mock.calls).toEqual([[`viewset: ${MISSING}`]])
    await app.close()
  })

  test('a logger that was told to be silent is', async () => {
    const app = Fastify({ ...serverOptions, logger: { ...logOptions, level: 'silent' } })
    await app.register(plugin, { database: api.database, resources })
    expect((await app.inject({ method: 'POST', url: '/authors/crash/' })).statusCode).toBe(500)
    expect(stderr.mock.calls).toEqual([])
    await app.close()
  })
})
