import { AllowAny, BaseModelSerializer, BulkCreateViewSet, BulkViewSet, postSave } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import {
  expectError,
  expectInvalid,
  expectNotAllowed,
  expectSuccess,
  ID,
  NOW,
  nonField,
  uuid,
} from '../support/expect.ts'
import { models, seed, seedUsers, users } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const REQUIRED = ['This field is required.']
const TAKEN = ['Another record already has this value.']
const TWICE = ['Another item of this request has the same value.']

describeDialects('bulk create', dialect => {
  const tables = models(dialect.kit)
  const all = serializers(tables)
  const permissionClasses = [AllowAny]
  const articles = { model: tables.articles, serializer: all.TitleSerializer, permissionClasses }
  const related = { model: tables.articles, serializer: all.ArticleSerializer, permissionClasses }
  const authors = { model: tables.authors, serializer: all.AuthorSerializer, permissionClasses }

  class Stamped extends BulkCreateViewSet(authors) {
    override async performBulkCreate(values: { name?: string; email?: string | null }[]) {
      const created = await super.performBulkCreate(values.map(value => ({ ...value, name: `${value.name}!` })))
      for (const author of await created.records()) if (author.name === 'Bad!') throw new Error('no such author')
      return created
    }
  }

  const api = useApi(dialect, {
    tables,
    users,
    resources: {
      articles: BulkCreateViewSet(articles),
      related: BulkCreateViewSet(related),
      authors: BulkCreateViewSet(authors),
      quiet: BulkCreateViewSet({ ...authors, returnDataOnCreate: false }),
      small: BulkCreateViewSet({ ...authors, bulkBatchSize: 2 }),
      audited: BulkCreateViewSet({
        model: tables.articles,
        serializer: BaseModelSerializer(tables.articles, {
          fields: ['title', 'author', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'isActive', 'deletedAt'],
        }),
        permissionClasses,
      }),
      categories: BulkCreateViewSet({
        model: tables.categories,
        serializer: all.CategorySerializer,
        permissionClasses,
      }),
      shelves: BulkCreateViewSet({ model: tables.shelves, serializer: all.ShelfSerializer, permissionClasses }),
      stamped: Stamped,
      everything: BulkViewSet(authors),
    },
  })
  const seedAuthors = () =>
    seed(api.database, tables, {
      authors: [
        { id: uuid(1), name: 'Ada' },
        { id: uuid(2), name: 'Bob' },
      ],
    })

  test('answers 201 with the new records in the order of the request', async () => {
    const names = ['Zoe', 'Ada', 'Mia', 'Bob']
    const response = await api.post(
      '/authors/bulk-create/',
      names.map(name => ({ name })),
    )
    expectSuccess(response, 201, { data: names.map(name => ({ id: ID, name, email: null })) })
    expect(await api.rows('authors')).toHaveLength(4)
  })

  test('relation fields take identifiers and show the records', async () => {
    await seedAuthors()
    const response = await api.post('/related/bulk-create/', [
      { title: 'B', author: uuid(2), editor: uuid(1), price: '29.90' },
      { title: 'A', author: uuid(1), metadata: { tags: ['x', null] } },
    ])
    const empty = {
      body: null,
      status: 'draft',
      rating: null,
      views: null,
      featured: false,
      published_at: null,
      released_on: null,
      reference: null,
    }
    const [bob, ada] = [
      { id: uuid(2), name: 'Bob' },
      { id: uuid(1), name: 'Ada' },
    ]
    expect(response.data()).toEqual([
      { id: expect.any(String), title: 'B', author: bob, editor: ada, price: '29.90', metadata: null, ...empty },
      {
        id: expect.any(String),
        title: 'A',
        author: ada,
        editor: null,
        price: null,
        metadata: { tags: ['x', null] },
        ...empty,
      },
    ])
    expect(response.status).toBe(201)
  })

  test('returnDataOnCreate: false answers the number of new records', async () => {
    expectSuccess(await api.post('/quiet/bulk-create/', [{ name: 'A' }, { name: 'B' }]), 201, { data: { count: 2 } })
    expect(await api.rows('authors')).toHaveLength(2)
  })

  test('fills audit fields, the same moment for the whole request', async () => {
    await seedUsers(api.database, tables)
    await seedAuthors()
    const body = [
      { title: 'A', author: uuid(1), created_by: uuid(5), is_active: false },
      { title: 'B', author: uuid(1) },
    ]
    const response = await api.post('/audited/bulk-create/', body, { as: 'ann' })
    const stamp = { created_at: NOW, updated_at: NOW, created_by: users.ann.id, updated_by: users.ann.id }
    const rest = { author: uuid(1), ...stamp, is_active: true, deleted_at: null }
    expectSuccess(response, 201, {
      data: [
        { title: 'A', ...rest },
        { title: 'B', ...rest },
      ],
    })
    expect(new Set(response.data<{ created_at: string }[]>().map(item => item.created_at)).size).toBe(1)
  })

  test('keys that clients choose', async () => {
    const stamps = { created_at: NOW, updated_at: NOW }
    const response = await api.post('/categories/bulk-create/', [
      { code: 'b', label: 'B' },
      { code: 'a', label: 'A' },
    ])
    expectSuccess(response, 201, {
      data: [
        { code: 'b', label: 'B', ...stamps },
        { code: 'a', label: 'A', ...stamps },
      ],
    })
    expectInvalid(
      await api.post('/categories/bulk-create/', [
        { code: 'c', label: 'x' },
        { code: 'a', label: 'x' },
      ]),
      {
        '1.code': TAKEN,
      },
    )
  })

  test('sends no signals, if no handler prepares records', async () => {
    const heard: string[] = []
    const stop = postSave(tables.authors, () => void heard.push('post'))
    await api.post('/authors/bulk-create/', [{ name: 'A' }])
    stop()
    expect(heard).toEqual([])
  })

  test('performBulkCreate can be overridden; what it throws undoes everything', async () => {
    expectSuccess(await api.post('/stamped/bulk-create/', [{ name: 'A' }]), 201, {
      data: [{ id: ID, name: 'A!', email: null }],
    })
    expect((await api.post('/stamped/bulk-create/', [{ name: 'B' }, { name: 'Bad' }])).status).toBe(500)
    expect(await api.rows('authors')).toHaveLength(1)
  })

  describe('refuses, storing nothing,', () => {
    test('the errors of all items together', async () => {
      await seedAuthors()
      const response = await api.post('/articles/bulk-create/', [
        { title: 'ok', author: uuid(1) },
        { author: uuid(9), rating: '5' },
        null,
        { title: null, author: 'x' },
      ])
      expectInvalid(response, {
        '1.title': REQUIRED,
        '1.rating': ['"5" is in quotes. Send the number without quotes.'],
        '1.author': [`There is no author with the id "${uuid(9)}".`],
        '2.non_field_errors': ['Send a JSON object, not null.'],
        '3.title': ['This field needs a value: null is not allowed.'],
        '3.author': ['Send the "id" of the related record, not "x".'],
      })
      expect(await api.rows('articles')).toEqual([])
    })

    test('row 999 invalid, nothing is written', async () => {
      const items = Array.from({ length: 1_000 }, (_, i) => ({ name: i === 999 ? 'x'.repeat(21) : `A${i}` }))
      expectInvalid(await api.post('/authors/bulk-create/', items), {
        '999.name': ['Ensure this field has no more than 20 characters.'],
      })
      expect(await api.rows('authors')).toEqual([])
    })

    test('values taken in the table and within the body', async () => {
      await seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ada', email: 'ada@example.org' }] })
      const response = await api.post('/authors/bulk-create/', [
        { name: 'A', email: 'new@example.org' },
        { name: 'B', email: 'ada@example.org' },
        { name: 'C', email: 'new@example.org' },
        { name: 'D', email: null },
        { name: 'E', email: null },
      ])
      expectInvalid(response, { '1.email': TAKEN, '2.email': TWICE })
      expect(await api.rows('authors')).toHaveLength(1)
    })

    test('a pair taken within the body', async () => {
      await seedAuthors()
      const same = { title: 'A', author: uuid(1) }
      expectInvalid(await api.post('/articles/bulk-create/', [same, same]), {
        '1.non_field_errors': ['Another item of this request has the same values of author, title.'],
      })
      expect(await api.rows('articles')).toEqual([])
    })
  })

  describe('before the database is asked, refuses', () => {
    const many = (length: number) => Array.from({ length }, () => ({ name: 'A' }))
    test.each([
      ['nothing', undefined, 'Send a JSON array.'],
      ['null', null, 'Send a JSON array, not null.'],
      ['an object', { name: 'A' }, 'Send a JSON array, not an object.'],
      ['a string', 'A', 'Send a JSON array, not a string.'],
      ['an empty array', [], 'This list is empty. Send at least one item.'],
      ['1,001 items', many(1_001), 'Ensure this list has no more than 1000 items.'],
    ])('%s', async (_, body, message) => {
      const statements = await api.statementsOf(async () => {
        expectError(await api.post('/authors/bulk-create/', body), 400, message, nonField(message))
      })
      expect(statements).toEqual([])
    })

    test('more than the bulkBatchSize of the resource', async () => {
      const message = 'Ensure this list has no more than 2 items.'
      expectError(await api.post('/small/bulk-create/', many(3)), 400, message, nonField(message))
      expect((await api.post('/small/bulk-create/', many(2))).status).toBe(201)
    })
  })

  test('a bulk path is a path of its own', async () => {
    expectNotAllowed(await api.get('/authors/bulk-create/'), 'GET')
    const meant = ' Did you mean POST /api/authors/bulk-create/?'
    const nothing = 'There is nothing at this address.'
    expectError(await api.post('/authors/bulk_create/', []), 404, nothing + meant)
    const other = meant.replace('authors', 'everything')
    expectNotAllowed(await api.post('/everything/bulk_create/', []), 'POST', other)
    expectNotAllowed(await api.get('/everything/bulk-create/'), 'GET')
    expectError(await api.post('/authors/', { name: 'A' }), 404, 'There is nothing at this address.')
  })

  describe('1,000 items', () => {
    test('are one insert, and one check for each unique key', async () => {
      const items = Array.from({ length: 1_000 }, (_, i) => ({ name: `A${i}`, email: `a${i}@example.org` }))
      const statements = await api.statementsOf(() => api.post('/authors/bulk-create/', items))
      expect(statements.map(text => text.split(' ')[0])).toEqual(['select', 'insert'])
    })

    test('with relations are one insert, one check of a pair, one check for all foreign keys, and one read', async () => {
      await seedAuthors()
      const items = Array.from({ length: 1_000 }, (_, i) => ({ title: `T${i}`, author: uuid(1), editor: uuid(2) }))
      const statements = await api.statementsOf(async () => {
        const response = await api.post('/related/bulk-create/', items)
        expect(response.data<{ title: string }[]>().map(item => item.title)).toEqual(items.map(item => item.title))
      })
      expect(statements.map(text => text.split(' ')[0])).toEqual(['select', 'select', 'insert', 'select'])
    })
  })
})
