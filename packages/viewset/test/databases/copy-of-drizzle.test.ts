import { createRequire } from 'node:module'
import type * as Orm from 'drizzle-orm'
import type * as NodePostgres from 'drizzle-orm/node-postgres'
import type * as PgCore from 'drizzle-orm/pg-core'
import type * as SqliteCore from 'drizzle-orm/sqlite-core'
import pg from 'pg'
import { AllowAny, BaseModelSerializer, BaseViewSet, createRecord, ExpressionField, findRecords } from 'viewset'
import { postgres } from 'viewset/pg'
import { afterAll, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { pgDialect, sqliteDialect, type TestDialect } from '../support/dialects.ts'
import { expectSuccess } from '../support/expect.ts'

// Drizzle as CommonJS is another copy of all its classes: in Node the package has that one, and an application the other.
const require = createRequire(import.meta.url)
const orm: typeof Orm = require('drizzle-orm')
const pgCore: typeof PgCore = require('drizzle-orm/pg-core')
const sqliteCore: typeof SqliteCore = require('drizzle-orm/sqlite-core')
const { drizzle }: typeof NodePostgres = require('drizzle-orm/node-postgres')

const mood = pgCore.pgEnum('mood', ['happy', 'sad'])
const pgShops = pgCore.pgTable('shops', {
  id: pgCore.serial().primaryKey(),
  name: pgCore.text().notNull().unique(),
  closed: pgCore.boolean().notNull().default(false),
  mood: mood(),
  tags: pgCore.text().array(),
})
const sqliteShops = sqliteCore.sqliteTable('shops', {
  id: sqliteCore.integer().primaryKey(),
  name: sqliteCore.text().notNull().unique(),
  closed: sqliteCore.integer({ mode: 'boolean' }).notNull().default(false),
  mood: sqliteCore.text({ enum: ['happy', 'sad'] }),
  tags: sqliteCore.text(),
})

function useShops(
  dialect: TestDialect,
  shops: typeof pgShops | typeof sqliteShops,
  tables: object,
  add: () => Promise<unknown> = async () => {},
) {
  const { eq, sql } = orm
  const model = shops as typeof sqliteShops
  return useApi(dialect, {
    tables: { ...tables, shops },
    resources: {
      shops: BaseViewSet({
        model,
        serializer: BaseModelSerializer(model, {
          fields: ['id', 'name', 'mood'],
          extra: {
            length: ExpressionField({ type: 'integer', expression: sql`length(${model.name})`, notNull: true }),
          },
        }),
        permissionClasses: [AllowAny],
        queryset: () => eq(model.closed, false),
        filterFields: ['mood'],
        actions: { add: { method: 'POST', detail: false, handler: add } },
      }),
    },
  })
}

describe.each([
  ['pg', pgDialect, pgShops, { mood }],
  ['sqlite', sqliteDialect, sqliteShops, {}],
] as const)('%s: tables and conditions of another copy of Drizzle', (_name, dialect, shops, tables) => {
  const api = useShops(dialect, shops, tables)

  test('are models and scopes like those of the own one', async () => {
    const created = await api.post('/shops/', { name: 'Bakery', mood: 'happy' })
    expectSuccess(created, 201, { data: { id: 1, name: 'Bakery', mood: 'happy', length: 6 } })
    await api.database.use(() => createRecord(shops as typeof sqliteShops, { name: 'Closed', closed: true }))
    const listed = await api.get('/shops/?mood=happy&ordering=-name')
    expectSuccess(listed, 200, { count: 1, data: [{ id: 1, name: 'Bakery', mood: 'happy', length: 6, index: 1 }] })
    const { eq } = orm
    const found = await api.database.use(() => findRecords(shops as typeof sqliteShops, eq(sqliteShops.closed, true)))
    expect(found.map(({ name }) => name)).toEqual(['Closed'])
  })
})

describe('pg: a database of another copy of Drizzle', () => {
  const pools: pg.Pool[] = []
  const own = (connectionString: string) => {
    const pool = new pg.Pool({ connectionString, max: 1 })
    pools.push(pool)
    return pool
  }
  const dialect: TestDialect = {
    name: 'pg',
    kit: pgDialect.kit,
    get server() {
      return pgDialect.server
    },
    open: url => {
      own(url)
      return postgres(url)
    },
  }
  const db = () => drizzle(pools[0] as pg.Pool)
  const api = useShops(dialect, pgShops, { mood }, () => db().insert(pgShops).values({ name: 'Bakery' }))
  afterAll(() => Promise.all(pools.map(pool => pool.end())))

  test('begins transactions that the own one takes part in', async () => {
    const model = pgShops as unknown as typeof sqliteShops
    const names = () => api.database.use(async () => (await findRecords(model)).map(({ name }) => name))
    const both = (end: () => void) =>
      db().transaction(tx =>
        api.database.withTransaction(tx, async () => {
          await createRecord(model, { name: 'Bakery' })
          end()
        }),
      )
    await expect(both(() => JSON.parse('?'))).rejects.toThrow(SyntaxError)
    expect(await names()).toEqual([])
    await both(() => {})
    expect(await names()).toEqual(['Bakery'])
  })

  test('has faults that are told as those of the own one', async () => {
    expect((await api.post('/shops/add/')).status).toBe(200)
    expect((await api.post('/shops/add/')).status).toBe(409)
  })
})
