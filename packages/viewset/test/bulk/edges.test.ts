import { sql } from 'drizzle-orm'
import { pgTable, text as pgText, uuid as pgUuid } from 'drizzle-orm/pg-core'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { AllowAny, BaseModelSerializer, BulkViewSet, Database, insertMany, postSave } from 'viewset'
import { postgres } from 'viewset/pg'
import { sqlite } from 'viewset/sqlite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Executor } from '../../src/store/connection/driver.ts'
import { useApi } from '../support/api.ts'
import { describeDialects, type TestDialect } from '../support/dialects.ts'
import { expectError, expectInvalid, expectSuccess, ID, nonField, uuid } from '../support/expect.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const permissionClasses = [AllowAny]
const TAKEN = ['Another record already has this value.']
const TWICE = ['Another item of this request has the same value.']

/** A key that only the database can make, in no order that has to do with that of the rows. */
const made = {
  pg: () => pgTable('made', { id: pgUuid().primaryKey().default(sql`gen_random_uuid()`), label: pgText().notNull() }),
  sqlite: () =>
    sqliteTable('made', {
      id: text().primaryKey().default(sql`(lower(hex(randomblob(16))))`),
      label: text().notNull(),
    }),
}

/** The order in which a database returns the rows of an INSERT is not promised; here it is the wrong one. */
function returningBackwards(dialect: TestDialect): TestDialect {
  return {
    name: dialect.name,
    kit: dialect.kit,
    get server() {
      return dialect.server
    },
    open: url => {
      const { driver } = dialect.name === 'pg' ? postgres(url) : sqlite(url)
      const open = driver.begin.bind(driver)
      const begin = async () => backwards(await open())
      return new Database(Object.assign(backwards(driver), { begin }))
    },
  }
}

/** The rows that an INSERT returns, the last one first. */
function backwards<E extends Executor>(executor: E): E {
  const run = executor.run.bind(executor)
  return Object.assign(executor, {
    run: async (...[statement, values]: Parameters<Executor['run']>) => {
      const result = await run(statement, values)
      return statement.text.startsWith('insert') ? { ...result, rows: result.rows.toReversed() } : result
    },
  })
}

describeDialects('bulk create with keys that the database makes', dialect => {
  const table = made[dialect.name]() as ReturnType<typeof made.pg>
  const api = useApi(returningBackwards(dialect), {
    tables: { table },
    resources: {
      made: BulkViewSet({
        model: table,
        serializer: BaseModelSerializer(table, { fields: ['id', 'label'] }),
        permissionClasses,
      }),
    },
  })
  const labels = (data: { label: string }[]) => data.map(({ label }) => label)

  test('answers in the order of the request, whatever order the rows come back in', async () => {
    const items = Array.from({ length: 200 }, (_, i) => ({ label: `L${i}` }))
    const response = await api.post('/made/bulk-create/', items)
    expect(response.status).toBe(201)
    const data = response.data<{ id: string; label: string }[]>()
    expect(labels(data)).toEqual(items.map(({ label }) => label))
    expect(new Set(data.map(({ id }) => id)).size).toBe(200)
    const list = (await api.get('/made/?paginated=false')).data<{ id: string; label: string }[]>()
    const stored = new Map(list.map(({ id, label }) => [id, label]))
    for (const { id, label } of data) expect(stored.get(id)).toBe(label)
  })

  test('is still one insert', async () => {
    const statements = await api.statementsOf(() => api.post('/made/bulk-create/', [{ label: 'a' }, { label: 'b' }]))
    expect(statements.filter(statement => statement.includes('insert into'))).toHaveLength(1)
  })
})

describeDialects('bulk, at its edges,', dialect => {
  const c = dialect.kit
  const tables = models(c)
  const all = serializers(tables)
  /** Numbered, without any mixin, with a name that is unique in any case. */
  const teams = c.table(
    'teams',
    { id: c.integer().primaryKey(), name: c.text(20).notNull(), points: c.integer() },
    t => [c.uniqueIgnoringCase(t.name)],
  )
  const authors = { model: tables.authors, serializer: all.AuthorSerializer, permissionClasses }
  const api = useApi(dialect, {
    tables: { ...tables, teams },
    resources: {
      authors: BulkViewSet(authors),
      saved: BulkViewSet({ ...authors, useSaveOnBulkUpdate: true }),
      articles: BulkViewSet({ model: tables.articles, serializer: all.TitleSerializer, permissionClasses }),
      categories: BulkViewSet({ model: tables.categories, serializer: all.CategorySerializer, permissionClasses }),
      teams: BulkViewSet({
        model: teams,
        serializer: BaseModelSerializer(teams, { fields: ['id', 'name', 'points'] }),
        permissionClasses,
      }),
    },
  })
  const seedTeams = () =>
    api.database.transaction(() =>
      insertMany(teams, [
        { id: 1, name: 'Ägir', points: 1 },
        { id: 2, name: 'Balder', points: 2 },
      ]),
    )
  const seedAuthors = () =>
    seed(api.database, tables, {
      authors: [
        { id: uuid(1), name: 'Ada', email: 'ada@example.org' },
        { id: uuid(2), name: 'Bob' },
      ],
    })
  const teamRows = async () => (await api.get('/teams/?paginated=false')).data<object[]>()

  describe('values that are unique in any case', () => {
    test('create: taken in the table and within the body', async () => {
      await seedTeams()
      const items = ['Óðinn', 'äGIR', 'ÓÐINN', 'Thor'].map((name, i) => ({ id: i + 9, name }))
      expectInvalid(await api.post('/teams/bulk-create/', items), { '1.name': TAKEN, '2.name': TWICE })
      expect(await teamRows()).toHaveLength(2)
    })

    test('update: taken in the table and within the body, but not by the record itself', async () => {
      await seedTeams()
      await api.database.transaction(() => insertMany(teams, [{ id: 3, name: 'Freya' }]))
      const before = await teamRows()
      const taken = [{ id: 2, name: 'ägir' }]
      expectInvalid(await api.patch('/teams/bulk-update/', taken), { '0.name': TAKEN })
      const twice = [
        { id: 1, name: 'Thor' },
        { id: 3, name: 'THOR' },
      ]
      expectInvalid(await api.patch('/teams/bulk-update/', twice), { '1.name': TWICE })
      expect(await teamRows()).toEqual(before)
      expectSuccess(await api.patch('/teams/bulk-update/', [{ id: 1, name: 'ÄGIR' }]), 200, {
        data: [{ id: 1, name: 'ÄGIR', points: 1 }],
      })
    })
  })

  test('a model without automatic fields: items that change nothing', async () => {
    await seedTeams()
    expectSuccess(await api.patch('/teams/bulk-update/', [{ id: 2 }, { id: 1, points: null }]), 200, {
      data: [
        { id: 2, name: 'Balder', points: 2 },
        { id: 1, name: 'Ägir', points: null },
      ],
    })
    expectSuccess(await api.patch('/teams/bulk-update/', [{ id: 2 }]), 200, {
      data: [{ id: 2, name: 'Balder', points: 2 }],
    })
  })

  test('identifiers in upper case, of records and of those that they refer to', async () => {
    const id = 'aaaaaaaa-0000-4000-8000-00000000000f'
    await seed(api.database, tables, {
      authors: [{ id, name: 'Ada' }],
      articles: [{ id: uuid(11), title: 'A', author: id }],
    })
    const [created] = (await api.post('/articles/bulk-create/', [{ title: 'B', author: id.toUpperCase() }])).data<
      { id: string; author: string }[]
    >()
    expect(created?.author).toBe(id)
    const update = [{ id: created?.id.toUpperCase(), title: 'C' }]
    expectSuccess(await api.patch('/articles/bulk-update/', update), 200, {
      data: [{ id: ID, title: 'C', author: ID, rating: null }],
    })
    const ids = [uuid(11), created?.id.toUpperCase(), created?.id]
    expectSuccess(await api.delete('/articles/bulk-delete/', { body: ids }), 200, {
      data: { requested_count: 3, count: 2, missing_ids: [] },
    })
  })

  test('keys of numbers and of text are told from what only looks like them', async () => {
    allowUndescribed(/bulk-delete\/ takes/, 'What is no key names no record. The document says what a key is.')
    await seedTeams()
    const ids = ['1', 1.5, 2 ** 40, true, 1, 1]
    expectSuccess(await api.delete('/teams/bulk-delete/', { body: ids }), 200, {
      data: { requested_count: 6, count: 1, missing_ids: ['1', 1.5, 2 ** 40, true] },
    })
    await api.post('/categories/bulk-create/', [
      { code: '1', label: 'one' },
      { code: 'a', label: 'small' },
      { code: 'A', label: 'large' },
    ])
    expectSuccess(await api.delete('/categories/bulk-delete/', { body: [1, '1', 'A', 'ä'] }), 200, {
      data: { requested_count: 4, count: 2, missing_ids: [1, 'ä'] },
    })
    expect(await api.rows('categories')).toHaveLength(1)
  })

  describe('items of any shape are refused or missing', () => {
    const shapes = [{}, null, [], [[]], [{}], 0, '', false, { id: {} }, { id: [] }, { id: null }, { id: { id: 1 } }]

    test.each([
      ['POST', 'bulk-create'],
      ['PUT', 'bulk-update'],
      ['PATCH', 'bulk-update'],
    ] as const)('%s /%s/', async (method, path) => {
      await seedAuthors()
      const before = await api.rows('authors')
      for (const shape of [...shapes.map(item => [item]), shapes]) {
        const response = await api.request(method, `/authors/${path}/`, { body: shape })
        expect(response.status, response.text).toBe(400)
      }
      expect(await api.rows('authors')).toEqual(before)
    })

    test.each(['bulk-delete', 'bulk-soft-delete'])('DELETE /%s/', async path => {
      allowUndescribed(/delete\/ takes/, 'What is no key names no record. The document says what a key is.')
      await seedAuthors()
      const before = await api.rows('authors')
      expectSuccess(await api.delete(`/authors/${path}/`, { body: shapes }), 200, {
        data: { requested_count: shapes.length, count: 0, missing_ids: shapes },
      })
      expect(await api.rows('authors')).toEqual(before)
    })
  })

  test('save mode: what a signal throws behind a save undoes all saves', async () => {
    await seedAuthors()
    const before = await api.rows('authors')
    const stop = postSave(tables.authors, ({ record }) => {
      if (record.name === 'Second') throw new Error('refused')
    })
    const items = [
      { id: uuid(1), name: 'First' },
      { id: uuid(2), name: 'Second' },
    ]
    expect((await api.patch('/saved/bulk-update/', items)).status).toBe(500)
    stop()
    expect(await api.rows('authors')).toEqual(before)
    expect((await api.patch('/saved/bulk-update/', items)).status).toBe(200)
  })

  test('a DELETE that announces JSON and brings nothing', async () => {
    const message = 'Send a JSON array.'
    const headers = { 'content-type': 'application/json' }
    for (const options of [{}, { headers }, { headers, payload: '' }]) {
      expectError(await api.delete('/authors/bulk-delete/', options), 400, message, nonField(message))
    }
  })

  test('eight clients create the same values in shuffled order: one does, the others are told', async () => {
    const items = Array.from({ length: 100 }, (_, i) => ({ name: `A${i}`, email: `a${i}@example.org` }))
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, client) => {
        const rank = (i: number) => ((i + 1) * 7919 * (client + 13)) % 10_007
        const shuffled = items.map((item, i) => ({ item, i })).sort((a, b) => rank(a.i) - rank(b.i))
        return api.post(
          '/authors/bulk-create/',
          shuffled.map(({ item }) => item),
        )
      }),
    )
    const statuses = responses.map(({ status }) => status).sort()
    expect(statuses[0]).toBe(201)
    expect(statuses.slice(1).every(status => status === 400 || status === 409)).toBe(true)
    expect(await api.rows('authors')).toHaveLength(100)
  })
})

describeDialects('BULK_OPERATION_BATCH_SIZE in the environment', dialect => {
  // Before useApi, which starts the API in a hook of its own.
  beforeAll(() => void vi.stubEnv('COMMON_BULK_OPERATION_BATCH_SIZE', '2'))
  afterAll(() => void vi.unstubAllEnvs())
  const tables = models(dialect.kit)
  const { AuthorSerializer } = serializers(tables)
  const authors = { model: tables.authors, serializer: AuthorSerializer, permissionClasses }
  const api = useApi(dialect, {
    tables,
    settings: { COMMON: { BULK_OPERATION_BATCH_SIZE: 5 } },
    resources: { authors: BulkViewSet(authors), more: BulkViewSet({ ...authors, bulkBatchSize: 3 }) },
  })

  test.each([
    ['authors', 2],
    ['more', 3],
  ])('%s: goes before the setting, and a bulkBatchSize before it', async (resource, limit) => {
    const items = Array.from({ length: limit + 1 }, (_, i) => ({ name: `A${i}` }))
    const message = `Ensure this list has no more than ${limit} items.`
    expectError(await api.post(`/${resource}/bulk-create/`, items), 400, message, nonField(message))
    expect((await api.post(`/${resource}/bulk-create/`, items.slice(1))).status).toBe(201)
  })
})
