import { AllowAny, BaseModelSerializer, BaseViewSet, createRecord, insertMany } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectInvalid, expectSuccess, ID, NOW, nonField, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

describeDialects('create', dialect => {
  const tables = models(dialect.kit)
  const all = serializers(tables)
  const permissionClasses = [AllowAny]
  const articles = { model: tables.articles, serializer: all.ArticleSerializer, permissionClasses }
  const api = useApi(dialect, {
    tables,
    resources: {
      articles: BaseViewSet(articles),
      quiet: BaseViewSet({ ...articles, returnDataOnCreate: false }),
      authors: BaseViewSet({ model: tables.authors, serializer: all.AuthorSerializer, permissionClasses }),
      audited: BaseViewSet({
        model: tables.authors,
        serializer: BaseModelSerializer(tables.authors, {
          fields: ['id', 'name', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'isActive', 'deletedAt'],
        }),
        permissionClasses,
      }),
      fixed: BaseViewSet({
        model: tables.authors,
        serializer: BaseModelSerializer(tables.authors, { fields: ['id', 'name', 'email'], readOnly: ['email'] }),
        permissionClasses,
      }),
      categories: BaseViewSet({ model: tables.categories, serializer: all.CategorySerializer, permissionClasses }),
      shelves: BaseViewSet({ model: tables.shelves, serializer: all.ShelfSerializer, permissionClasses }),
    },
  })
  const seedAuthors = () =>
    seed(api.database, tables, {
      authors: [
        { id: uuid(1), name: 'Ada' },
        { id: uuid(2), name: 'Bob' },
      ],
    })

  test('answers 201 with the whole new record', async () => {
    await seedAuthors()
    const response = await api.post('/articles/', {
      title: 'On Engines',
      body: 'Long.\nText.',
      author: uuid(1),
      editor: uuid(2),
      status: 'published',
      price: '29.90',
      rating: 5,
      views: 12,
      featured: true,
      published_at: '2026-01-15T10:30:00.123456Z',
      released_on: '2026-01-15',
      reference: 'F47AC10B-58CC-4372-A567-0E02B2C3D479',
      metadata: { tags: ['a', 'b'] },
    })
    const data = {
      id: ID,
      title: 'On Engines',
      body: 'Long.\nText.',
      author: { id: uuid(1), name: 'Ada' },
      editor: { id: uuid(2), name: 'Bob' },
      status: 'published',
      price: '29.90',
      rating: 5,
      views: 12,
      featured: true,
      published_at: '2026-01-15T10:30:00.123456Z',
      released_on: '2026-01-15',
      reference: ID,
      metadata: { tags: ['a', 'b'] },
    }
    expectSuccess(response, 201, { data })
    expect(response.data().reference).toBe('f47ac10b-58cc-4372-a567-0e02b2c3d479')
    expectSuccess(await api.get(`/articles/${response.data().id}/`), 200, { data })
  })

  test('fills defaults and leaves optional fields null', async () => {
    await seedAuthors()
    expectSuccess(await api.post('/articles/', { title: 'A', author: uuid(1) }), 201, {
      data: {
        id: ID,
        title: 'A',
        body: null,
        author: { id: uuid(1), name: 'Ada' },
        editor: null,
        status: 'draft',
        price: null,
        rating: null,
        views: null,
        featured: false,
        published_at: null,
        released_on: null,
        reference: null,
        metadata: null,
      },
    })
  })

  test('new identifiers are uuids of version 7, in the order of creation', async () => {
    const ids: unknown[] = []
    for (const name of ['A', 'B', 'C']) ids.push((await api.post('/authors/', { name })).data().id)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(ids.toSorted()).toEqual(ids)
  })

  test('returnDataOnCreate: false answers 201 with an empty object, and the record is there', async () => {
    await seedAuthors()
    expectSuccess(await api.post('/quiet/', { title: 'A', author: uuid(1) }), 201, { data: {} })
    expect(await api.rows('articles')).toHaveLength(1)
  })

  test('the path without its slash is the same', async () => {
    expectSuccess(await api.post('/authors', { name: 'Eve' }), 201, { data: { id: ID, name: 'Eve', email: null } })
  })

  describe('refuses, storing nothing,', () => {
    test('every missing field at once', async () => {
      expectInvalid(await api.post('/articles/', {}), {
        title: ['This field is required.'],
        author: ['This field is required.'],
      })
      expect(await api.rows('articles')).toEqual([])
    })

    test('null for what cannot be null', async () => {
      await seedAuthors()
      const response = await api.post('/articles/', { title: null, author: null, status: null, featured: null })
      const errors = ['This field needs a value: null is not allowed.']
      expectInvalid(response, { title: errors, author: errors, status: errors, featured: errors })
    })

    test.each([
      ['nothing', undefined, 'Send a JSON object.'],
      ['null', null, 'Send a JSON object, not null.'],
      ['an array', [{ name: 'A' }], 'Send a JSON object, not an array.'],
      ['a string', 'name', 'Send a JSON object, not a string.'],
      ['a number', 7, 'Send a JSON object, not a number.'],
      ['a boolean', true, 'Send a JSON object, not a boolean.'],
    ])('a body that is %s', async (_, body, message) => {
      expectError(await api.post('/authors/', body), 400, message, nonField(message))
      expect(await api.rows('authors')).toEqual([])
    })
  })

  test("ignores unknown fields and whatever hangs on an object's prototype", async () => {
    const payload = '{"name":"Ada","nmae":"x","hasOwnProperty":1,"toString":null,"valueOf":{"a":1}}'
    const response = await api.post('/authors/', undefined, {
      payload,
      headers: { 'content-type': 'application/json' },
    })
    expectSuccess(response, 201, { data: { id: ID, name: 'Ada', email: null } })
  })

  test('ignores the identifier, audit and soft-delete fields', async () => {
    const past = '2001-01-01T00:00:00.000000Z'
    const response = await api.post('/audited/', {
      id: uuid(77),
      name: 'Ada',
      created_at: past,
      updated_at: past,
      created_by: 'mallory',
      updated_by: 'mallory',
      is_active: false,
      deleted_at: past,
    })
    expectSuccess(response, 201, {
      data: {
        id: ID,
        name: 'Ada',
        created_at: NOW,
        updated_at: NOW,
        created_by: null,
        updated_by: null,
        is_active: true,
        deleted_at: null,
      },
    })
  })

  test('ignores a field that the serializer makes read-only', async () => {
    const response = await api.post('/fixed/', { name: 'Ada', email: 'ada@example.org' })
    expectSuccess(response, 201, { data: { id: ID, name: 'Ada', email: null } })
  })

  test('names of code are no names of the wire', async () => {
    await seedAuthors()
    const response = await api.post('/articles/', {
      title: 'A',
      author: uuid(1),
      releasedOn: '2026-01-15',
      author_id: uuid(2),
    })
    expect(response.data()).toMatchObject({ released_on: null, author: { id: uuid(1) } })
  })

  test('a primary key that is an integer numbers itself', async () => {
    const shelf = (id: number) => ({ id, label: 'A', category: null })
    expectSuccess(await api.post('/shelves/', { label: 'A' }), 201, { data: shelf(1) })
    expectSuccess(await api.post('/shelves/', { label: 'A', id: 77 }), 201, { data: shelf(2) })
    const third = await api.database.use(() => createRecord(tables.shelves, { label: 'A' }))
    expect(third.id).toBe(3)
    expect(await api.database.use(() => insertMany(tables.shelves, [{ label: 'A' }, { label: 'A' }]))).toBe(2)
    expectSuccess(await api.get('/shelves/5/'), 200, { data: shelf(5) })
  })

  describe('a primary key that nothing fills', () => {
    test('is taken from the payload', async () => {
      const data = { code: 'sci-fi', label: 'Science fiction', created_at: NOW, updated_at: NOW }
      expectSuccess(await api.post('/categories/', { code: 'sci-fi', label: 'Science fiction' }), 201, { data })
    })

    test('is required', async () => {
      expectInvalid(await api.post('/categories/', { label: 'x' }), { code: ['This field is required.'] })
    })

    test('is refused when it is taken', async () => {
      await seed(api.database, tables, { categories: [{ code: 'a', label: 'x' }] })
      expectInvalid(await api.post('/categories/', { code: 'a', label: 'y' }), {
        code: ['Another record already has this value.'],
      })
    })
  })
})
