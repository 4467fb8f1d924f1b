import { AllowAny, BaseModelSerializer, BaseViewSet, ConfigError, currentDb, findRecords, runAs } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectSuccess, ID, NOW, uuid } from '../support/expect.ts'
import { models, seed, seedUsers, users } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const PAST = '2001-02-03T04:05:06.789012Z'
const MICROSECONDS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/

describeDialects('model mixins', dialect => {
  const tables = models(dialect.kit)
  const { authors, articles, comments, categories } = tables
  const permissionClasses = [AllowAny]
  const audit = ['createdAt', 'updatedAt', 'createdBy', 'updatedBy'] as const
  const api = useApi(dialect, {
    tables,
    users: { ...users, robot: { id: 7 }, uuidless: { id: 'auth0|abc' } },
    resources: {
      authors: BaseViewSet({
        model: authors,
        serializer: BaseModelSerializer(authors, { fields: ['id', 'name', ...audit] }),
        permissionClasses,
        actions: {
          'by-drizzle': {
            method: 'POST',
            detail: false,
            handler: async view => {
              await view.db.insert(authors).values({ id: uuid(50), name: 'Drizzle' })
              await view.db.update(authors).set({ name: 'Drizzled' })
              return (await view.db.select().from(authors))[0]
            },
          },
          'as-robot': {
            method: 'POST',
            detail: false,
            handler: view =>
              runAs(
                { id: 'robot' },
                async () => (await view.db.insert(authors).values({ name: 'R' }).returning())[0]?.createdBy,
              ),
          },
        },
      }),
      articles: BaseViewSet({
        model: articles,
        serializer: BaseModelSerializer(articles, {
          fields: ['id', 'title', 'author', ...audit, 'isActive', 'deletedAt'],
        }),
        permissionClasses,
        actions: {
          'soft-delete': {
            method: 'POST',
            detail: true,
            handler: async view => view.serialize(await (await view.getObject()).softDelete()),
          },
          restore: {
            method: 'POST',
            detail: true,
            handler: async view => view.serialize(await (await view.getObject()).restore()),
          },
          json: {
            method: 'GET',
            detail: true,
            handler: async view => {
              const article = await view.getObject()
              return [
                article.getJson(),
                article.getJson({ fields: ['title', 'createdAt'] }),
                Object.keys(article.getJson({ excludeFields: ['body', 'metadata'], excludeAudit: true })),
              ]
            },
          },
        },
      }),
      comments: BaseViewSet({ model: comments, serializer: serializers(tables).CommentSerializer, permissionClasses }),
      categories: BaseViewSet({
        model: categories,
        serializer: serializers(tables).CategorySerializer,
        permissionClasses,
      }),
    },
  })

  describe('audit fields', () => {
    test("are the user's, as text where users are no table", async () => {
      const response = await api.post('/authors/', { name: 'Eve' }, { as: 'ann' })
      expectSuccess(response, 201, {
        data: {
          id: ID,
          name: 'Eve',
          created_at: NOW,
          updated_at: NOW,
          created_by: users.ann.id,
          updated_by: users.ann.id,
        },
      })
      expect((await api.post('/authors/', { name: 'Eve' }, { as: 'robot' })).data().created_by).toBe('7')
      expect((await api.post('/authors/', { name: 'Eve' }, { as: 'uuidless' })).data().created_by).toBe('auth0|abc')
    })

    test('are null for nobody', async () => {
      expectSuccess(await api.post('/authors/', { name: 'Eve' }), 201, {
        data: { id: ID, name: 'Eve', created_at: NOW, updated_at: NOW, created_by: null, updated_by: null },
      })
    })

    test('refer to the users where they are a table', async () => {
      await seedUsers(api.database, tables)
      await seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ada' }] })
      const response = await api.post('/articles/', { title: 'A', author: uuid(1) }, { as: 'ann' })
      expect(response.data()).toMatchObject({ created_by: users.ann.id, updated_by: users.ann.id })
      const updated = await api.patch(`/articles/${response.data().id}/`, { title: 'B' }, { as: 'ben' })
      expect(updated.data()).toMatchObject({ created_by: users.ann.id, updated_by: users.ben.id })
    })

    test('an update by nobody keeps the last editor', async () => {
      await seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ada', createdBy: 'x', updatedBy: 'y' }] })
      expect((await api.patch(`/authors/${uuid(1)}/`, { name: 'Eve' })).data()).toMatchObject({
        created_by: 'x',
        updated_by: 'y',
      })
    })

    test('an update touches updated_at and never created_at', async () => {
      await seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ada', createdAt: PAST, updatedAt: PAST }] })
      for (const body of [{ name: 'Eve' }, {}]) {
        expectSuccess(await api.patch(`/authors/${uuid(1)}/`, body, { as: 'ann' }), 200, {
          data: {
            id: uuid(1),
            name: 'Eve',
            created_at: PAST,
            updated_at: NOW,
            created_by: null,
            updated_by: users.ann.id,
          },
        })
      }
    })

    test('are filled by what a handler writes through Drizzle', async () => {
      const response = await api.post('/authors/by-drizzle/', undefined, { as: 'ann' })
      expect(response.data()).toMatchObject({
        name: 'Drizzled',
        createdBy: users.ann.id,
        updatedBy: users.ann.id,
        createdAt: expect.stringMatching(MICROSECONDS),
        updatedAt: expect.stringMatching(MICROSECONDS),
      })
    })

    test('runAs changes whose they are', async () => {
      expectSuccess(await api.post('/authors/as-robot/', undefined, { as: 'ann' }), 200, { data: 'robot' })
    })

    test("are filled for rows inserted behind the application's back", async () => {
      await api.database.driver.run({ text: `insert into authors (id, name) values ('${uuid(1)}', 'SQL')` }, [])
      expectSuccess(await api.get(`/authors/${uuid(1)}/`), 200, {
        data: { id: uuid(1), name: 'SQL', created_at: NOW, updated_at: NOW, created_by: null, updated_by: null },
      })
    })
  })

  test('TimeStampMixin alone sets both times', async () => {
    expectSuccess(await api.post('/categories/', { code: 'a', label: 'x' }), 201, {
      data: { code: 'a', label: 'x', created_at: NOW, updated_at: NOW },
    })
  })

  test('times have microseconds that are not all zero', async () => {
    for (let i = 0; i < 20; i++) await api.post('/authors/', { name: `A${i}` })
    const rows = (await api.get('/authors/')).data<{ created_at: string }[]>()
    expect(rows.some(({ created_at }) => !created_at.endsWith('000Z'))).toBe(true)
  })

  describe('soft delete', () => {
    const seedArticle = (extra: object = {}) =>
      seed(api.database, tables, {
        authors: [{ id: uuid(1), name: 'Ada' }],
        articles: [{ id: uuid(11), title: 'A', author: uuid(1), createdAt: PAST, updatedAt: PAST, ...extra }],
      })
    const data = {
      id: uuid(11),
      title: 'A',
      author: uuid(1),
      created_at: PAST,
      updated_at: NOW,
      created_by: null,
      updated_by: users.ann.id,
    }

    test('marks the record; restore takes it back', async () => {
      await seedUsers(api.database, tables)
      await seedArticle()
      expectSuccess(await api.post(`/articles/${uuid(11)}/soft-delete/`, undefined, { as: 'ann' }), 200, {
        data: { ...data, is_active: false, deleted_at: NOW },
      })
      expectSuccess(await api.post(`/articles/${uuid(11)}/restore/`, undefined, { as: 'ann' }), 200, {
        data: { ...data, is_active: true, deleted_at: null },
      })
    })

    test('of a record already deleted changes nothing', async () => {
      await seedArticle({ isActive: false, deletedAt: PAST })
      expectSuccess(await api.post(`/articles/${uuid(11)}/soft-delete/`), 200, {
        data: { ...data, updated_at: PAST, updated_by: null, is_active: false, deleted_at: PAST },
      })
    })

    test('does not narrow a resource by itself', async () => {
      await seedArticle({ isActive: false, deletedAt: PAST })
      expect((await api.get(`/articles/${uuid(11)}/`)).status).toBe(200)
      expect((await api.get('/articles/')).data()).toHaveLength(1)
    })

    test('SoftDeleteMixin alone brings it', async () => {
      await seedArticle()
      await seed(api.database, tables, { comments: [{ id: uuid(21), article: uuid(11), text: 'x' }] })
      await api.database.transaction(async () => {
        const [comment] = await findRecords(comments)
        expect(comment?.isDeleted).toBe(false)
        await comment?.softDelete()
        expect(comment?.isDeleted).toBe(true)
        expect(await currentDb().select().from(comments)).toMatchObject([
          { isActive: false, deletedAt: expect.stringMatching(MICROSECONDS) },
        ])
        await comment?.restore()
        expect(await currentDb().select().from(comments)).toMatchObject([{ isActive: true, deletedAt: null }])
      })
    })

    test('on a model without it is a ConfigError that says what is missing', async () => {
      await seed(api.database, tables, { categories: [{ code: 'a', label: 'x' }] })
      await api.database.transaction(async () => {
        const [category] = await findRecords(categories)
        const careless = category as unknown as { softDelete(): Promise<unknown> }
        const error: unknown = await careless.softDelete().catch((thrown: unknown) => thrown)
        expect(error).toBeInstanceOf(ConfigError)
        expect(String(error)).toBe(
          'ConfigError: categories: softDelete: the model lacks isActive and deletedAt; add SoftDeleteMixin()',
        )
      })
    })
  })

  test('getJson gives a record as it stands on the wire', async () => {
    await seed(api.database, tables, {
      authors: [{ id: uuid(1), name: 'Ada' }],
      articles: [
        { id: uuid(11), title: 'A', author: uuid(1), views: 5n, price: '1.5', publishedAt: PAST, metadata: { a: 1 } },
      ],
    })
    expectSuccess(await api.get(`/articles/${uuid(11)}/json/`), 200, {
      data: [
        {
          id: uuid(11),
          created_at: NOW,
          updated_at: NOW,
          created_by: null,
          updated_by: null,
          is_active: true,
          deleted_at: null,
          title: 'A',
          body: null,
          author: uuid(1),
          editor: null,
          status: 'draft',
          price: '1.50',
          rating: null,
          views: 5,
          featured: false,
          published_at: PAST,
          released_on: null,
          reference: null,
          metadata: { a: 1 },
        },
        { created_at: NOW, title: 'A' },
        [
          'id',
          'is_active',
          'deleted_at',
          'title',
          'author',
          'editor',
          'status',
          'price',
          'rating',
          'views',
          'featured',
          'published_at',
          'released_on',
          'reference',
        ],
      ],
    })
  })
})
