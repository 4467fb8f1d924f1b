import { eq } from 'drizzle-orm'
import { AllowAny, allRecords, BaseViewSet, type ModelRecord } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectSuccess, nonField, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const referredTo = (table: string): [message: string, errors: ReturnType<typeof nonField>] => {
  const message = `Records of "${table}" refer to this one. Delete them first, or let them refer to another record.`
  return [message, nonField(message)]
}

describeDialects('destroy', dialect => {
  const tables = models(dialect.kit)
  const all = serializers(tables)
  const permissionClasses = [AllowAny]
  const { authors, comments } = tables
  const comment = { model: comments, serializer: all.CommentSerializer, permissionClasses, ordering: 'text' } as const

  class SoftComments extends BaseViewSet({
    ...comment,
    queryset: () => eq(comments.isActive, true),
    actions: {
      restore: {
        method: 'POST',
        detail: true,
        queryset: () => allRecords,
        handler: async view => view.serialize(await (await view.getObject()).restore()),
      },
    },
  }) {
    override async performDestroy(record: ModelRecord<typeof comments>) {
      await record.softDelete()
    }
  }

  const api = useApi(dialect, {
    tables,
    resources: {
      authors: BaseViewSet({ model: authors, serializer: all.AuthorSerializer, permissionClasses }),
      loud: BaseViewSet({ model: authors, serializer: all.AuthorSerializer, permissionClasses, destroyStatus: 200 }),
      articles: BaseViewSet({ model: tables.articles, serializer: all.TitleSerializer, permissionClasses }),
      categories: BaseViewSet({ model: tables.categories, serializer: all.CategorySerializer, permissionClasses }),
      comments: BaseViewSet(comment),
      soft: SoftComments,
    },
  })
  const seedAll = () =>
    seed(api.database, tables, {
      authors: [
        { id: uuid(1), name: 'Ada' },
        { id: uuid(2), name: 'Bob' },
        { id: uuid(3), name: 'Cy' },
      ],
      articles: [{ id: uuid(11), title: 'A', author: uuid(1), editor: uuid(2) }],
      comments: [
        { id: uuid(21), article: uuid(11), text: 'first' },
        { id: uuid(22), article: uuid(11), text: 'second', parent: uuid(21) },
      ],
    })

  test('answers 204 without a body and removes the row', async () => {
    await seedAll()
    const response = await api.delete(`/authors/${uuid(3)}/`)
    expect(response.status).toBe(204)
    expect(response.text).toBe('')
    expect(response.headers).not.toHaveProperty('content-type')
    expect(response.headers).not.toHaveProperty('content-length')
    expect(await api.rows('authors')).toHaveLength(2)
    expectError(await api.delete(`/authors/${uuid(3)}/`), 404, 'There is no such record, or you may not see it.')
  })

  test('destroyStatus: 200 sends the envelope', async () => {
    await seedAll()
    expectSuccess(await api.delete(`/loud/${uuid(3)}/`), 200, { data: null })
  })

  test.each([
    ['announced as JSON and empty', { 'content-type': 'application/json' }, undefined],
    ['with a body that it does not read', { 'content-type': 'application/json' }, '{"a":1}'],
  ])('works with a request %s', async (_, headers, payload) => {
    await seedAll()
    const response = await api.delete(`/authors/${uuid(3)}/`, { headers, ...(payload !== undefined && { payload }) })
    expect(response.status).toBe(204)
  })

  describe('of a record that others refer to', () => {
    test('is 409 where the reference restricts', async () => {
      await seedAll()
      expectError(await api.delete(`/authors/${uuid(1)}/`), 409, ...referredTo('articles'))
      expect(await api.rows('authors')).toHaveLength(3)
    })

    test('is 409 where the reference says nothing', async () => {
      await seedAll()
      expectError(await api.delete(`/comments/${uuid(21)}/`), 409, ...referredTo('comments'))
      await seed(api.database, tables, {
        categories: [{ code: 'a', label: 'x' }],
        shelves: [1, 2].map(id => ({ id, label: `${id}`, category: 'a' })),
      })
      expectError(await api.delete('/categories/a/'), 409, ...referredTo('shelves'))
    })

    test('clears a reference that says "set null"', async () => {
      await seedAll()
      expect((await api.delete(`/authors/${uuid(2)}/`)).status).toBe(204)
      expect(await api.rows('articles')).toHaveLength(1)
    })

    test('takes along what says "cascade"', async () => {
      await seedAll()
      expect((await api.delete(`/articles/${uuid(11)}/`)).status).toBe(204)
      expect(await api.rows('comments')).toEqual([])
    })
  })

  describe('overridden to soft-delete', () => {
    const second = { id: uuid(22), article: uuid(11), parent: uuid(21), text: 'second' }

    test('hides the record from the resource and keeps the row', async () => {
      await seedAll()
      expect((await api.delete(`/soft/${uuid(21)}/`)).status).toBe(204)
      expectError(await api.get(`/soft/${uuid(21)}/`), 404, 'There is no such record, or you may not see it.')
      expectError(await api.delete(`/soft/${uuid(21)}/`), 404, 'There is no such record, or you may not see it.')
      expectSuccess(await api.get('/soft/'), 200, { count: 1, data: [{ ...second, index: 1 }] })
      expect(await api.rows('comments')).toHaveLength(2)
    })

    test('nothing is hidden where the queryset does not say so', async () => {
      await seedAll()
      await api.delete(`/soft/${uuid(21)}/`)
      expect((await api.get(`/comments/${uuid(21)}/`)).status).toBe(200)
    })

    test('restore brings it back', async () => {
      await seedAll()
      await api.delete(`/soft/${uuid(22)}/`)
      expectSuccess(await api.post(`/soft/${uuid(22)}/restore/`), 200, { data: second })
      expectSuccess(await api.get(`/soft/${uuid(22)}/`), 200, { data: second })
    })

    test('restore of a record that was never there is not found', async () => {
      expectError(await api.post(`/soft/${uuid(99)}/restore/`), 404, 'There is no such record, or you may not see it.')
    })
  })

  test('of one record by ten requests at once answers 204 once and 404 else', async () => {
    await seedAll()
    const responses = await Promise.all(Array.from({ length: 10 }, () => api.delete(`/authors/${uuid(3)}/`)))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([204, ...Array(9).fill(404)])
  })
})
