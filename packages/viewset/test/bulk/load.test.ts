import { sql } from 'drizzle-orm'
import { integer as pgInteger, pgTable, text as pgText, serial } from 'drizzle-orm/pg-core'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { AllowAny, BaseModelSerializer, BulkOnlyViewSet, BulkViewSet, insertMany } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { models } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

describeDialects('bulk under load', dialect => {
  const tables = models(dialect.kit)
  const all = serializers(tables)
  const authors = { model: tables.authors, serializer: all.AuthorSerializer, permissionClasses: [AllowAny] }
  const api = useApi(dialect, {
    tables,
    server: { bodyLimit: 50_000_000 },
    settings: { COMMON: { BULK_OPERATION_BATCH_SIZE: 33_000 } },
    resources: { authors: BulkViewSet(authors), saved: BulkViewSet({ ...authors, useSaveOnBulkUpdate: true }) },
  })
  const ids = (count: number) => Array.from({ length: count }, (_, i) => uuid(i + 1))
  const seedMany = (count: number) =>
    api.database.transaction(() =>
      insertMany(
        tables.authors,
        ids(count).map((id, i) => ({ id, name: `A${i}`, email: `a${i}@example.org` })),
      ),
    )
  const shuffled = <T>(items: readonly T[], seed: number): T[] =>
    items
      .map((item, i) => ({ item, rank: ((i + 1) * 7919 * (seed + 13)) % 10_007 }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item)

  test('33,000 items, more values than the driver allows parameters', async () => {
    const names = Array.from({ length: 33_000 }, (_, i) => `A${i}`)
    const created = await api.post(
      '/authors/bulk-create/',
      names.map(name => ({ name })),
    )
    expect(created.status).toBe(201)
    const data = created.data<{ id: string; name: string }[]>()
    expect(data.map(({ name }) => name)).toEqual(names)
    const items = data.map(({ id }, i) => (i % 3 ? { id, name: `B${i}` } : { id, email: `b${i}@example.org` }))
    const updated = await api.patch('/authors/bulk-update/', items)
    expect(updated.data<{ name: string; email: string | null }[]>()).toEqual(
      data.map(({ id }, i) =>
        i % 3 ? { id, name: `B${i}`, email: null } : { id, name: `A${i}`, email: `b${i}@example.org` },
      ),
    )
    const removed = await api.delete('/authors/bulk-delete/', { body: data.map(({ id }) => id) })
    expect(removed.data()).toEqual({ requested_count: 33_000, count: 33_000, missing_ids: [] })
  })

  describe('eight clients, the same ids in shuffled order, nobody fails:', () => {
    const clients = Array.from({ length: 8 }, (_, client) => client)

    test.each(['authors', 'saved'])('bulk update of %s', async resource => {
      await seedMany(200)
      for (const round of [1, 2, 3]) {
        const responses = await Promise.all(
          clients.map(client => {
            const items = shuffled(ids(200), client + round).map(id => ({ id, name: `C${client}`, email: null }))
            return api.patch(`/${resource}/bulk-update/`, items)
          }),
        )
        expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200))
      }
      // All rows are the last client's: the updates did not mix.
      const list = await api.get('/authors/?paginated=false')
      expect(new Set(list.data<{ name: string }[]>().map(({ name }) => name)).size).toBe(1)
    })

    test('bulk update, delete, soft delete and single updates at once', async () => {
      await seedMany(100)
      const responses = await Promise.all(
        clients.flatMap(client => {
          const order = shuffled(ids(100), client)
          return [
            api.delete('/authors/bulk-delete/', { body: order.slice(0, 30) }),
            api.delete('/authors/bulk-soft-delete/', { body: order }),
            api.patch(`/authors/${order[50]}/`, { name: 'Single' }),
          ]
        }),
      )
      const statuses = responses.map(({ status }) => status)
      expect(statuses.every(status => status === 200 || status === 404)).toBe(true)
      const counts = responses.filter((_, i) => i % 3 === 0).map(response => response.data<{ count: number }>().count)
      const left = await api.rows('authors')
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(100 - left.length)
    })
  })
})

const plainTable = {
  pg: () =>
    pgTable('plain', {
      id: serial().primaryKey(),
      code: pgText().default(sql`'made ' || ${sql.raw("'up'")}`),
      level: pgInteger(),
      label: pgText().notNull().default(sql`lower('LABEL')`),
    }),
  sqlite: () =>
    sqliteTable('plain', {
      id: integer().primaryKey(),
      code: text().default(sql`('made ' || 'up')`),
      level: integer(),
      label: text().notNull().default(sql`(lower('LABEL'))`),
    }),
}

describeDialects('defaults in bulk', dialect => {
  const plain = plainTable[dialect.name]() as ReturnType<typeof plainTable.pg>
  const api = useApi(dialect, {
    tables: { plain },
    resources: {
      plain: BulkOnlyViewSet({
        model: plain,
        serializer: BaseModelSerializer(plain, { fields: ['id', 'code', 'level', 'label'] }),
        permissionClasses: [AllowAny],
      }),
    },
  })

  test('each row gets the defaults of the columns that it leaves out, and the number that the database gives', async () => {
    const response = await api.post('/plain/bulk-create/', [
      { code: 'x', label: 'y' },
      {},
      { code: null, level: 5 },
      { label: 'z' },
    ])
    expect(response.data()).toEqual([
      { id: 1, code: 'x', level: null, label: 'y' },
      { id: 2, code: 'made up', level: null, label: 'label' },
      { id: 3, code: null, level: 5, label: 'label' },
      { id: 4, code: 'made up', level: null, label: 'z' },
    ])
  })

  test('rows of nothing but defaults', async () => {
    const response = await api.post('/plain/bulk-create/', [{}, {}])
    const defaults = { code: 'made up', level: null, label: 'label' }
    expect(response.data()).toEqual([
      { id: 1, ...defaults },
      { id: 2, ...defaults },
    ])
  })

  test('numbered keys that only some rows bring', async () => {
    const count = await api.database.transaction(() => insertMany(plain, [{ id: 50, level: 1 }, { level: 2 }]))
    expect(count).toBe(2)
    expect(await api.rows('plain')).toHaveLength(2)
  })

  test('an update leaves out what it does not give', async () => {
    const created = (await api.post('/plain/bulk-create/', [{ code: 'a' }, { code: 'b' }])).data<{ id: number }[]>()
    const [first, second] = created.map(({ id }) => id)
    const response = await api.patch('/plain/bulk-update/', [
      { id: second, code: null },
      { id: first, label: 'new' },
    ])
    expect(response.data()).toMatchObject([
      { id: second, code: null, label: 'label' },
      { id: first, code: 'a', label: 'new' },
    ])
    expect((await api.patch('/plain/bulk-update/', [{ id: first }])).data()).toMatchObject([{ id: first, code: 'a' }])
  })
})

describeDialects('bulk of a wide table', dialect => {
  const COLUMNS = 70
  const numbers = Array.from({ length: COLUMNS }, (_, i) => `n${i}`)
  const wide = dialect.kit.table('wide', {
    id: dialect.kit.text().primaryKey(),
    ...Object.fromEntries(numbers.map(name => [name, dialect.kit.integer()])),
  })
  const api = useApi(dialect, {
    tables: { wide },
    server: { bodyLimit: 50_000_000 },
    resources: {
      wide: BulkOnlyViewSet({
        model: wide,
        serializer: BaseModelSerializer(wide, { fields: ['id', ...numbers] as ['id'] }),
        permissionClasses: [AllowAny],
      }),
    },
  })

  test('1,000 items of 70 fields, each item of a PATCH with a field of its own', async () => {
    const items = Array.from({ length: 1_000 }, (_, n) => ({
      id: `w${n}`,
      ...Object.fromEntries(numbers.map((name, i) => [name, n * i])),
    }))
    const created = await api.post('/wide/bulk-create/', items)
    expect(created.data()).toEqual(items)
    const changes = items.map(({ id }, n) => ({ id, [`n${n % COLUMNS}`]: n % 2 ? null : -1 }))
    const statements = await api.statementsOf(async () => {
      const updated = await api.patch('/wide/bulk-update/', changes)
      expect(updated.data()).toEqual(items.map((item, i) => ({ ...item, ...changes[i] })))
    })
    expect(statements).toHaveLength(2)
  })
})
