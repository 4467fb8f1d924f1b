import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { AllowAny, allRecords, BaseViewSet, type QuerySet } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectSuccess, uuid } from '../support/expect.ts'
import { models, seed, users } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

describeDialects("a resource's queryset", dialect => {
  const tables = models(dialect.kit)
  const { authors, articles } = tables
  const { AuthorReference, ArticleSerializer } = serializers(tables)
  const common = {
    model: authors,
    serializer: AuthorReference,
    permissionClasses: [AllowAny],
    ordering: 'name',
  } as const
  const touch = {
    method: 'POST',
    detail: true,
    handler: async (view: { getObject(): Promise<unknown> }) => {
      await view.getObject()
      return { touched: true }
    },
  } as const

  /** Narrows what is configured once more. */
  class Named extends BaseViewSet({
    ...common,
    queryset: () => isNotNull(authors.email),
    describes: { actions: { list: { query: { name: { type: 'string' } } } } },
  }) {
    override async getQueryset(): Promise<QuerySet> {
      return (await super.getQueryset()).filter(
        eq(authors.name, this.query.name === undefined ? 'Ada' : String(this.query.name)),
      )
    }
  }

  const api = useApi(dialect, {
    tables,
    users,
    resources: {
      mine: BaseViewSet({
        ...common,
        queryset: view => eq(authors.createdBy, String(view.user?.id)),
        actions: { touch, 'touch-any': { ...touch, queryset: () => allRecords } },
      }),
      // The OR must not swallow what is added behind it.
      either: BaseViewSet({ ...common, queryset: () => sql`${authors.name} = 'Ada' or ${authors.name} = 'Bob'` }),
      named: Named,
      'cheap-articles': BaseViewSet({
        model: articles,
        serializer: ArticleSerializer,
        permissionClasses: [AllowAny],
        queryset: () =>
          and(eq(articles.featured, true), eq(articles.price, '5.00'), eq(articles.views, 7n)) ?? sql`false`,
        ordering: 'title',
      }),
    },
  })
  const seedAuthors = () =>
    seed(api.database, tables, {
      authors: [
        { id: uuid(1), name: 'Ada', email: 'a@example.org', createdBy: users.ann.id },
        { id: uuid(2), name: 'Bob', email: 'b@example.org', createdBy: users.ben.id },
        { id: uuid(3), name: 'Cy', createdBy: users.ann.id },
      ],
    })
  const ada = { id: uuid(1), name: 'Ada' }
  const bob = { id: uuid(2), name: 'Bob' }
  const cy = { id: uuid(3), name: 'Cy' }

  test('bounds the list and its count', async () => {
    await seedAuthors()
    const data = [
      { ...ada, index: 1 },
      { ...cy, index: 2 },
    ]
    expectSuccess(await api.get('/mine/', { as: 'ann' }), 200, { count: 2, data })
    expectSuccess(await api.get('/mine/?paginated=false', { as: 'ann' }), 200, { data })
    expectSuccess(await api.get('/mine/', { as: 'ben' }), 200, { count: 1, data: [{ ...bob, index: 1 }] })
    expectSuccess(await api.get('/mine/'), 200, { count: 0, data: [] })
  })

  describe("hides another scope's record from every verb", () => {
    test.each([
      ['GET', ''],
      ['PUT', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', 'touch/'],
    ] as const)('%s /mine/{id}/%s', async (method, action) => {
      await seedAuthors()
      const body = method === 'PUT' || method === 'PATCH' ? { name: 'Mallory' } : undefined
      const response = await api.request(method, `/mine/${uuid(2)}/${action}`, { body, as: 'ann' })
      expectError(response, 404, 'There is no such record, or you may not see it.')
      expectSuccess(await api.get(`/mine/${uuid(2)}/`, { as: 'ben' }), 200, { data: bob })
    })
  })

  test('a custom action may have its own', async () => {
    await seedAuthors()
    const response = await api.post(`/mine/${uuid(2)}/touch-any/`, undefined, { as: 'ann' })
    expectSuccess(response, 200, { data: { touched: true } })
  })

  test('conditions with OR stay one condition', async () => {
    await seedAuthors()
    expectError(await api.get(`/either/${uuid(3)}/`), 404, 'There is no such record, or you may not see it.')
    expect((await api.get(`/either/${uuid(2)}/`)).status).toBe(200)
    expectError(await api.delete(`/either/${uuid(3)}/`), 404, 'There is no such record, or you may not see it.')
  })

  test('an override narrows it further', async () => {
    await seedAuthors()
    expectSuccess(await api.get('/named/'), 200, { count: 1, data: [{ ...ada, index: 1 }] })
    expectSuccess(await api.get('/named/?name=Bob'), 200, { count: 1, data: [{ ...bob, index: 1 }] })
    expectSuccess(await api.get('/named/?name=Cy'), 200, { count: 0, data: [] })
    expectError(await api.get(`/named/${uuid(2)}/`), 404, 'There is no such record, or you may not see it.')
  })

  test("the request's text is only ever a value", async () => {
    await seedAuthors()
    const response = await api.get(`/named/?name=${encodeURIComponent("' or '1'='1")}`)
    expectSuccess(response, 200, { count: 0, data: [] })
  })

  test('values of every type stand in conditions, relations joined beside', async () => {
    await seed(api.database, tables, {
      authors: [ada],
      articles: [
        { id: uuid(11), title: 'A', author: uuid(1), featured: true, price: '5', views: 7n },
        { id: uuid(12), title: 'B', author: uuid(1), featured: false, price: '5', views: 7n },
        { id: uuid(13), title: 'C', author: uuid(1), featured: true, price: '5.01', views: 7n },
        { id: uuid(14), title: 'D', author: uuid(1), featured: true, price: '5', views: 8n },
      ],
    })
    const response = await api.get('/cheap-articles/')
    expect(response.data<{ id: string }[]>().map(({ id }) => id)).toEqual([uuid(11)])
    expect((await api.get(`/cheap-articles/${uuid(11)}/`)).status).toBe(200)
    expectError(await api.get(`/cheap-articles/${uuid(13)}/`), 404, 'There is no such record, or you may not see it.')
  })

  test('an update that leaves the scope is still answered', async () => {
    await seedAuthors()
    expectSuccess(await api.patch(`/either/${uuid(2)}/`, { name: 'Zed' }), 200, { data: { id: uuid(2), name: 'Zed' } })
    expectError(await api.get(`/either/${uuid(2)}/`), 404, 'There is no such record, or you may not see it.')
  })
})
