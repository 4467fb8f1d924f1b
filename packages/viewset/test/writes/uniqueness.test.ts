import { randomUUID } from 'node:crypto'
import { AllowAny, BaseModelSerializer, BaseViewSet, BulkViewSet, compose, insertMany, UpdateModelMixin } from 'viewset'
import { describe, expect, test } from 'vitest'
import { type TestResponse, useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectInvalid, expectSuccess, ID, nonField, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const TAKEN = ['Another record already has this value.']
const TWICE = ['Another item of this request has the same value.']

describeDialects('uniqueness', dialect => {
  const tables = models(dialect.kit)
  const { AuthorSerializer, TitleSerializer } = serializers(tables)
  const permissionClasses = [AllowAny]
  const slots = dialect.kit.table(
    'slots',
    {
      id: dialect.kit.uuid().primaryKey().$defaultFn(randomUUID),
      day: dialect.kit.date().notNull(),
      kind: dialect.kit.enumeration(['first', 'second']).notNull().default('first'),
    },
    t => [dialect.kit.unique(t.day, t.kind)],
  )

  const rates = dialect.kit.table('rates', {
    id: dialect.kit.uuid().primaryKey().$defaultFn(randomUUID),
    rate: dialect.kit.decimal(6, 2).notNull().unique(),
  })

  /** Loses the race against itself: the value is taken after it was found to be free. */
  class Racing extends BaseViewSet({ model: tables.authors, serializer: AuthorSerializer, permissionClasses }) {
    override async performCreate(values: { name?: string; email?: string | null }) {
      await insertMany(tables.authors, [{ name: 'Winner', email: values.email ?? null }])
      return super.performCreate(values)
    }
  }
  class RacingPair extends BaseViewSet({ model: tables.articles, serializer: TitleSerializer, permissionClasses }) {
    override async performCreate(values: { title?: string; author?: string }) {
      await insertMany(tables.articles, [{ title: values.title ?? '', author: values.author ?? '' }])
      return super.performCreate(values)
    }
  }

  const api = useApi(dialect, {
    tables: { ...tables, slots, rates },
    resources: {
      rates: BulkViewSet({
        model: rates,
        serializer: BaseModelSerializer(rates, { fields: ['id', 'rate'] }),
        permissionClasses,
      }),
      authors: BaseViewSet({
        model: tables.authors,
        serializer: AuthorSerializer,
        permissionClasses,
        actions: {
          'by-drizzle': {
            method: 'POST',
            detail: false,
            handler: async view => {
              await view.db.insert(tables.authors).values({ name: 'A', email: 'same@example.org' })
              await view.db.insert(tables.authors).values({ name: 'B', email: 'same@example.org' })
            },
          },
        },
      }),
      articles: BaseViewSet({ model: tables.articles, serializer: TitleSerializer, permissionClasses }),
      'untitled-articles': compose(UpdateModelMixin)({
        model: tables.articles,
        serializer: BaseModelSerializer(tables.articles, { fields: ['id', 'author'] }),
        permissionClasses,
      }),
      slots: BaseViewSet({
        model: slots,
        serializer: BaseModelSerializer(slots, { fields: ['id', 'day', 'kind'] }),
        permissionClasses,
      }),
      racing: Racing,
      'racing-pair': RacingPair,
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
        { id: uuid(11), title: 'A', author: uuid(1) },
        { id: uuid(12), title: 'B', author: uuid(1) },
        { id: uuid(13), title: 'A', author: uuid(2) },
      ],
    })

  describe('of one field', () => {
    test('numbers that are written differently are one value', async () => {
      expectInvalid(await api.post('/rates/bulk-create/', [{ rate: '1.5' }, { rate: '01.50' }, { rate: '2' }]), {
        '1.rate': TWICE,
      })
    })

    test('a create with a taken value is refused', async () => {
      await seedAll()
      expectInvalid(await api.post('/authors/', { name: 'X', email: 'ada@example.org' }), { email: TAKEN })
      expect(await api.rows('authors')).toHaveLength(3)
    })

    test('an update to a taken value is refused', async () => {
      await seedAll()
      expectInvalid(await api.patch(`/authors/${uuid(2)}/`, { email: 'ada@example.org' }), { email: TAKEN })
      expectInvalid(await api.put(`/authors/${uuid(2)}/`, { name: 'X', email: 'ada@example.org' }), { email: TAKEN })
    })

    test('a record keeps its own value', async () => {
      await seedAll()
      const data = { id: uuid(1), name: 'New', email: 'ada@example.org' }
      expectSuccess(await api.put(`/authors/${uuid(1)}/`, { name: 'New', email: 'ada@example.org' }), 200, { data })
    })

    test('null is taken by nobody', async () => {
      await seedAll()
      expectSuccess(await api.post('/authors/', { name: 'X', email: null }), 201, {
        data: { id: ID, name: 'X', email: null },
      })
    })

    test('case counts, and blanks around do not', async () => {
      await seedAll()
      expect((await api.post('/authors/', { name: 'X', email: 'ADA@example.org' })).status).toBe(201)
      expectInvalid(await api.post('/authors/', { name: 'X', email: 'ada@example.org ' }), { email: TAKEN })
    })

    test('other errors are told beside it', async () => {
      await seedAll()
      expectInvalid(await api.post('/authors/', { email: 'ada@example.org' }), {
        name: ['This field is required.'],
        email: TAKEN,
      })
    })
  })

  describe('of several fields together', () => {
    const message = 'Another record already has these values of author, title.'
    const expectTaken = (response: TestResponse) => expectError(response, 400, message, nonField(message))

    test('a create with a taken pair is refused', async () => {
      await seedAll()
      expectTaken(await api.post('/articles/', { title: 'A', author: uuid(1) }))
      expect((await api.post('/articles/', { title: 'B', author: uuid(2) })).status).toBe(201)
    })

    test('a PATCH of one half counts the stored other half', async () => {
      await seedAll()
      expectTaken(await api.patch(`/articles/${uuid(12)}/`, { title: 'A' }))
      expectTaken(await api.patch(`/articles/${uuid(13)}/`, { author: uuid(1) }))
      expect((await api.patch(`/articles/${uuid(12)}/`, { title: 'C' })).status).toBe(200)
    })

    test('a half that the serializer does not show counts as well', async () => {
      await seedAll()
      expectTaken(await api.patch(`/untitled-articles/${uuid(13)}/`, { author: uuid(1) }))
    })

    test('a record keeps its own pair', async () => {
      await seedAll()
      expect((await api.put(`/articles/${uuid(11)}/`, { title: 'A', author: uuid(1) })).status).toBe(200)
    })
  })

  test('what a default fills in counts as well', async () => {
    await seedAll()
    const pair = 'Another record already has these values of day, kind.'
    expect((await api.post('/slots/', { day: '2026-01-15' })).status).toBe(201)
    expectError(await api.post('/slots/', { day: '2026-01-15' }), 400, pair, nonField(pair))
    expectError(await api.post('/slots/', { day: '2026-01-15', kind: 'first' }), 400, pair, nonField(pair))
    expect((await api.post('/slots/', { day: '2026-01-15', kind: 'second' })).status).toBe(201)
    // A PATCH that does not name it keeps what is stored.
    const [{ id } = { id: '' }] = (await api.get('/slots/?ordering=-kind')).data<{ id: string }[]>()
    expect((await api.patch(`/slots/${id}/`, { day: '2026-01-15' })).status).toBe(200)
  })

  describe('a lost race', () => {
    test('for one field is 409 and names it', async () => {
      const response = await api.post('/racing/', { name: 'Loser', email: 'x@example.org' })
      expectError(response, 409, TAKEN[0]!, { email: TAKEN })
      expect(await api.rows('authors')).toEqual([])
    })

    test('for several fields is 409 and names them', async () => {
      await seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ada' }] })
      const response = await api.post('/racing-pair/', { title: 'T', author: uuid(1) })
      const taken = 'Another record already has these values of author, title.'
      expectError(response, 409, taken, nonField(taken))
      expect(await api.rows('articles')).toEqual([])
    })

    test('through Drizzle in a handler is 409, too', async () => {
      expectError(await api.post('/authors/by-drizzle/'), 409, TAKEN[0]!, nonField(...TAKEN))
      expect(await api.rows('authors')).toEqual([])
    })

    test('50 simultaneous creates of one value: one 201, every other 400 or 409', async () => {
      const responses = await Promise.all(
        Array.from({ length: 50 }, (_, i) => api.post('/authors/', { name: `A${i}`, email: 'same@example.org' })),
      )
      const statuses = responses.map(({ status }) => status)
      expect(statuses.filter(status => status === 201)).toHaveLength(1)
      expect(statuses.every(status => [201, 400, 409].includes(status))).toBe(true)
      for (const response of responses) {
        if (response.status === 400) expectInvalid(response, { email: TAKEN })
        if (response.status === 409) expectError(response, 409, TAKEN[0]!, { email: TAKEN })
      }
      expect(await api.rows('authors')).toHaveLength(1)
    })
  })
})
