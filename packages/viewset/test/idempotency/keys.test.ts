import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { eq, sql } from 'drizzle-orm'
import {
  AllowAny,
  ApiError,
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkUpsertModelMixin,
  createRecord,
  currentDb,
  Download,
  importModel,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { TestApi, useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { importForm } from '../support/multipart.ts'

const IN_USE = 'A request with this idempotency key is still running. Send it again in a moment.'

describeDialects('idempotency keys', dialect => {
  const c = dialect.kit
  const tenants = { ann: 'north', ben: 'north', cy: 'south' } as const
  const books = c.table('books', {
    id: c.integer().primaryKey(),
    title: c.text(20).notNull().unique(),
    tenant: c.text(20).notNull().default(''),
    price: c.integer().notNull().default(7),
    ...c.VersionMixin(),
  })
  const keyTables = c.IdempotencyTable()
  let tenant = 'north'
  let mayWrite = true
  let mayReadPrice = true
  let hold: Promise<void> | undefined
  const Viewset = BulkImportableViewSet.add(BulkUpsertModelMixin)
  const config = {
    model: books,
    serializer: BaseModelSerializer(books, { fields: ['id', 'title'] }),
    permissionClasses: [
      class {
        hasPermission = () => mayWrite
      },
    ],
    upsertFields: ['title'],
    version: 'version',
    importFileConfig: {
      fileFormat: 'csv',
      order: ['books'],
      models: { books: importModel({ model: books, fields: ['title'], uniqueFields: ['title'] }) },
      chunkSize: 2,
    },
  } as const
  let runs = 0
  const Books = Viewset({
    ...config,
    idempotency: true,
    fixedValues: () => ({ tenant }),
    actions: {
      count: {
        method: 'POST',
        detail: false,
        handler: async () => {
          runs++
          await hold
          const [row] = await currentDb().select({ count: sql<number>`count(*)` }).from(books)
          await createRecord(books, { title: `no ${runs}`, tenant })
          return Number(row?.count)
        },
      },
      refuse: {
        method: 'POST',
        detail: false,
        handler: async () => {
          await createRecord(books, { title: 'refused' })
          throw new ApiError(400, 'refused', 'Not now.')
        },
      },
      file: {
        method: 'POST',
        detail: false,
        handler: async () => {
          await createRecord(books, { title: 'file' })
          return new Download({
            filename: 'a.txt',
            contentType: 'text/plain',
            stream: Readable.from(['a']),
          })
        },
      },
      long: {
        method: 'POST',
        detail: false,
        handler: async () => {
          await createRecord(books, { title: `long ${++runs}` })
          return 'x'.repeat(1024 ** 2)
        },
      },
    },
  })
  const jobTables = c.JobTables()
  const api = useApi(dialect, {
    tables: { books, ...keyTables, ...jobTables },
    users: Object.fromEntries([...Object.keys(tenants), 'boss'].map(id => [id, { id }])),
    resources: {
      books: Books,
      some: Viewset({ ...config, idempotency: ['bulkCreate'] }),
      others: Viewset(config),
      priced: Viewset({
        ...config,
        idempotency: ['create'],
        serializer: BaseModelSerializer(books, {
          name: 'PricedBook',
          fields: ['id', 'title', 'price'],
          readableBy: { price: () => mayReadPrice },
        }),
      }),
    },
    idempotency: { table: keyTables.idempotencyKeys },
    openapi: true,
    jobs: { tables: jobTables, work: false, permissionClasses: [AllowAny] },
  })
  beforeEach(() => {
    tenant = 'north'
    mayWrite = true
    hold = undefined
    runs = 0
  })
  const keyed = (key: string, more: object = {}) => ({ as: 'ann', headers: { 'idempotency-key': key, ...more } })
  const titles = async () => (await api.rows('books')).map(row => row[1]).toSorted()
  const upload = (options: object, key: string, file = 'title\na\nb\nc\n') => {
    const { payload, headers } = importForm(file, options)
    return api.request('POST', '/books/import-from-file/', {
      payload,
      as: 'ann',
      headers: { ...headers, 'idempotency-key': key },
    })
  }

  const WAYS = [
    ['a create', () => api.post('/books/', { title: 'a' }, keyed('k'))],
    ['a bulk create', () => api.post('/books/bulk-create/', [{ title: 'a' }, { title: 'b' }], keyed('k'))],
    ['an upsert', () => api.post('/books/bulk-upsert/', [{ title: 'a' }], keyed('k'))],
    ['a custom action', () => api.post('/books/count/', {}, keyed('k'))],
    ['an import', () => upload({ append: true }, 'k')],
    ['a replace', () => upload({ append: false }, 'k')],
  ] as const

  test.each(WAYS)('%s is carried out once, and its first answer is sent again', async (_, send) => {
    const first = await send()
    const stored = await titles()
    await api.database.transaction(async () => void (await currentDb().update(books).set({ title: sql`title || '!'` })))
    const again = await send()
    expect([first.status, first.headers['idempotency-replayed']]).toEqual([expect.any(Number), undefined])
    expect(first.status).toBeLessThan(300)
    expect([again.status, again.text, again.headers.etag]).toEqual([first.status, first.text, first.headers.etag])
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(await titles()).toEqual(stored.map(title => `${title}!`))
  })

  test('a PATCH is not compared with its first version again', async () => {
    const created = await api.post('/books/', { title: 'a' }, { as: 'ann' })
    const { headers } = created
    const path = `/books/${created.data<{ id: number }>().id}/`
    const send = () => api.patch(path, { title: 'b' }, keyed('k', { 'if-match': String(headers.etag) }))
    const [first, again] = [await send(), await send()]
    expect([first.status, again.status, again.headers.etag]).toEqual([200, 200, first.headers.etag])
    expect((await api.patch(path, { title: 'c' }, keyed('other', { 'if-match': String(headers.etag) }))).status).toBe(
      412,
    )
  })

  test.each(WAYS)('many of %s at once store one', async (_, send) => {
    const answers = await Promise.all([1, 2, 3, 4].map(send))
    const done = answers.filter(({ status }) => status < 300)
    expect(new Set(done.map(({ text }) => text)).size).toBe(1)
    expect(answers.filter(({ status }) => status >= 300).map(({ status }) => status)).toEqual(
      Array(4 - done.length).fill(409),
    )
    expect((await send()).text).toBe(done[0]?.text)
  })

  /** Begins an action that ends when the returned function is called. */
  const begin = async (key: string) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    hold = promise
    const answer = api.post('/books/count/', {}, keyed(key))
    while (runs === 0) await sleep(5)
    return { answer, end: resolve }
  }

  test('while the first one runs, the second is a 409, or waits if the client prefers', async () => {
    const first = await begin('k')
    const second = await api.post('/books/count/', { other: true }, keyed('k'))
    expect([second.status, second.envelope().message, second.headers['retry-after']]).toEqual([409, IN_USE, '1'])
    const waiting = api.post('/books/count/', {}, keyed('k', { prefer: 'respond-async, wait=10' }))
    const short = api.post('/books/count/', {}, keyed('k', { prefer: 'wait=0' }))
    expect((await short).status).toBe(409)
    first.end()
    expect((await waiting).text).toBe((await first.answer).text)
    expect(runs).toBe(1)
  })

  test('requests that wait for a key of this process ask the database nothing', async () => {
    const first = await begin('k')
    const answers: Promise<unknown>[] = []
    const statements = await api.statementsOf(async () => {
      for (let n = 0; n < 5; n++) answers.push(api.post('/books/count/', {}, keyed('k', { prefer: 'wait=10' })))
      await sleep(300)
    })
    expect(statements).toEqual([])
    first.end()
    await Promise.all([first.answer, ...answers])
    expect(runs).toBe(1)
  })

  test('20 requests of a user may wait for keys, and one more is a 409', async () => {
    const first = await begin('k')
    const wait = (options: ReturnType<typeof keyed>) => api.post('/books/count/', {}, options)
    const waiting = Array.from({ length: 20 }, () => wait(keyed('k', { prefer: 'wait=10' })))
    await sleep(100)
    expect((await wait(keyed('k', { prefer: 'wait=10' }))).status).toBe(409)
    first.end()
    const answers = await Promise.all([first.answer, ...waiting])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(runs).toBe(1)
  })

  if (dialect.name === 'pg') {
    test('another key is free meanwhile', async () => {
      const first = await begin('k')
      expect((await api.post('/books/', { title: 'x' }, keyed('other'))).status).toBe(201)
      first.end()
      await first.answer
    })
  }

  test('a key with another body is a 422', async () => {
    await api.post('/books/', { title: 'a' }, keyed('k'))
    const other = await api.post('/books/', { title: 'b' }, keyed('k'))
    expect([other.status, other.envelope().errors]).toEqual([
      422,
      {
        'Idempotency-Key': ['This idempotency key belongs to another request. Send a new key with a changed request.'],
      },
    ])
    await upload({ append: true }, 'file')
    expect((await upload({ append: true }, 'file', 'title\nz\n')).status).toBe(422)
    expect(await titles()).toEqual(['a', 'b', 'c'].toSorted())
  })

  test('a key belongs to the user, the tenant, the method and the address with its query', async () => {
    const send = (as: string, path = '/books/') =>
      api.post(path, { title: `${as} ${path} ${tenant}`.slice(0, 20) }, { as, headers: { 'idempotency-key': 'k' } })
    expect((await send('ann')).status).toBe(201)
    expect((await send('ben')).status).toBe(201)
    tenant = 'south'
    expect((await send('ann')).status).toBe(201)
    expect(await api.rows('viewset_idempotency_keys')).toHaveLength(3)
  })

  test('an answer is sent again with the fields that the user may read now', async () => {
    const send = () => api.post('/priced/', { title: 'a' }, { as: 'boss', headers: { 'idempotency-key': 'k' } })
    mayReadPrice = true
    const first = await send()
    expect(first.data()).toMatchObject({ title: 'a', price: 7 })
    expect((await send()).text).toBe(first.text)
    mayReadPrice = false
    const again = await send()
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([201, 'true'])
    expect(again.data()).toEqual({ id: first.data<{ id: number }>().id, title: 'a' })
    expect(await titles()).toEqual(['a'])
  })

  test('quotes around a key are not part of it', async () => {
    await api.post('/books/', { title: 'a' }, keyed('"k"'))
    expect((await api.post('/books/', { title: 'a' }, keyed('k'))).headers['idempotency-replayed']).toBe('true')
  })

  test.each(['', '""', 'k'.repeat(256)])('%j is no key', async key => {
    const answer = await api.post('/books/', { title: 'a' }, keyed(key))
    expect([answer.status, answer.envelope().errors]).toEqual([400, { 'Idempotency-Key': [expect.any(String)] }])
    expect(await titles()).toEqual([])
  })

  test('a request without a user cannot send a key', async () => {
    const answer = await api.post('/books/', { title: 'a' }, { headers: { 'idempotency-key': 'k' } })
    expect([answer.status, answer.envelope().errors]).toEqual([
      400,
      { 'Idempotency-Key': ['Only a signed-in user can send an idempotency key. Sign in first.'] },
    ])
  })

  test('an error stores nothing, so the key is free for a corrected request', async () => {
    expect((await api.post('/books/', { title: null }, keyed('k'))).status).toBe(400)
    expect((await api.post('/books/refuse/', {}, keyed('k'))).status).toBe(400)
    expect([await titles(), await api.rows('viewset_idempotency_keys')]).toEqual([[], []])
    expect((await api.post('/books/', { title: 'a' }, keyed('k'))).status).toBe(201)
  })

  test('a dry run and a replace that is undone keep the key free', async () => {
    expect((await upload({ append: true, dryRun: true }, 'k')).status).toBe(201)
    expect((await upload({ append: false }, 'k', `title\na\n${'x'.repeat(21)}\n`)).status).toBe(207)
    expect(await api.rows('viewset_idempotency_keys')).toEqual([])
    expect((await upload({ append: true }, 'k')).headers['idempotency-replayed']).toBeUndefined()
    expect(await titles()).toEqual(['a', 'b', 'c'])
  })

  test('an import with failed rows is kept as it was', async () => {
    const file = `title\na\n${'x'.repeat(21)}\n`
    const first = await upload({ append: true }, 'k', file)
    const again = await upload({ append: true }, 'k', file)
    expect([first.status, again.text]).toEqual([207, first.text])
  })

  test('a job is stored with its key, and asked for once', async () => {
    const { payload, headers } = importForm('title\na\n')
    const send = () =>
      api.request('POST', '/books/import-from-file/?background=true', {
        payload,
        as: 'ann',
        headers: { ...headers, 'idempotency-key': 'k' },
      })
    const [first, again] = [await send(), await send()]
    expect([first.status, again.status, again.headers.location]).toEqual([202, 202, first.headers.location])
    expect(await api.rows('viewset_jobs')).toHaveLength(1)
  })

  test('an answer that is a file takes no key, and its write is undone', async () => {
    const { payload, headers } = importForm('title\na\n')
    const rows = await api.request('POST', '/books/import-from-file/?failed_rows=true', {
      payload,
      as: 'ann',
      headers: { ...headers, 'idempotency-key': 'k' },
    })
    expect([rows.status, (await api.post('/books/file/', {}, keyed('k'))).status]).toEqual([400, 400])
    expect(await titles()).toEqual([])
  })

  test('an answer above 1 MB is kept without its data', async () => {
    const first = await api.post('/books/long/', {}, keyed('k'))
    const again = await api.post('/books/long/', {}, keyed('k'))
    expect([first.status, first.text.length > 1024 ** 2]).toEqual([200, true])
    expect(again.envelope()).toMatchObject({ success: true, data: null, message: expect.stringContaining('too long') })
    expect(await titles()).toEqual(['long 1'])
  })

  test('permissions are asked as of now', async () => {
    await api.post('/books/', { title: 'a' }, keyed('k'))
    mayWrite = false
    expect((await api.post('/books/', { title: 'a' }, keyed('k'))).status).toBe(403)
  })

  test('a key is free again after its time', async () => {
    await api.post('/books/', { title: 'a' }, keyed('k'))
    const { idempotencyKeys } = keyTables
    const old = new Date(Date.now() - 86_400_001).toISOString()
    await api.database.transaction(async () => void (await currentDb().update(idempotencyKeys).set({ createdAt: old })))
    expect((await api.post('/books/', { title: 'b' }, keyed('k'))).status).toBe(201)
  })

  test('the header is ignored where it is not taken', async () => {
    for (const title of ['a', 'b']) {
      expect((await api.post('/others/', { title }, keyed('k'))).status).toBe(201)
      expect((await api.post('/some/', { title: `${title}2` }, keyed('k'))).status).toBe(201)
    }
    const send = () => api.post('/some/bulk-create/', [{ title: 'c' }], keyed('k'))
    expect([(await send()).status, (await send()).headers['idempotency-replayed']]).toEqual([201, 'true'])
    const [{ id } = { id: 0 }] = await api.database.use(() =>
      currentDb().select({ id: books.id }).from(books).where(eq(books.title, 'a')),
    )
    expect((await api.put(`/books/${id}/`, { title: 'd' }, keyed('k'))).headers['idempotency-replayed']).toBeUndefined()
    expect((await api.delete(`/books/${id}/`, keyed('k'))).status).toBe(204)
  })

  test('a request without a key is one statement as before', async () => {
    const sent = await api.statementsOf(() => api.post('/books/', { title: 'a' }, { as: 'ann' }))
    expect(sent).toHaveLength(1)
  })

  test.each([
    [{ idempotency: ['bulkcreate'] }, true, 'did you mean "bulkCreate"?'],
    [{ idempotency: true }, false, 'needs the option idempotency: { table } of the API'],
  ])('%j with a table: %s is refused at start', async (setting, hasTable, problem) => {
    const start = TestApi.start(dialect, {
      tables: {},
      resources: { books: Viewset({ ...config, ...setting }) },
      ...(hasTable && { idempotency: { table: keyTables.idempotencyKeys } }),
    })
    await expect(start).rejects.toThrow(problem)
  })

  test('the document describes the header where it is taken', async () => {
    const { paths } = JSON.parse((await api.get('/openapi.json')).text)
    const named = ({ parameters = [] }: { parameters?: { name: string }[] }) => parameters.map(({ name }) => name)
    expect(named(paths['/books/'].post)).toContain('Idempotency-Key')
    expect(named(paths['/some/bulk-create/'].post)).toContain('Idempotency-Key')
    expect(Object.keys(paths['/books/import-from-file/'].post.responses)).toEqual(
      expect.arrayContaining(['409', '422']),
    )
    const all = Object.entries<Record<string, object>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) =>
        named(operation).includes('Idempotency-Key') ? [`${method} ${path}`] : [],
      ),
    )
    expect(all.filter(one => !/ \/books\//.test(one))).toEqual(['post /some/bulk-create/', 'post /priced/'])
    expect(all.filter(one => /^(get|put|delete) | \/export\/| \/import-preview\//.test(one))).toEqual([])
  })
})
