import { AllowAny, BaseModelSerializer, BaseViewSet, compose, findRecords, UpdateModelMixin } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectInvalid, expectSuccess, NOW, nonField, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

describeDialects('update', dialect => {
  const tables = models(dialect.kit)
  const { ArticleSerializer, CategorySerializer, ShelfSerializer } = serializers(tables)
  const permissionClasses = [AllowAny]
  const common = { model: tables.articles, permissionClasses }
  const api = useApi(dialect, {
    tables,
    resources: {
      articles: BaseViewSet({ ...common, serializer: ArticleSerializer }),
      quiet: BaseViewSet({ ...common, serializer: ArticleSerializer, returnDataOnUpdate: false }),
      audited: compose(UpdateModelMixin)({
        ...common,
        serializer: BaseModelSerializer(tables.articles, {
          fields: ['id', 'title', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'isActive', 'deletedAt'],
          readOnly: ['title'],
        }),
      }),
      categories: BaseViewSet({ model: tables.categories, serializer: CategorySerializer, permissionClasses }),
      shelves: BaseViewSet({ model: tables.shelves, serializer: ShelfSerializer, permissionClasses }),
    },
  })
  test.each(['PUT', 'PATCH'] as const)('stores a value that is the same as the key: %s', async method => {
    await seed(api.database, tables, { shelves: [{ id: 7, label: 'Old' }], categories: [{ code: 'c', label: 'Old' }] })
    const shelf = { id: 7, label: '7', category: null }
    expectSuccess(await api.request(method, '/shelves/7/', { body: { label: '7' } }), 200, { data: shelf })
    await api.database.transaction(async () => {
      const [found] = await findRecords(tables.categories)
      if (found) await Object.assign(found, { label: 'c' }).save()
    })
    expect(await api.database.use(() => findRecords(tables.categories))).toMatchObject([{ code: 'c', label: 'c' }])
  })

  const path = `/articles/${uuid(11)}/`
  const stored = {
    id: uuid(11),
    title: 'Old',
    body: 'Body',
    author: { id: uuid(1), name: 'Ada' },
    editor: { id: uuid(2), name: 'Bob' },
    status: 'published',
    price: '9.50',
    rating: 3,
    views: 7,
    featured: true,
    published_at: '2026-01-15T10:30:00.123456Z',
    released_on: '2026-01-15',
    reference: uuid(500),
    metadata: { a: 1 },
  }
  const seedArticle = () =>
    seed(api.database, tables, {
      authors: [
        { id: uuid(1), name: 'Ada' },
        { id: uuid(2), name: 'Bob' },
      ],
      articles: [
        {
          id: uuid(11),
          title: 'Old',
          body: 'Body',
          author: uuid(1),
          editor: uuid(2),
          status: 'published',
          price: '9.5',
          rating: 3,
          views: 7n,
          featured: true,
          publishedAt: '2026-01-15T10:30:00.123456Z',
          releasedOn: '2026-01-15',
          reference: uuid(500),
          metadata: { a: 1 },
        },
      ],
    })

  describe('PUT', () => {
    test('answers 200 with the whole record', async () => {
      await seedArticle()
      const response = await api.put(path, {
        title: 'New',
        author: uuid(2),
        status: 'draft',
        featured: false,
        price: '10',
      })
      const data = {
        ...stored,
        title: 'New',
        author: { id: uuid(2), name: 'Bob' },
        status: 'draft',
        featured: false,
        price: '10.00',
      }
      expectSuccess(response, 200, { data })
      expectSuccess(await api.get(path), 200, { data })
    })

    test('needs every required field', async () => {
      await seedArticle()
      expectInvalid(await api.put(path, { body: 'x' }), {
        title: ['This field is required.'],
        author: ['This field is required.'],
      })
      expectSuccess(await api.get(path), 200, { data: stored })
    })

    test('leaves optional fields that are not sent as they are', async () => {
      await seedArticle()
      const response = await api.put(path, { title: 'New', author: uuid(1) })
      expectSuccess(response, 200, { data: { ...stored, title: 'New' } })
    })
  })

  describe('PATCH', () => {
    test('changes what is sent and nothing else', async () => {
      await seedArticle()
      const data = { ...stored, rating: 5 }
      expectSuccess(await api.patch(path, { rating: 5 }), 200, { data })
      expectSuccess(await api.get(path), 200, { data })
    })

    test('an explicit null clears', async () => {
      await seedArticle()
      const nothing = {
        body: null,
        editor: null,
        price: null,
        rating: null,
        views: null,
        published_at: null,
        released_on: null,
        reference: null,
        metadata: null,
      }
      expectSuccess(await api.patch(path, nothing), 200, { data: { ...stored, ...nothing } })
    })

    test('null for what cannot be null is refused', async () => {
      await seedArticle()
      expectInvalid(await api.patch(path, { title: null, rating: null, featured: null }), {
        title: ['This field needs a value: null is not allowed.'],
        featured: ['This field needs a value: null is not allowed.'],
      })
      expectSuccess(await api.get(path), 200, { data: stored })
    })

    test('of nothing answers the record', async () => {
      await seedArticle()
      expectSuccess(await api.patch(path, {}), 200, { data: stored })
    })

    test('of nothing works on a model that fills nothing by itself', async () => {
      await seed(api.database, tables, { shelves: [{ id: 1, label: 'A' }] })
      expectSuccess(await api.patch('/shelves/1/', {}), 200, { data: { id: 1, label: 'A', category: null } })
    })
  })

  test.each(['PUT', 'PATCH'] as const)('%s with returnDataOnUpdate: false answers an empty object', async method => {
    await seedArticle()
    const body = { title: 'New', author: uuid(1) }
    expectSuccess(await api.request(method, `/quiet/${uuid(11)}/`, { body }), 200, { data: {} })
    expect((await api.get(path)).data().title).toBe('New')
  })

  test.each(['PUT', 'PATCH'] as const)('%s of a record that does not exist is not found', async method => {
    await seedArticle()
    const body = { title: 'New', author: uuid(1) }
    expectError(
      await api.request(method, `/articles/${uuid(12)}/`, { body }),
      404,
      'There is no such record, or you may not see it.',
    )
    expect(await api.rows('articles')).toHaveLength(1)
  })

  test.each(['PUT', 'PATCH'] as const)('%s refuses a body that is no object', async method => {
    await seedArticle()
    const message = 'Send a JSON object, not an array.'
    expectError(await api.request(method, path, { body: [] }), 400, message, nonField(message))
  })

  test.each(['PUT', 'PATCH'] as const)('%s ignores read-only, automatic and unknown fields', async method => {
    await seedArticle()
    const past = '2001-01-01T00:00:00.000000Z'
    const body = {
      id: uuid(77),
      title: 'New',
      created_at: past,
      updated_at: past,
      created_by: uuid(1),
      updated_by: uuid(1),
      is_active: false,
      deleted_at: past,
      nonsense: true,
    }
    expectSuccess(await api.request(method, `/audited/${uuid(11)}/`, { body }), 200, {
      data: {
        id: uuid(11),
        title: 'Old',
        created_at: NOW,
        updated_at: NOW,
        created_by: null,
        updated_by: null,
        is_active: true,
        deleted_at: null,
      },
    })
  })

  test('a primary key that a client chose is not changed', async () => {
    await seed(api.database, tables, { categories: [{ code: 'a', label: 'x' }] })
    const data = { code: 'a', label: 'y', created_at: NOW, updated_at: NOW }
    expectSuccess(await api.patch('/categories/a/', { code: 'b', label: 'y' }), 200, { data })
    expectSuccess(await api.put('/categories/a/', { label: 'y' }), 200, { data })
  })
})
