import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { Client, Pool } from 'pg'
import { BaseModelSerializer, BaseViewSet, type ColumnKit, createRecord, IsAuthenticated } from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { createTestDatabase, startApi, type TestSetup } from 'viewset/testing'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { describeDialects, pgDialect, sqliteDialect } from '../support/dialects.ts'
import { expectError, expectSuccess, uuid } from '../support/expect.ts'

/** Tables that refer to themselves and to one another, each keeping the other's rows from being deleted. */
function models(c: ColumnKit) {
  const folders = c.table('folders', {
    id: c.uuid().primaryKey(),
    name: c.text(20).notNull(),
    parent: c.foreignKey('self', { onDelete: 'restrict' }),
  })
  const files = c.table('files', {
    id: c.uuid().primaryKey(),
    folder: c.foreignKey(folders, { onDelete: 'restrict' }).notNull(),
  })
  return { files, folders }
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}

/** A proxy in front of PostgreSQL that holds back the end of a connection (message `X`), as a busy machine does. */
async function lateProxy(target: number) {
  const proxy = createServer({ allowHalfOpen: true }, client => {
    const server = connect(target, '127.0.0.1')
    server.on('error', () => {}).pipe(client.on('error', () => {}))
    client.on('data', (chunk: Buffer) => {
      if (chunk.toString('latin1', 0, 1) === 'X') setTimeout(() => server.end(chunk), 200)
      else server.write(chunk)
    })
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return { port: (proxy.address() as AddressInfo).port, close: () => proxy.close() }
}

describeDialects('createTestDatabase', ({ kit, server, name }) => {
  const schema = models(kit)
  const { folders, files } = schema

  test('makes the tables of a schema, whatever else its module exports', async () => {
    const test = await open({ schema: { models, ...schema, note: 'no table' } })
    const { database } = test
    await database.transaction(() => createRecord(folders, { id: uuid(1), name: 'A' }))
    expect((await database.driver.run({ text: 'select id, name, parent_id from folders' }, [])).rows).toEqual([
      [uuid(1), 'A', null],
    ])
    await test.drop()
  })

  test('applies a folder of migrations, which Drizzle then knows as applied', async () => {
    const migrations = await migrationsFolder(name === 'pg' ? 'postgresql' : 'sqlite', [
      'create table first (id int primary key)',
      `insert into first values (1);--> statement-breakpoint\ncreate table second (id int)`,
    ])
    const test = await open({ migrations })
    const rowsOf = async (table: string) =>
      (await test.database.driver.run({ text: `select * from ${table}` }, [])).rows.length
    const journal = name === 'pg' ? 'drizzle.__drizzle_migrations' : '__drizzle_migrations'
    expect([await rowsOf('first'), await rowsOf('second'), await rowsOf(journal)]).toEqual([1, 0, 2])
    await test.clear()
    expect([await rowsOf('first'), await rowsOf(journal)]).toEqual([0, 2])
    await test.drop()
    await rm(migrations, { recursive: true })
  })

  test('clears all tables, whatever refers to what', async () => {
    const test = await open({ schema })
    for (let round = 0; round < 2; round++) {
      await test.database.transaction(async () => {
        await createRecord(folders, { id: uuid(1), name: 'A' })
        await createRecord(folders, { id: uuid(2), name: 'B', parent: uuid(1) })
        await createRecord(files, { id: uuid(3), folder: uuid(2) })
      })
      await test.clear()
      for (const table of ['files', 'folders']) {
        expect((await test.database.driver.run({ text: `select * from ${table}` }, [])).rows).toEqual([])
      }
    }
    await test.drop()
  })

  test('restarts the numbers when it clears, also of a table that is empty', async () => {
    const lines = kit.table('lines', { id: kit.integer().primaryKey(), text: kit.text(5) })
    const test = await open({ schema: { lines } })
    const create = () => test.database.transaction(() => createRecord(lines, { text: 'a' }))
    expect((await create()).id).toBe(1)
    await test.database.driver.run({ text: 'delete from lines' }, [])
    await test.clear()
    expect((await create()).id).toBe(1)
    await test.clear()
    expect((await create()).id).toBe(1)
    await test.drop()
  })

  test('clears the rows of a transaction that is still open, too', async () => {
    const test = await open({ schema })
    const [stored, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const writing = test.database.transaction(async () => {
      await createRecord(folders, { id: uuid(1), name: 'A' })
      stored.resolve()
      await ended.promise
    })
    await stored.promise
    const cleared = test.clear()
    await sleep(20)
    ended.resolve()
    await Promise.all([writing, cleared])
    expect((await test.database.driver.run({ text: 'select * from folders' }, [])).rows).toEqual([])
    await test.drop()
  })

  test('needs no thread to clear: its start takes longer than most tests', async () => {
    const test = await open({ schema })
    const started = vi.fn()
    process.on('worker', started)
    await test.clear()
    process.off('worker', started)
    expect(started).not.toHaveBeenCalled()
    await test.drop()
  })

  test('makes databases at the same time, apart from each other', async () => {
    const [first, second] = await Promise.all([open(), open()])
    await first.database.driver.run({ text: 'create table thing (id int)' }, [])
    await expect(second.database.driver.run({ text: 'select * from thing' }, [])).rejects.toThrow()
    await Promise.all([first.drop(), second.drop()])
  })

  test('tells what is wrong with a migration', async () => {
    const migrations = await migrationsFolder(name === 'pg' ? 'postgresql' : 'sqlite', ['create tabel first (id int)'])
    const refusal = await open({ migrations }).catch((error: Error) => error)
    expect(`${refusal} ${(refusal as Error).cause}`).toMatch(/syntax error/)
    await rm(migrations, { recursive: true })
  })

  function open(options: { schema?: Record<string, unknown>; migrations?: string } = {}) {
    return createTestDatabase({ ...server, ...options })
  }
})

test('SQLite is a file that is gone after drop', async () => {
  const database = await createTestDatabase()
  expect(existsSync(database.url)).toBe(true)
  await database.drop()
  expect(existsSync(dirname(database.url))).toBe(false)
})

describe('PostgreSQL', () => {
  const open = () => createTestDatabase({ postgres: inject('postgresUrl') })

  test('drops a database that is still in use', async () => {
    const database = await open()
    const client = new Client({ connectionString: database.url })
    client.on('error', () => {})
    await client.connect()
    await database.drop()
    await expect(query(database.url, 'select 1')).rejects.toMatchObject({ code: '3D000' })
  })

  test('waits for connections that are closing, so their clients see no error', async () => {
    const database = await open()
    const address = new URL(database.url)
    const proxy = await lateProxy(Number(address.port))
    address.port = String(proxy.port)
    const pool = new Pool({ connectionString: address.href })
    const errors: Error[] = []
    pool.on('error', error => errors.push(error))
    await pool.query('select 1')
    const removed = once(pool, 'remove')
    await pool.end()
    await database.drop()
    await removed
    expect(errors).toEqual([])
    proxy.close()
  })

  test('folds the case of every alphabet', async () => {
    const database = await open()
    expect(await query(database.url, `select lower('ÄÉŁЖΩ'), 'Öl' ilike 'öL'`)).toEqual([['äéłжω', true]])
    await database.drop()
  })
})

describe('createTestDatabase refuses', () => {
  const sqliteTables = models(sqliteDialect.kit)
  const pgTables = models(pgDialect.kit)

  test.each<[string, object, string]>([
    ['an unknown option', { shema: {} }, 'testing: shema: unknown option; did you mean "schema"?'],
    [
      'a schema and migrations',
      { schema: sqliteTables, migrations: 'migrations' },
      'testing: schema: cannot go with migrations, which make the same tables',
    ],
    [
      'a schema without tables',
      { schema: { models } },
      'testing: schema: holds no table; give the module that exports your tables',
    ],
    [
      'tables for PostgreSQL without a server',
      { schema: pgTables },
      'testing: schema: "files" is a table for PostgreSQL, the database is SQLite; give postgres, the address of a server',
    ],
    [
      'tables for SQLite on PostgreSQL',
      { schema: sqliteTables, postgres: 'postgres://localhost/postgres' },
      'testing: schema: "files" is a table for SQLite, the database is PostgreSQL',
    ],
    [
      'an address that is none of PostgreSQL',
      { postgres: 'mysql://localhost/test' },
      'testing: postgres: must be the address of a server, such as "postgres://localhost/postgres"',
    ],
  ])('%s', async (_, options, message) => {
    await expect(createTestDatabase(options)).rejects.toThrow(expect.objectContaining({ name: 'ConfigError', message }))
  })
})

describeDialects('startApi', ({ kit, server }) => {
  const { folders } = models(kit)
  const folderResource = BaseViewSet({
    model: folders,
    serializer: BaseModelSerializer(folders, { fields: ['id', 'name', 'parent'] }),
    permissionClasses: [IsAuthenticated],
    actions: {
      who: { method: 'GET', detail: false, handler: view => view.user },
    },
  })
  const buildApp = async ({ database, authenticate }: TestSetup): Promise<FastifyInstance> => {
    const app = Fastify(serverOptions)
    await app.register(resources, { prefix: '/v1', database, authenticate, resources: { folders: folderResource } })
    app.addHook('onClose', () => database.close())
    app.addContentTypeParser('multipart/form-data', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    app.post('/v1/echo/', async ({ headers, body }) => ({ type: headers['content-type'], body }))
    return app
  }
  const start = () => startApi({ ...server, schema: { folders }, prefix: '/v1', app: buildApp })
  let api: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    api = await start()
  })
  afterAll(() => api?.close())

  test('asks as any user, and as nobody', async () => {
    const user = { id: 7, roles: ['staff'] }
    expectSuccess(await api.get('/folders/who/', { as: user }), 200, { data: user })
    expectSuccess(await api.get('/folders/who/', { as: { id: 'other' } }), 200, { data: { id: 'other' } })
    const message = 'Authentication credentials were not provided.'
    expectError(await api.get('/folders/who/'), 401, message)
    for (const authorization of ['Bearer 99', 'Bearer -1', 'Basic 0']) {
      expectError(await api.get('/folders/who/', { headers: { authorization } }), 401, 'The token is not valid.')
    }
  })

  test('has a method for each of HTTP, and parses the envelope', async () => {
    const as = { id: 'ann' }
    const created = await api.post('/folders/', { id: uuid(1), name: 'A' }, { as })
    expect(created.status).toBe(201)
    expect(created.data<{ name: string }>().name).toBe('A')
    expect((await api.put(`/folders/${uuid(1)}/`, { id: uuid(1), name: 'B' }, { as })).data()).toMatchObject({
      name: 'B',
    })
    expect((await api.patch(`/folders/${uuid(1)}/`, { name: 'C' }, { as })).data()).toMatchObject({ name: 'C' })
    const list = (await api.get('/folders/', { as })).envelope()
    expect(list).toMatchObject({ success: true, message: '', count: 1, next: null, previous: null })
    expect((await api.request('OPTIONS', '/folders/')).headers.allow).toBe('POST, GET, HEAD, OPTIONS')
    const refused = (await api.post('/folders/', {}, { as })).envelope()
    expect(refused.errors).toMatchObject({ name: ['This field is required.'] })
    const removed = await api.delete(`/folders/${uuid(1)}/`, { as })
    expect(removed.status).toBe(204)
    expect(() => removed.data()).toThrow(new Error('The response 204 has no JSON, but "".'))
  })

  test('sends a form as multipart, and a payload as it is', async () => {
    const form = new FormData()
    form.set('file', new Blob(['a,b\n']), 'rows.csv')
    const sent = (await api.post('/echo/', form)).envelope<unknown>() as unknown as { type: string; body: string }
    expect(sent.type).toMatch(/^multipart\/form-data; boundary=/)
    expect(sent.body).toContain('name="file"; filename="rows.csv"')
    const headers = { 'content-type': 'application/json' }
    const malformed = await api.request('POST', '/folders/', { payload: '{', headers, as: { id: 'ann' } })
    expect(malformed.status).toBe(400)
  })

  test('gives the database that the app has', async () => {
    await api.clear()
    await api.database.transaction(() => createRecord(folders, { id: uuid(5), name: 'stored' }))
    const data = [{ id: uuid(5), name: 'stored', parent: null, index: 1 }]
    expectSuccess(await api.get('/folders/', { as: { id: 'ann' } }), 200, { count: 1, data })
    await api.clear()
    expectSuccess(await api.get('/folders/', { as: { id: 'ann' } }), 200, { count: 0, data: [] })
  })

  test('closes an app that closes the database by itself', async () => {
    const other = await start()
    expect((await other.get('/folders/')).status).toBe(401)
    await other.close()
    await expect(other.database.driver.run({ text: 'select 1' }, [])).rejects.toThrow()
  })

  test('removes the database of an app that does not start', async () => {
    let url = ''
    const starting = startApi({
      ...server,
      app: (_setup, address) => {
        url = address
        throw new Error('no app')
      },
    })
    await expect(starting).rejects.toThrow('no app')
    if (server.postgres) await expect(query(url, 'select 1')).rejects.toMatchObject({ code: '3D000' })
    else expect(existsSync(url)).toBe(false)
  })
})

/** A folder as drizzle-kit writes it, with one file for each migration. */
async function migrationsFolder(dialect: 'sqlite' | 'postgresql', migrations: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'viewset-migrations-'))
  await mkdir(join(folder, 'meta'))
  const entries = migrations.map((_, idx) => ({
    idx,
    version: '6',
    when: idx + 1,
    tag: `000${idx}`,
    breakpoints: true,
  }))
  await writeFile(join(folder, 'meta/_journal.json'), JSON.stringify({ version: '7', dialect, entries }))
  for (const [idx, text] of migrations.entries()) await writeFile(join(folder, `000${idx}.sql`), text)
  return folder
}
