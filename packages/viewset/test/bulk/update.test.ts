import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkUpdateViewSet,
  insertMany,
  type Permission,
  postSave,
  preSave,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectInvalid, expectSuccess, ID, NOW, nonField, uuid } from '../support/expect.ts'
import { models, seed, seedUsers, users } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'
import { noRecord, notAUuid } from '../support/texts.ts'

const TAKEN = ['Another record already has this value.']
const TWICE = ['Another item of this request has the same value.']
const REPEATED = ['Another item is about the same record. Send one item for each record.']

describeDialects('bulk update', dialect => {
  const tables = models(dialect.kit)
  const all = serializers(tables)
  const permissionClasses = [AllowAny]
  const articles = { model: tables.articles, serializer: all.TitleSerializer, permissionClasses }
  const authors = { model: tables.authors, serializer: all.AuthorSerializer, permissionClasses }
  const auditedSerializer = BaseModelSerializer(tables.articles, {
    fields: ['id', 'title', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy'],
  })
  const audited = { model: tables.articles, serializer: auditedSerializer, permissionClasses }

  const NotBob: Permission<{ name: string }> = {
    hasPermission: () => true,
    hasObjectPermission: (_view, author) => author.name !== 'Bob',
  }
  class Shouting extends BulkUpdateViewSet(authors) {
    override async performBulkUpdate(changes: Parameters<InstanceType<typeof Plain>['performBulkUpdate']>[0]) {
      return super.performBulkUpdate(
        changes.map(({ record, values }) => ({ record, values: { ...values, name: `${record.name}!` } })),
      )
    }
  }
  const Plain = BulkUpdateViewSet(authors)

  const api = useApi(dialect, {
    tables,
    users,
    resources: {
      articles: BulkUpdateViewSet(articles),
      related: BulkUpdateViewSet({ ...articles, serializer: all.ArticleSerializer }),
      authors: Plain,
      quiet: BulkUpdateViewSet({ ...authors, returnDataOnUpdate: false }),
      small: BulkUpdateViewSet({ ...authors, bulkBatchSize: 2 }),
      saved: BulkUpdateViewSet({ ...authors, useSaveOnBulkUpdate: true }),
      audited: BulkUpdateViewSet(audited),
      'audited-saved': BulkUpdateViewSet({ ...audited, useSaveOnBulkUpdate: true }),
      active: BulkUpdateViewSet({ ...authors, queryset: () => eq(tables.authors.isActive, true) }),
      guarded: BulkUpdateViewSet({ ...authors, permissionClasses: [NotBob] }),
      categories: BulkUpdateViewSet({
        model: tables.categories,
        serializer: all.CategorySerializer,
        permissionClasses,
      }),
      shelves: BulkUpdateViewSet({ model: tables.shelves, serializer: all.ShelfSerializer, permissionClasses }),
      loans: BulkUpdateViewSet({ model: tables.loans, serializer: all.LoanSerializer, permissionClasses }),
      shouting: Shouting,
      ruled: BulkUpdateViewSet({
        model: tables.articles,
        serializer: BaseModelSerializer(tables.articles, {
          fields: ['id', 'title', 'rating'],
          validate: ({ rating }, { record }) =>
            rating && record?.title === 'A' ? { rating: 'A is not rated.' } : undefined,
        }),
        permissionClasses,
      }),
    },
  })
  const seedAll = () =>
    seed(api.database, tables, {
      authors: [
        { id: uuid(1), name: 'Ada', email: 'ada@example.org' },
        { id: uuid(2), name: 'Bob', email: 'bob@example.org' },
        { id: uuid(3), name: 'Cy' },
      ],
      articles: [
        { id: uuid(11), title: 'A', author: uuid(1), rating: 1, body: 'old' },
        { id: uuid(12), title: 'B', author: uuid(1), rating: 2, price: '2.50' },
        { id: uuid(13), title: 'C', author: uuid(2), rating: 3 },
      ],
    })
  const authorRows = async () =>
    (await api.rows('authors')).map(row => row.map(String).filter(text => /^(Ada|Bob|Cy|New|.*@.*|.*!)$/.test(text)))

  test('PUT answers 200 with the records in the order of the request', async () => {
    await seedAll()
    const response = await api.put('/authors/bulk-update/', [
      { id: uuid(3), name: 'Cyd', email: 'cyd@example.org' },
      { id: uuid(1), name: 'Adi' },
    ])
    expectSuccess(response, 200, {
      data: [
        { id: uuid(3), name: 'Cyd', email: 'cyd@example.org' },
        { id: uuid(1), name: 'Adi', email: 'ada@example.org' },
      ],
    })
  })

  test('PUT needs every required field, PATCH does not', async () => {
    await seedAll()
    const items = [{ id: uuid(1), email: 'x@example.org' }]
    expectInvalid(await api.put('/authors/bulk-update/', items), { '0.name': ['This field is required.'] })
    expect((await api.patch('/authors/bulk-update/', items)).status).toBe(200)
  })

  test('PATCH changes what each item gives, and a null is given', async () => {
    await seedAll()
    const response = await api.patch('/related/bulk-update/', [
      { id: uuid(13), editor: uuid(3), rating: null },
      { id: uuid(11), body: null, featured: true, metadata: { a: [1] } },
      { id: uuid(12) },
    ])
    const data = response.data<Record<string, unknown>[]>()
    const [ada, bob, cy] = [1, 2, 3].map((n, i) => ({ id: uuid(n), name: ['Ada', 'Bob', 'Cy'][i] }))
    expect(data).toMatchObject([
      { id: uuid(13), title: 'C', author: bob, editor: cy, rating: null, metadata: null, featured: false },
      {
        id: uuid(11),
        title: 'A',
        author: ada,
        editor: null,
        rating: 1,
        body: null,
        featured: true,
        metadata: { a: [1] },
      },
      { id: uuid(12), title: 'B', rating: 2, price: '2.50', featured: false },
    ])
  })

  test('returnDataOnUpdate: false answers the number of records', async () => {
    await seedAll()
    const items = [{ id: uuid(1), name: 'New' }, { id: uuid(2) }]
    expectSuccess(await api.patch('/quiet/bulk-update/', items), 200, { data: { count: 2 } })
  })

  test.each(['audited', 'audited-saved'])('fills audit fields: %s', async resource => {
    await seedUsers(api.database, tables)
    await seedAll()
    const past = '2001-01-01T00:00:00.000000Z'
    const item = { title: 'New', created_at: past, updated_at: past, updated_by: uuid(5) }
    const before = Date.now() - 2
    const response = await api.patch(`/${resource}/bulk-update/`, [{ id: uuid(11), ...item }], { as: 'ann' })
    const stamps = { created_at: NOW, updated_at: NOW, created_by: null, updated_by: users.ann.id }
    expectSuccess(response, 200, { data: [{ id: uuid(11), title: 'New', ...stamps }] })
    const [{ updated_at }] = response.data<[{ updated_at: string }]>()
    expect(Date.parse(updated_at)).toBeGreaterThanOrEqual(before)
    // Nobody's update leaves the last user in place.
    const again = await api.patch(`/${resource}/bulk-update/`, [{ id: uuid(11), title: 'Newer' }])
    expectSuccess(again, 200, { data: [{ id: uuid(11), title: 'Newer', ...stamps }] })
  })

  test('save mode saves each record and sends the signals, in one transaction', async () => {
    await seedAll()
    const heard: unknown[] = []
    const disconnect = [
      preSave(tables.authors, ({ values, record }) => {
        heard.push(record?.name)
        if (values.name === 'New') values.email = 'signal@example.org'
        if (values.name === 'Bad') throw new Error('refused')
      }),
      postSave(tables.authors, ({ record }) => void heard.push(`saved ${record.name}`)),
    ]
    const items = [
      { id: uuid(2), name: 'New' },
      { id: uuid(1), name: 'Adi' },
    ]
    const response = await api.patch('/saved/bulk-update/', items)
    expectSuccess(response, 200, {
      data: [
        { id: uuid(2), name: 'New', email: 'signal@example.org' },
        { id: uuid(1), name: 'Adi', email: 'ada@example.org' },
      ],
    })
    expect(heard).toEqual(['Bob', 'saved New', 'Ada', 'saved Adi'])
    const rows = await api.rows('authors')
    const bad = [
      { id: uuid(1), name: 'X' },
      { id: uuid(2), name: 'Bad' },
    ]
    expect((await api.patch('/saved/bulk-update/', bad)).status).toBe(500)
    for (const stop of disconnect) stop()
    expect(await api.rows('authors')).toEqual(rows)
  })

  test('the default mode sends no signals, if no handler prepares records', async () => {
    await seedAll()
    const heard: unknown[] = []
    const stop = postSave(tables.authors, () => void heard.push('post'))
    await api.patch('/authors/bulk-update/', [{ id: uuid(1), name: 'New' }])
    stop()
    expect(heard).toEqual([])
  })

  test('keys of text and numbers', async () => {
    await seed(api.database, tables, {
      categories: [
        { code: 'a', label: 'A' },
        { code: 'b', label: 'B' },
      ],
      shelves: [
        { id: 1, label: 'one' },
        { id: 2, label: 'two' },
      ],
      loans: [{ id: 9007199254740993n, shelf: 1, fee: '1.00000' }],
    })
    const stamps = { created_at: NOW, updated_at: NOW }
    expectSuccess(await api.patch('/categories/bulk-update/', [{ code: 'b', label: 'x' }]), 200, {
      data: [{ code: 'b', label: 'x', ...stamps }],
    })
    const shelves = [
      { id: 2, label: 'x', category: 'a' },
      { id: 1, category: null },
    ]
    expectSuccess(await api.patch('/shelves/bulk-update/', shelves), 200, {
      data: [
        { id: 2, label: 'x', category: 'a' },
        { id: 1, label: 'one', category: null },
      ],
    })
    expectSuccess(await api.patch('/loans/bulk-update/', [{ id: '9007199254740993', fee: '0.12345' }]), 200, {
      data: [{ id: '9007199254740993', shelf: 1, fee: '0.12345' }],
    })
    expectInvalid(await api.patch('/shelves/bulk-update/', [{ id: '2' }]), {
      '0.id': ['"2" is in quotes. Send the number without quotes.'],
    })
  })

  test('performBulkUpdate can be overridden', async () => {
    await seedAll()
    const response = await api.patch('/shouting/bulk-update/', [{ id: uuid(1) }])
    expectSuccess(response, 200, { data: [{ id: uuid(1), name: 'Ada!', email: 'ada@example.org' }] })
  })

  test('rules across fields see the stored record', async () => {
    await seedAll()
    const items = [
      { id: uuid(12), rating: 5 },
      { id: uuid(11), rating: 5 },
    ]
    expectInvalid(await api.patch('/ruled/bulk-update/', items), { '1.rating': ['A is not rated.'] })
  })

  describe('refuses, writing nothing,', () => {
    test('the errors of all items together', async () => {
      await seedAll()
      const before = await api.rows('articles')
      const response = await api.put('/articles/bulk-update/', [
        { id: uuid(11), title: 'New', author: uuid(1) },
        { id: uuid(99), title: 5 },
        { title: 'x', author: uuid(1) },
        { id: null, title: 'x', author: uuid(8) },
        'x',
        { id: uuid(12), title: 'y', author: uuid(8) },
      ])
      expectInvalid(response, {
        '1.id': [noRecord('article', uuid(99))],
        '1.title': ['5 is not a text. Send a text in quotes.'],
        '1.author': ['This field is required.'],
        '2.id': ['This field is required.'],
        '3.id': ['This field needs a value: null is not allowed.'],
        '4.non_field_errors': ['Send a JSON object, not a string.'],
        '5.author': [noRecord('author', uuid(8))],
      })
      expect(await api.rows('articles')).toEqual(before)
    })

    test('malformed identifiers', async () => {
      const items = [{}, [], 5, 'x', `${uuid(1)} `].map(id => ({ id }))
      expectInvalid(
        await api.patch('/authors/bulk-update/', items),
        Object.fromEntries(items.map(({ id }, i) => [`${i}.id`, [notAUuid(id)]])),
      )
    })

    test('the same id twice, also in another case', async () => {
      const id = 'aaaaaaaa-0000-4000-8000-000000000001'
      await seed(api.database, tables, { authors: [{ id, name: 'Ada' }] })
      const items = [
        { id, name: 'X' },
        { id: id.toUpperCase(), name: 'Y' },
      ]
      expectInvalid(await api.patch('/authors/bulk-update/', items), { '1.id': REPEATED })
      expectInvalid(await api.patch('/authors/bulk-update/', [items[0], items[0]]), { '1.id': REPEATED })
      expectSuccess(await api.patch('/authors/bulk-update/', [items[1]]), 200, {
        data: [{ id: ID, name: 'Y', email: null }],
      })
    })

    test('unique values, taken in the table or within the body', async () => {
      await seedAll()
      const taken = [
        { id: uuid(1), email: 'bob@example.org' },
        { id: uuid(3), name: 'X' },
      ]
      expectInvalid(await api.patch('/authors/bulk-update/', taken), { '0.email': TAKEN })
      const twice = [
        { id: uuid(1), email: 'x@example.org' },
        { id: uuid(3), email: 'x@example.org' },
      ]
      expectInvalid(await api.patch('/authors/bulk-update/', twice), { '1.email': TWICE })
      const kept = [
        { id: uuid(1), email: 'ada@example.org' },
        { id: uuid(3), email: 'ada@example.org' },
      ]
      expectInvalid(await api.patch('/authors/bulk-update/', kept), { '1.email': TWICE })
      const pair = [{ id: uuid(12), title: 'A' }]
      expectInvalid(await api.patch('/articles/bulk-update/', pair), {
        '0.non_field_errors': ['Another record already has these values of author, title.'],
      })
    })

    test('records out of scope', async () => {
      await seedAll()
      await seed(api.database, tables, { authors: [{ id: uuid(4), name: 'Gone', isActive: false }] })
      const items = [
        { id: uuid(1), name: 'X' },
        { id: uuid(4), name: 'X' },
      ]
      expectInvalid(await api.patch('/active/bulk-update/', items), { '1.id': [noRecord('author', uuid(4))] })
      expect((await authorRows()).flat()).toContain('Ada')
    })

    test('a record that the user may not change', async () => {
      await seedAll()
      const items = [
        { id: uuid(1), name: 'X' },
        { id: uuid(2), name: 'X' },
      ]
      expectError(
        await api.patch('/guarded/bulk-update/', items, { as: 'ben' }),
        403,
        'You do not have permission to perform this action.',
      )
      expect((await api.patch('/guarded/bulk-update/', items.slice(0, 1), { as: 'ben' })).status).toBe(200)
    })
  })

  describe('before the database is asked, refuses', () => {
    const many = (length: number) => Array.from({ length }, (_, i) => ({ id: uuid(i) }))
    test.each([
      ['an object', { id: uuid(1) }, 'Send a JSON array, not an object.'],
      ['an empty array', [], 'This list is empty. Send at least one item.'],
      ['1,001 items', many(1_001), 'Ensure this list has no more than 1000 items.'],
    ])('%s', async (_, body, message) => {
      const statements = await api.statementsOf(async () => {
        for (const method of ['PUT', 'PATCH'] as const) {
          const response = await api.request(method, '/authors/bulk-update/', { body })
          expectError(response, 400, message, nonField(message))
        }
      })
      expect(statements).toEqual([])
    })

    test('more than the bulkBatchSize of the resource', async () => {
      const message = 'Ensure this list has no more than 2 items.'
      expectError(await api.patch('/small/bulk-update/', many(3)), 400, message, nonField(message))
    })
  })

  describe('1,000 items', () => {
    const ids = Array.from({ length: 1_000 }, (_, i) => uuid(i + 1))
    const seedMany = () =>
      api.database.transaction(() =>
        insertMany(
          tables.authors,
          ids.map((id, i) => ({ id, name: `A${i}`, email: `a${i}@example.org` })),
        ),
      )
    const verbs = (statements: readonly string[]) => statements.map(text => text.split(' ')[0])

    test('are one statement, also with mixed keys', async () => {
      await seedMany()
      const items = ids.map((id, i) => (i % 2 ? { id, name: `B${i}` } : { id }))
      const statements = await api.statementsOf(async () => {
        const data = (await api.patch('/authors/bulk-update/', items)).data<{ name: string }[]>()
        expect(data.map(({ name }) => name)).toEqual(ids.map((_, i) => `${i % 2 ? 'B' : 'A'}${i}`))
      })
      expect(verbs(statements)).toEqual(['with'])
      if (dialect.name === 'pg') expect(statements[0]).toMatch(/order by .* for no key update\)/)
    })

    test('and a unique key are one check and a savepoint more', async () => {
      await seedMany()
      const items = ids.map((id, i) => ({ id, name: 'X', email: `b${i}@example.org` }))
      const statements = await api.statementsOf(() => api.put('/authors/bulk-update/', items))
      expect(verbs(statements)).toEqual(['select', 'select', 'savepoint', 'update', 'release'])
    })
  })
})
