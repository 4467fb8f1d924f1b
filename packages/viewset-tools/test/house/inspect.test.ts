import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import { type ResourcesOptions, resources, serverOptions } from 'viewset/fastify'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { run } from '../../../viewset/src/cli/run.ts'
import { ProjectFolder } from '../../../viewset/test/support/command.ts'
import { describeDialects } from '../../../viewset/test/support/dialects.ts'
import { makeOdd } from '../support/odd-databases.ts'

describeDialects('viewset inspect', dialect => {
  let folder: ProjectFolder
  let database: TestDatabase
  let printed: string
  let app: FastifyInstance
  let address: string
  const onSqlite = dialect.name === 'sqlite'

  const ask = async (path: string, { method = 'GET', body, user = 'ann' }: Asked = {}) => {
    const headers = {
      ...(user !== null && { authorization: user }),
      ...(body && { 'content-type': 'application/json' }),
    }
    const response = await fetch(address + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await response.text()
    const { data, message, errors } = text === '' ? {} : JSON.parse(text)
    return { status: response.status, data, message, errors }
  }
  const post = (path: string, body: object) => ask(path, { method: 'POST', body })
  const draft = (name: string) => readFile(join(folder.path, 'src', name), 'utf8')

  beforeAll(async () => {
    folder = await ProjectFolder.make()
    database = await createTestDatabase(dialect.server)
    await makeOdd(database.url)
    const outcome = await folder.viewset(['inspect', '--url', database.url, '--schema', 'public,shop', '--out', 'src'])
    expect([outcome.code, outcome.stderr]).toEqual([0, ''])
    printed = outcome.stdout
    const drafted: { resources: ResourcesOptions['resources'] } = await import(
      join(folder.path, 'src/resources/index.ts')
    )
    app = Fastify(serverOptions)
    await app.register(resources, {
      prefix: '/api',
      database: database.database,
      resources: drafted.resources,
      authenticate: ({ headers }) => (headers.authorization ? { id: String(headers.authorization) } : null),
    })
    address = `${await app.listen({ host: '127.0.0.1', port: 0 })}/api`
  })
  afterAll(async () => {
    await app?.close()
    await database?.drop()
    await folder?.remove()
  })

  test('writes a file for each table that can be a resource, and says what it is not sure of', async () => {
    expect((await readdir(join(folder.path, 'src/resources'))).sort()).toEqual(
      [
        'account',
        'category',
        'city',
        'composite-child',
        'country',
        'department',
        'employee',
        'happy',
        'import-table',
        'index',
        'log',
        'message',
        'note',
        'order-items',
        ...(onSqlite ? [] : ['part']),
        'references',
        ...(onSqlite ? [] : ['shop-user']),
        'text-table',
        'user',
        'таблица',
      ].map(name => `${name}.ts`),
    )
    await expect(printed).toMatchFileSnapshot(`../fixtures/drafts/${dialect.name}-printed.txt`)
  })

  test('writes tables that say what the database says', async () => {
    await expect(await draft('schema.ts')).toMatchFileSnapshot(`../fixtures/drafts/${dialect.name}-schema.txt`)
  })

  test('writes resources that a person would write so', async () => {
    for (const name of ['message', 'note', 'references']) {
      const path = `../fixtures/drafts/${dialect.name}-${name}.txt`
      await expect(await draft(`resources/${name}.ts`)).toMatchFileSnapshot(path)
    }
  })

  test('drafts code that the compiler takes', async () => {
    expect(await folder.compile('src')).toBe('')
  })

  test('lets nobody in who has not signed in', async () => {
    const { data } = await ask('/', { user: 'ann' })
    expect(data.length).toBeGreaterThan(10)
    for (const { name } of data) expect((await ask(`/${name}/`, { user: null })).status).toBe(401)
  })

  test('answers a list of each table', async () => {
    const { data } = await ask('/')
    for (const { name } of data) expect([name, (await ask(`/${name}/`)).status]).toEqual([name, 200])
  })

  test('creates, shows and finds records: two relations to one table, generated columns, no secrets', async () => {
    const ada = await post('/user/', { email: 'ada@example.org' })
    expect(ada).toMatchObject({
      status: 201,
      data: { id: 1, email: 'ada@example.org', created_at: expect.any(String) },
    })
    expect(Object.keys(ada.data)).toEqual(['id', 'email', 'created_at'])
    expect((await post('/user/', { email: 'ada@example.org' })).errors).toEqual({
      email: ['Another record already has this value.'],
    })
    await post('/user/', { email: 'bob@example.org' })

    const sent = await post('/message/', { sender: 1, recipient: 2, body: 'hello', body_length: 9, ip: '10.0.0.1' })
    expect(sent).toMatchObject({
      status: 201,
      data: { id: 1, sender: { id: 1 }, recipient: { id: 2 }, body: 'hello', body_length: 5, ip: '10.0.0.1', meta: {} },
    })
    await post('/message/', { sender: 2, body: 'well' })
    expect((await ask('/message/?sender=2')).data).toMatchObject([{ body: 'well', recipient: null }])
    expect((await ask('/message/?ordering=-id')).data).toMatchObject([{ id: 2 }, { id: 1 }])
    expect((await ask('/message/?ordering=body')).errors).toEqual({
      ordering: ['You cannot order by "body". Known fields: id, sender.'],
    })
    expect((await ask('/message/1/')).data.sender).toEqual({ id: 1 })
  })

  test('keeps odd names, exact numbers and defaults', async () => {
    const id = '01900000-0000-7000-8000-000000000001'
    const made = await post('/order-items/', { id, user: 1, big: '9007199254740993' })
    expect(made.data).toEqual({
      // PostgreSQL's default makes it.
      id: onSqlite ? id : expect.any(String),
      strasse: `it's \\ \`\${a}"`,
      class: null,
      grosse: 'klein',
      user: { id: 1 },
      price: onSqlite ? '0' : '0.00',
      value2nd: false,
      big: '9007199254740993',
      tags: [],
    })
    if (!onSqlite) expect((await post('/order-items/', { user: 1, grosse: 'riesig' })).errors).toHaveProperty('grosse')
    expect((await post('/import-table/', { function: 'f', a_b: '1', a_b2: '2', a_b3: '3' })).data).toMatchObject({
      function: 'f',
      a_b: '1',
      a_b2: '2',
      a_b3: '3',
    })
    expect(
      (await post('/city/', { save_value: 's', constructor_value: 'c', index_value: 1, then_value: 't' })).data,
    ).toEqual({ id: 1, country: null, save_value: 's', constructor_value: 'c', index_value: 1, then_value: 't' })
    expect((await post(`/${encodeURIComponent('таблица')}/`, { имя: 'Ада' })).data).toEqual({ id: 1, имя: 'Ада' })
  })

  test('knows tables that refer to themselves and to each other', async () => {
    await post('/category/', { name: 'all' })
    expect((await post('/category/', { name: 'some', parent: 1 })).data).toEqual({
      id: 2,
      name: 'some',
      parent: { id: 1, name: 'all' },
    })
    await post('/department/', { name: 'sales' })
    const { data } = await post('/employee/', { name: 'Ada', department: 1 })
    expect(data.department).toEqual({ id: 1, name: 'sales' })
    const led = await ask('/department/1/', { method: 'PATCH', body: { manager: data.id } })
    expect(led.data.manager).toEqual({ id: data.id, name: 'Ada' })
    await post('/country/', { code: 'NO', name: 'Norway' })
    expect((await post('/city/', { country: 'NO' })).data.country).toEqual({ code: 'NO', name: 'Norway' })
  })

  test('keeps the rows of a table that can mark them as deleted', async () => {
    await post('/note/', { body: 'gone soon' })
    expect((await ask('/note/1/', { method: 'DELETE' })).status).toBe(204)
    expect((await ask('/note/1/')).status).toBe(404)
    const { rows } = await database.database.run({ text: 'select count(*), max(deleted_at) from note' }, [])
    expect(rows).toEqual([[expect.anything(), expect.any(String)]])
    expect(Number(rows[0]?.[0])).toBe(1)
  })

  test('makes no record whose secret it leaves out', async () => {
    expect((await post('/account/', { owner: 1 })).status).toBe(405)
    expect(printed).toContain('- account is read only: a new record would need what is left out.')
  })

  test('writes over nothing, not even a part, without --force', async () => {
    const again = (...more: string[]) => folder.viewset(['inspect', '--url', database.url, ...more])
    const before = await draft('schema.ts')
    const refused = await again('--schema', 'public')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/^These files exist already; give another --out, or --force:\n/)
    expect(refused.stderr).toContain(join(folder.path, 'src/resources/index.ts'))
    expect(await draft('schema.ts')).toBe(before)
    expect((await again('--schema', 'public,shop', '--force')).code).toBe(0)
    expect((await readdir(join(folder.path, 'src'))).sort()).toEqual(['resources', 'schema.ts', 'views.ts'])
  })
})

interface Asked {
  readonly method?: string
  readonly body?: object
  readonly user?: string | null
}

describe('viewset inspect', () => {
  let folder: ProjectFolder
  beforeAll(async () => {
    folder = await ProjectFolder.make()
  })
  afterAll(() => folder?.remove())

  test('does not change the file of SQLite', async () => {
    const path = join(folder.path, 'old.db')
    await makeOdd(path)
    const before = await readFile(path)
    expect((await folder.viewset(['inspect'], { ...process.env, DATABASE_URL: 'old.db' })).code).toBe(0)
    expect(await readFile(path)).toEqual(before)
    expect((await readdir(folder.path)).sort()).toEqual(['.gitignore', 'old.db', 'src'])
  })

  test('says which package the project lacks', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'viewset-inspect-'))
    try {
      await makeOdd(join(elsewhere, 'old.db'))
      const { code, stderr } = await folder.viewset(['inspect', '--url', join(elsewhere, 'old.db'), '--out', elsewhere])
      expect([code, stderr]).toEqual([1, 'The package drizzle-orm is missing: npm install drizzle-orm\n'])
      expect(await readdir(elsewhere)).toEqual(['old.db'])
    } finally {
      await rm(elsewhere, { recursive: true })
    }
  })

  test.each([
    [['--url', 'none.db'], /^There is no .*none\.db; --url takes postgres:\/\/\.\.\. or the path of an SQLite file\.$/],
    [
      ['--url', 'mysql://ann:hidden@localhost/shop'],
      /^mysql is not known; --url takes postgres:\/\/\.\.\. or the path of an SQLite file\.$/,
    ],
    [['--url', '.gitignore'], /^The database cannot be read: file is not a database$/],
    [['--url', 'postgres://127.0.0.1:1/none'], /^The database cannot be read: .+$/],
    [[], /^Which database\? As in: viewset inspect --url/],
    [['--url', 'a', 'b'], /^What is "b"\? The database is given by --url\.$/],
  ])('says what is wrong: %j', async (args, message) => {
    vi.stubEnv('DATABASE_URL', '')
    await expect(run(['inspect', ...args], folder.path)).rejects.toThrow(message)
    vi.unstubAllEnvs()
  })
})
