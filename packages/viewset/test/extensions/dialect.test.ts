import Sqlite from 'better-sqlite3'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  AllowAny,
  BaseModelSerializer,
  BulkUpsertModelMixin,
  BulkViewSet,
  type ColumnKit,
  createRecord,
  currentDb,
  Database,
  findRecords,
  IdToDataField,
  postWrite,
  QuerySet,
  transaction,
} from 'viewset'
import type { Dialect } from 'viewset/dialect'
import { resources, serverOptions } from 'viewset/fastify'
import { channels, type StatementEvent } from 'viewset/observability'
import { kit as sqliteKit } from 'viewset/sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { liteDialect } from './lite/dialect.ts'
import { LiteDriver } from './lite/driver.ts'
import { kit } from './lite/kit.ts'

/** Models are written once, for every database that has a kit. */
const models = (c: ColumnKit) => {
  const shelves = c.table('shelves', { id: c.integer().primaryKey(), label: c.text(20).notNull().unique() })
  const books = c.table('books', {
    ...c.BaseModelMixin(),
    title: c.text(50).notNull().unique(),
    price: c.decimal(8, 2),
    isRead: c.boolean().notNull().default(false),
    readOn: c.date(),
    shelf: c.foreignKey(shelves),
  })
  return { shelves, books }
}

const TABLES = `
  create table shelves (id integer primary key, label text not null unique);
  create table books (
    id text primary key, created_at text not null, updated_at text not null, created_by_id text, updated_by_id text,
    is_active text not null, deleted_at text, title text not null unique, price numeric, is_read text not null,
    read_on text, shelf_id integer references shelves (id)
  )`

const { shelves, books } = models(kit)
const permissionClasses = [AllowAny]
const ShelfSerializer = BaseModelSerializer(shelves, { fields: ['id', 'label'] })
const BookSerializer = BaseModelSerializer(books, {
  fields: ['id', 'title', 'price', 'isRead', 'readOn', 'shelf'],
  extra: { shelf: IdToDataField({ queryset: shelves, serializer: ShelfSerializer }) },
})

describe('a database that somebody else has brought', () => {
  let handle: Sqlite.Database
  let driver: LiteDriver
  let database: Database
  let app: FastifyInstance

  beforeEach(async () => {
    handle = new Sqlite(':memory:')
    handle.exec(TABLES)
    driver = new LiteDriver(handle)
    database = new Database(driver)
    app = Fastify(serverOptions)
    await app.register(resources, {
      prefix: '/api',
      database,
      resources: {
        shelves: BulkViewSet({ model: shelves, serializer: ShelfSerializer, permissionClasses }),
        books: BulkViewSet.add(BulkUpsertModelMixin)({
          model: books,
          serializer: BookSerializer,
          permissionClasses,
          filterFields: ['isRead', 'shelf__label'],
          searchFields: ['title'],
          ordering: ['title'],
          upsertFields: ['title'],
        }),
      },
    })
  })
  afterEach(async () => {
    await app.close()
    await database.close()
  })

  const call = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => {
    const response = await app.inject({ method, url: `/api${path}`, ...(body && { payload: body }) })
    return { status: response.statusCode, data: response.body === '' ? null : response.json().data }
  }
  const titles = async (query = '') =>
    (await call('GET', `/books/${query}`)).data.map(({ title }: { title: string }) => title)

  test('creates, shows, changes and deletes a record', async () => {
    await call('POST', '/shelves/', { label: 'Sea' })
    const shelf = { id: 1, label: 'Sea' }
    const created = await call('POST', '/books/', {
      title: 'Moby Dick',
      price: '12.50',
      read_on: '2026-01-15',
      shelf: 1,
    })
    const id: string = created.data.id
    const book = { id, title: 'Moby Dick', price: '12.50', is_read: false, read_on: '2026-01-15', shelf }
    expect(created).toEqual({ status: 201, data: book })
    expect(await call('GET', `/books/${id}/`)).toEqual({ status: 200, data: book })
    const changed = await call('PATCH', `/books/${id}/`, { is_read: true, shelf: null })
    expect(changed).toEqual({ status: 200, data: { ...book, is_read: true, shelf: null } })
    expect((await call('DELETE', `/books/${id}/`)).status).toBe(204)
    expect((await call('GET', `/books/${id}/`)).status).toBe(404)
  })

  test('writes many at once, each list by one statement in its own words', async () => {
    const items = ['One', 'Two', 'Three'].map(title => ({ title, is_read: title === 'Two' }))
    const from = driver.statements.length
    const created = await call('POST', '/books/bulk-create/', items)
    expect(created.data.map(({ title, is_read }: Record<string, unknown>) => ({ title, is_read }))).toEqual(items)
    const inserts = driver.statements.slice(from).filter(text => text.includes('insert'))
    expect(inserts).toEqual([expect.stringMatching(/^insert or abort into "books" .+ returning /)])
    const [one, two] = created.data
    const changes = [
      { id: two.id, title: 'One' },
      { id: one.id, title: 'Two', is_read: true },
    ]
    expect((await call('PATCH', '/books/bulk-update/', changes)).data).toMatchObject(changes)
    const upserts = [{ title: 'Three', is_read: true }, { title: 'Four' }]
    expect(await call('POST', '/books/bulk-upsert/', upserts)).toMatchObject({ data: { created: 1, updated: 1 } })
    expect(await titles('?is_read=true')).toEqual(['One', 'Three', 'Two'])
    expect((await call('POST', '/books/bulk-soft-delete/', [one.id])).status).toBe(200)
    await call('POST', '/books/bulk-delete/', [two.id])
    expect(await titles()).toEqual(['Four', 'Three', 'Two'])
  })

  test('filters, searches and says what it refuses', async () => {
    await call('POST', '/shelves/bulk-create/', [{ label: 'Sea' }, { label: 'Land' }])
    await call('POST', '/books/bulk-create/', [
      { title: 'Moby Dick', shelf: 1 },
      { title: 'ÄSOP', shelf: 2 },
    ])
    expect(await titles('?shelf__label=Sea')).toEqual(['Moby Dick'])
    expect(await titles('?search=äsop')).toEqual(['ÄSOP'])
    expect((await call('POST', '/books/', { title: 'Moby Dick' })).status).toBe(400)
    expect((await call('DELETE', '/shelves/1/')).status).toBe(409)
  })

  test('has records, transactions and events in code', async () => {
    const heard: unknown[] = []
    const disconnect = postWrite(books, ({ kind, after }) => heard.push([kind, after[0]?.isRead]))
    await call('POST', '/books/', { title: 'One' })
    const saved = database.use(() =>
      transaction(async () => {
        for (const book of await findRecords(books)) {
          book.isRead = true
          await book.save()
        }
        throw new Error('Not after all.')
      }),
    )
    await expect(saved).rejects.toThrow('Not after all.')
    disconnect()
    expect(heard).toEqual([
      ['insert', false],
      ['update', true],
    ])
    expect(await titles('?is_read=false')).toEqual(['One'])
  })

  test('goes on behind a transaction that could not be committed', async () => {
    const refused = database.transaction(() => {
      handle.exec('pragma defer_foreign_keys = on')
      return createRecord(books, { title: 'One', shelf: 9 })
    })
    await expect(refused).rejects.toThrow('FOREIGN KEY')
    expect(await titles()).toEqual([])
  })

  test('reads values as its own dialect does, also where another driver has read the same table', async () => {
    class LoudDriver extends LiteDriver {
      override readonly dialect: Dialect = {
        ...liteDialect,
        decoder: info => raw => `${liteDialect.decoder(info)(raw)}!`,
      }
    }
    const other = new Sqlite(':memory:')
    other.exec(TABLES)
    const loud = new Database(new LoudDriver(other))
    const labelIn = (where: Database) => where.use(async () => (await createRecord(shelves, { label: 'Sea' })).label)
    expect([await labelIn(database), await labelIn(loud)]).toEqual(['Sea', 'Sea!'])
    await loud.close()
  })

  test('tells of its statements and transactions, and does nothing for it', async () => {
    const told: StatementEvent[] = []
    const listener = { asyncEnd: (event: StatementEvent) => void told.push(event) }
    channels.statement.subscribe(listener)
    const from = driver.statements.length
    await call('POST', '/shelves/bulk-create/', [{ label: 'Sea' }])
    await database.use(async () => currentDb().select().from(shelves))
    channels.statement.unsubscribe(listener)
    expect(told.map(({ text }) => text)).toEqual(driver.statements.slice(from))
    expect(told).toContainEqual(expect.objectContaining({ database: 'lite', rows: 1 }))
    const write = { database: 'lite', outcome: 'commit', request: { resource: 'shelves', action: 'bulkCreate' } }
    expect(told.filter(({ transaction }) => transaction)).toMatchObject([
      { transaction: write },
      { transaction: write },
    ])
  })

  test('is no database for the tables of another', async () => {
    const { shelves: strange } = models(sqliteKit)
    const serializer = BaseModelSerializer(strange, { fields: ['id', 'label'] })
    const other = Fastify()
    const registered = other.register(resources, {
      database,
      resources: { shelves: BulkViewSet({ model: strange, serializer, permissionClasses }) },
    })
    const wrong = '"shelves" is a table for SQLite, the database is Lite'
    await expect(registered).rejects.toThrow(wrong)
    await other.close()
    await expect(database.use(() => createRecord(strange, { label: 'Sea' }))).rejects.toThrow(wrong)
    await expect(database.use(() => findRecords(strange))).rejects.toThrow(wrong)
    expect(() => QuerySet.of(database, strange)).toThrow(wrong)
  })
})
