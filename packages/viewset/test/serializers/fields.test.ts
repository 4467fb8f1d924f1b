import { AllowAny, BaseModelSerializer, BaseViewSet, IdToDataField } from 'viewset'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectInvalid, expectSuccess, ID, nonField, uuid } from '../support/expect.ts'
import { models, seed, seedUsers, users } from '../support/models.ts'

describeDialects('serializer fields', dialect => {
  const tables = models(dialect.kit)
  const { authors, articles } = tables
  const permissionClasses = [AllowAny]
  const AuthorSerializer = BaseModelSerializer(authors, {
    fields: ['id', 'name'],
    extra: { label: author => `${author.name} <${author.email ?? 'nobody'}>` },
  })
  const api = useApi(dialect, {
    tables,
    users,
    resources: {
      users: BaseViewSet({
        model: tables.users,
        serializer: BaseModelSerializer(tables.users, {
          fields: ['id', 'username', 'password'],
          writeOnly: ['password'],
          refine: { password: z.string().min(8) },
        }),
        permissionClasses,
      }),
      authors: BaseViewSet({ model: authors, serializer: AuthorSerializer, permissionClasses }),
      articles: BaseViewSet({
        model: articles,
        serializer: BaseModelSerializer(articles, {
          fields: ['id', 'words', 'title'] as never,
          extra: {
            author: IdToDataField({ queryset: authors, serializer: AuthorSerializer }),
            words: (article: { body: string | null }) => article.body?.split(/\s+/).length ?? null,
            facts: (article: { views: bigint | null; price: string | null }) => ({
              isBig: (article.views ?? 0n) > 1000n,
              price: article.price,
              nothing: undefined,
            }),
          } as never,
        }),
        permissionClasses,
      }),
      checked: BaseViewSet({
        model: articles,
        serializer: BaseModelSerializer(articles, {
          fields: ['id', 'title', 'author', 'publishedAt', 'releasedOn', 'rating'],
          validate: (values, { record, user }) => {
            const rating = values.rating ?? record?.rating
            const title = values.title ?? record?.title
            if (title === 'Secret' && !user) return { nonFieldErrors: 'Log in to write about secrets.' }
            if (title === 'Bad' && rating === 5)
              return { rating: ['That cannot be.', 'Think again.'], releasedOn: 'Nor that.' }
            return undefined
          },
        }),
        permissionClasses,
      }),
    },
  })
  const ada = { id: uuid(1), name: 'Ada', email: 'ada@example.org' }

  describe('that are write-only', () => {
    test('are taken, stored and never shown', async () => {
      const data = { id: uuid(5), username: 'ann' }
      const created = await api.post('/users/', { ...data, password: 'longenough' })
      expectSuccess(created, 201, { data })
      expectSuccess(await api.get(`/users/${uuid(5)}/`), 200, { data })
      expectSuccess(await api.get('/users/'), 200, { count: 1, data: [{ ...data, index: 1 }] })
      expectSuccess(await api.patch(`/users/${uuid(5)}/`, { password: 'another one' }), 200, { data })
      expect((await api.rows('users'))[0]).toContain('another one')
    })

    test('are required and refined like any other', async () => {
      expectInvalid(await api.post('/users/', { id: uuid(5), username: 'ann' }), {
        password: ['This field is required.'],
      })
      expectInvalid(await api.post('/users/', { id: uuid(5), username: 'ann', password: 'short' }), {
        password: ['Ensure this field has at least 8 characters.'],
      })
    })

    test('cannot be ordered by', async () => {
      const response = await api.get('/users/?ordering=password')
      expect(response.status).toBe(400)
      expect(response.text).not.toContain('id, username, password')
    })
  })

  describe('that are computed', () => {
    const article = {
      id: uuid(11),
      words: 3,
      title: 'A',
      author: { id: uuid(1), name: 'Ada', label: 'Ada <ada@example.org>' },
      facts: { isBig: true, price: '1.50' },
    }
    const seedArticle = () =>
      seed(api.database, tables, {
        authors: [ada],
        articles: [{ id: uuid(11), title: 'A', body: 'one two three', author: uuid(1), views: 2000n, price: '1.5' }],
      })

    test('see the whole record, also in relations, in every action', async () => {
      await seedArticle()
      expectSuccess(await api.get(`/articles/${uuid(11)}/`), 200, { data: article })
      expectSuccess(await api.get('/articles/'), 200, { count: 1, data: [{ ...article, index: 1 }] })
      expectSuccess(await api.patch(`/articles/${uuid(11)}/`, { title: 'B' }), 200, {
        data: { ...article, title: 'B' },
      })
      expectSuccess(await api.get('/articles/?paginated=false'), 200, { data: [{ ...article, title: 'B', index: 1 }] })
    })

    test('cost no further statement', async () => {
      await seedArticle()
      expect(await api.statementsOf(() => api.get('/articles/'))).toHaveLength(2)
      expect(await api.statementsOf(() => api.get(`/articles/${uuid(11)}/`))).toHaveLength(1)
    })

    test('are ignored in a payload', async () => {
      const response = await api.post('/authors/', { name: 'Eve', label: 'x' })
      expectSuccess(response, 201, { data: { id: ID, name: 'Eve', label: 'Eve <nobody>' } })
    })
  })

  describe('that are checked together', () => {
    const body = { title: 'Good', author: uuid(1), rating: 5 }

    test('answer with messages by field and for none', async () => {
      await seedUsers(api.database, tables)
      await seed(api.database, tables, { authors: [ada] })
      expectInvalid(await api.post('/checked/', { ...body, title: 'Bad' }), {
        rating: ['That cannot be.', 'Think again.'],
        released_on: ['Nor that.'],
      })
      const message = 'Log in to write about secrets.'
      expectError(await api.post('/checked/', { ...body, title: 'Secret' }), 400, message, nonField(message))
      expect((await api.post('/checked/', { ...body, title: 'Secret' }, { as: 'ann' })).status).toBe(201)
      expect(await api.rows('articles')).toHaveLength(1)
    })

    test('on PATCH see the stored rest', async () => {
      await seed(api.database, tables, { authors: [ada], articles: [{ id: uuid(11), ...body }] })
      expectInvalid(await api.patch(`/checked/${uuid(11)}/`, { title: 'Bad' }), {
        rating: ['That cannot be.', 'Think again.'],
        released_on: ['Nor that.'],
      })
      expect((await api.patch(`/checked/${uuid(11)}/`, { title: 'Bad', rating: 1 })).status).toBe(200)
    })

    test('are not asked while a field is wrong by itself', async () => {
      await seed(api.database, tables, { authors: [ada] })
      expectInvalid(await api.post('/checked/', { ...body, title: 'Bad', published_at: 'x' }), {
        published_at: ['"x" is not a date and time. Write it like 2026-01-15T10:30:00Z.'],
      })
    })
  })
})
