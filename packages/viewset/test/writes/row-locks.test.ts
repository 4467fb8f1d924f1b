import { setTimeout as sleep } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  BulkImportableViewSet,
  BulkUpsertModelMixin,
  currentDb,
  IdToDataField,
  importModel,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { type TestResponse, useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, uuid } from '../support/expect.ts'
import { models, seed, seedUsers, users } from '../support/models.ts'
import { importForm } from '../support/multipart.ts'
import { serializers } from '../support/serializers.ts'

describeDialects('a record that is written is locked from when it is read:', dialect => {
  const tables = models(dialect.kit)
  const { authors, articles } = tables
  const api = useApi(dialect, {
    tables,
    users,
    resources: {
      articles: class extends BaseViewSet({
        model: articles,
        // Its reads join two tables, one of them on the nullable side, whose rows cannot be locked.
        serializer: BaseModelSerializer(articles, {
          fields: ['id', 'title', 'body', 'author', 'editor'],
          extra: {
            author: IdToDataField({ queryset: authors, serializer: serializers(tables).AuthorReference }),
            editor: IdToDataField({ queryset: authors, serializer: serializers(tables).AuthorReference }),
          },
        }),
        permissionClasses: [AllowAny],
        queryset: () => eq(articles.isActive, true),
        actions: {
          archive: { method: 'POST', detail: true, handler: async view => (await view.getObject()).softDelete() },
          peek: { method: 'GET', detail: true, handler: async view => view.serialize(await view.getObject()) },
        },
      }) {},
      authors: BulkImportableViewSet.add(BulkUpsertModelMixin)({
        model: authors,
        serializer: BaseModelSerializer(authors, { fields: ['id', 'name', 'email'] }),
        permissionClasses: [AllowAny],
        queryset: () => eq(authors.isActive, true),
        upsertFields: ['email'],
        importFileConfig: {
          fileFormat: 'csv',
          order: ['authors'],
          models: { authors: importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }) },
        },
      }),
    },
  })
  beforeEach(async () => {
    await seedUsers(api.database, tables)
    await seed(api.database, tables, {
      authors: [{ id: uuid(1), name: 'Ada' }],
      articles: [{ id: uuid(11), title: 'Engines', body: 'as read', author: uuid(1) }],
    })
  })
  const path = `/articles/${uuid(11)}/`
  const body = () =>
    api.database.use(async () => (await currentDb().select({ body: articles.body }).from(articles))[0]?.body)

  /** Sends a request while another client has written to the record and not committed yet. */
  async function whileWritten(
    values: Partial<(typeof articles)['$inferInsert']>,
    ask: () => Promise<TestResponse>,
  ): Promise<TestResponse> {
    return whileDoing(
      () =>
        currentDb()
          .update(articles)
          .set(values)
          .where(eq(articles.id, uuid(11))),
      ask,
    )
  }

  async function whileDoing(
    write: () => PromiseLike<unknown>,
    ask: () => Promise<TestResponse>,
  ): Promise<TestResponse> {
    const response = Promise.withResolvers<Promise<TestResponse>>()
    await api.database.transaction(async () => {
      await write()
      response.resolve(ask())
      await somebodyWaits()
    })
    return response.promise
  }

  /** On SQLite, writers wait in a queue of the process, which a turn of the event loop brings them to. */
  async function somebodyWaits(): Promise<void> {
    const waiting =
      "select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    if (dialect.name === 'sqlite') return sleep(60)
    const count = async () => Number((await api.database.driver.run({ text: waiting }, [])).rows[0]?.[0])
    await expect.poll(count).toBeGreaterThan(0)
  }

  test('an acknowledged PATCH is stored, though it says what was read before', async () => {
    const response = await whileWritten({ body: 'theirs' }, () => api.patch(path, { body: 'as read' }))
    expect([response.status, response.data()]).toMatchObject([200, { body: 'as read' }])
    expect(await body()).toBe('as read')
  })

  test('an acknowledged PUT is stored', async () => {
    const sent = { title: 'Engines', body: 'as read', author: uuid(1) }
    const response = await whileWritten({ body: 'theirs' }, () => api.put(path, sent))
    expect([response.status, response.data()]).toMatchObject([200, { body: 'as read' }])
    expect(await body()).toBe('as read')
  })

  test.each([
    ['PATCH', () => api.patch(path, { body: 'mine' })],
    ['PUT', () => api.put(path, { title: 'Engines', body: 'mine', author: uuid(1) })],
    ['DELETE', () => api.delete(path)],
    ['a custom action', () => api.post(`${path}archive/`)],
  ])('%s of a record that leaves the queryset at that moment is a 404', async (_, ask) => {
    expectError(
      await whileWritten({ isActive: false, body: 'theirs' }, ask),
      404,
      'There is no such record, or you may not see it.',
    )
    expect(await body()).toBe('theirs')
  })

  const seedBob = () => seed(api.database, tables, { authors: [{ id: uuid(2), name: 'Bob', email: 'bob' }] })
  const writeBob = (values: Partial<(typeof authors)['$inferInsert']>) => () =>
    currentDb()
      .update(authors)
      .set(values)
      .where(eq(authors.id, uuid(2)))
  const names = () =>
    api.database.use(async () => (await currentDb().select().from(authors)).map(({ name }) => name).toSorted())

  describe('in bulk', () => {
    beforeEach(seedBob)
    const patch = () =>
      api.patch('/authors/bulk-update/', [
        { id: uuid(2), name: 'Mine' },
        { id: uuid(1), name: 'Mine as well' },
      ])

    test('a PATCH keeps what another client has written to other fields at that moment', async () => {
      const response = await whileDoing(writeBob({ email: 'theirs', name: 'theirs' }), patch)
      expect(response.data()).toMatchObject([{ name: 'Mine', email: 'theirs' }, { name: 'Mine as well' }])
      expect((await api.get('/authors/?ordering=-name')).data()).toMatchObject([
        { name: 'Mine as well', email: null },
        { name: 'Mine', email: 'theirs' },
      ])
    })

    test('a PATCH changes nothing where one of its records leaves the queryset at that moment', async () => {
      const response = await whileDoing(writeBob({ isActive: false, name: 'theirs' }), patch)
      const id = [`There is no author with the id "${uuid(2)}".`]
      expectError(response, 400, 'There is no author with the id "00000000-0000-4000-8000-000000000002".', {
        '0.id': id,
      })
      expect(await names()).toEqual(['Ada', 'theirs'])
    })

    test('requests for the same records in other orders wait for each other, and do not fail', async () => {
      const ids = Array.from({ length: 50 }, (_, n) => uuid(100 + n))
      await seed(api.database, tables, { authors: ids.map(id => ({ id, name: 'new' })) })
      const asked = Array.from({ length: 20 }, (_, n) => {
        const items = ids.map(id => ({ id, name: `${n}` }))
        return api.patch('/authors/bulk-update/', n % 2 ? items : items.toReversed())
      })
      expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200))
      expect(new Set(await names())).toHaveLength(3)
    })
  })

  describe('what finds its record by a unique value', () => {
    beforeEach(seedBob)
    const bobs = async () => (await api.get('/authors/?ordering=name')).data() as { name: string; email: string }[]
    const ways = {
      'an import': () =>
        api.request('POST', '/authors/import-from-file/', importForm('name,email\nMine,bob\n', { append: true })),
      'an upsert': () => api.post('/authors/bulk-upsert/', [{ name: 'Mine', email: 'bob' }]),
    }

    test.each(Object.entries(ways))('%s leaves one alone that leaves the queryset at that moment', async (_, ask) => {
      await whileDoing(writeBob({ isActive: false, name: 'theirs' }), ask)
      expect(await names()).toEqual(['Ada', 'theirs'])
    })

    test.each(Object.entries(ways))('%s leaves one alone that has got another value at that moment', async (_, ask) => {
      await whileDoing(writeBob({ email: 'moved', name: 'theirs' }), ask)
      expect(await bobs()).toMatchObject([{ name: 'Ada' }, { name: 'Mine', email: 'bob' }, { name: 'theirs' }])
    })
  })

  test('what is sent is written, also where it is what was read', async () => {
    const statements = await api.statementsOf(() => api.patch(path, { body: 'as read' }))
    expect(statements.filter(text => text.startsWith('update'))).toEqual([expect.stringContaining('"body" = ')])
  })

  test('reading waits for nobody and keeps nobody waiting', async () => {
    const locks = async (ask: () => Promise<TestResponse>) =>
      (await api.statementsOf(ask)).filter(text => / for (no key )?update/.test(text)).length
    expect(await locks(() => api.get(path))).toBe(0)
    expect(await locks(() => api.get(`${path}peek/`))).toBe(0)
    expect(await locks(() => api.post(`${path}archive/`))).toBe(dialect.name === 'pg' ? 1 : 0)
  })
})
