import { AllowAny, BaseViewSet, ReadOnlyViewSet } from 'viewset'
import { describe, expect, test } from 'vitest'
import { shownValue } from '../../src/core/text.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectSuccess, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const noKey = (id: string) => `There is no record with the id ${shownValue(decodeURIComponent(id))}.`

describeDialects('retrieve', dialect => {
  const tables = models(dialect.kit)
  const all = serializers(tables)
  const permissionClasses = [AllowAny]
  const api = useApi(dialect, {
    tables,
    resources: {
      articles: BaseViewSet({ model: tables.articles, serializer: all.ArticleSerializer, permissionClasses }),
      categories: ReadOnlyViewSet({ model: tables.categories, serializer: all.CategorySerializer, permissionClasses }),
      shelves: ReadOnlyViewSet({ model: tables.shelves, serializer: all.ShelfSerializer, permissionClasses }),
      loans: ReadOnlyViewSet({ model: tables.loans, serializer: all.LoanSerializer, permissionClasses }),
    },
  })
  const seedArticle = (id = uuid(11)) =>
    seed(api.database, tables, {
      authors: [{ id: uuid(1), name: 'Ada' }],
      articles: [{ id, title: 'A', author: uuid(1) }],
    })
  const article = {
    id: uuid(11),
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
  }

  test("answers the record in the order of the serializer's fields, relations nested", async () => {
    await seedArticle()
    expectSuccess(await api.get(`/articles/${uuid(11)}/`), 200, { data: article })
  })

  test('is one statement, relations included', async () => {
    await seedArticle()
    expect(await api.statementsOf(() => api.get(`/articles/${uuid(11)}/`))).toHaveLength(1)
  })

  test('a record that does not exist is not found', async () => {
    await seedArticle()
    expectError(await api.get(`/articles/${uuid(12)}/`), 404, 'There is no such record, or you may not see it.')
  })

  test.each([
    ['lower case', 'f47ac10b-58cc-4372-a567-0e02b2c3d479'],
    ['the nil uuid', '00000000-0000-0000-0000-000000000000'],
    ['the max uuid', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
    ['version bits that no standard knows', 'abcdefab-cdef-fbcd-0fab-cdefabcdefab'],
  ])('finds any stored uuid, in any case (%s)', async (_, id) => {
    await seedArticle(id)
    for (const asked of [id, id.toUpperCase()]) {
      const response = await api.get(`/articles/${asked}/`)
      expect(response.status).toBe(200)
      expect(response.data().id).toBe(id)
    }
  })

  describe('a malformed identifier is not found, and no database is asked', () => {
    test.each([
      ['a word', 'abc'],
      ['a number', '1'],
      ['null', 'null'],
      ['a blank', '%20'],
      ['a uuid and more', `${uuid(11)}x`],
      ['a uuid in braces', `{${uuid(11)}}`],
      ['a uuid with one dash less', uuid(11).replace('-', '')],
      ['SQL', '%27%20or%201%3D1'],
      ['10,000 characters', 'x'.repeat(10_000)],
    ])('%s', async (_, id) => {
      await seedArticle()
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'] as const) {
        const body = method === 'PUT' || method === 'PATCH' ? {} : undefined
        const statements = await api.statementsOf(async () => {
          expectError(await api.request(method, `/articles/${id}/`, { body }), 404, noKey(id))
        })
        expect(statements).toEqual([])
      }
    })
  })

  describe('a key of text', () => {
    test.each([
      ['plain', 'sci-fi', 'sci-fi'],
      ['digits with leading zeros', '007', '007'],
      ['blanks and slashes', 'a b/c', 'a%20b%2Fc'],
      ['other scripts', 'Ωé日', '%CE%A9%C3%A9%E6%97%A5'],
      ['SQL', "' or 1=1 --", '%27%20or%201%3D1%20--'],
      ['a percent sign', '50%', '50%25'],
    ])('%s', async (_, code, path) => {
      await seed(api.database, tables, {
        categories: [
          { code, label: 'x' },
          { code: 'other', label: 'y' },
        ],
      })
      const response = await api.get(`/categories/${path}/`)
      expect(response.status).toBe(200)
      expect(response.data().code).toBe(code)
    })

    test('its case counts', async () => {
      await seed(api.database, tables, { categories: [{ code: 'abc', label: 'x' }] })
      expectError(await api.get('/categories/ABC/'), 404, 'There is no such record, or you may not see it.')
    })

    test('one that is too long is not found', async () => {
      expectError(
        await api.get(`/categories/${'x'.repeat(10_000)}/`),
        404,
        'There is no such record, or you may not see it.',
      )
    })
  })

  describe('a key that is a number', () => {
    test.each([0, 7, -1, 2147483647, -2147483648])('%d', async id => {
      await seed(api.database, tables, { shelves: [{ id, label: 'A' }] })
      expectSuccess(await api.get(`/shelves/${id}/`), 200, { data: { id, label: 'A', category: null } })
    })

    test.each(['abc', '1.0', '1e0', '0x1', '+1', '%201', '2147483648', '9999999999', '99999999999999999999'])(
      '%s is not found',
      async id => {
        await seed(api.database, tables, { shelves: [{ id: 1, label: 'A' }] })
        expectError(await api.get(`/shelves/${id}/`), 404, noKey(id))
      },
    )
  })

  describe('a 64-bit key', () => {
    test.each([7n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)])('%d', async id => {
      await seed(api.database, tables, { shelves: [{ id: 1, label: 'A' }], loans: [{ id, shelf: 1, fee: '0.00001' }] })
      const shown = id === 7n ? 7 : String(id)
      expectSuccess(await api.get(`/loans/${id}/`), 200, { data: { id: shown, shelf: 1, fee: '0.00001' } })
    })

    test.each(['abc', '1.0', '9223372036854775808', '99999999999999999999'])('%s is not found', async id => {
      expectError(await api.get(`/loans/${id}/`), 404, noKey(id))
    })
  })
})
