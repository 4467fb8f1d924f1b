import { eq, ne } from 'drizzle-orm'
import { AllowAny, allRecords, BulkRestoreModelMixin, BulkUpsertModelMixin, BulkViewSet } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectInvalid, expectSuccess, nonField, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const TAKEN = ['Another record already has this value.']
const TWICE = ['Another item of this request has the same value.']

describeDialects('bulk upsert and restore', dialect => {
  const tables = models(dialect.kit)
  const all = serializers(tables)
  const permissionClasses = [AllowAny]
  const authors = {
    model: tables.authors,
    serializer: all.AuthorSerializer,
    permissionClasses,
    upsertFields: ['email'],
  } as const
  const { upsertFields: _, ...restorable } = authors
  const Upserting = BulkViewSet.add(BulkUpsertModelMixin)({
    ...authors,
    queryset: () => ne(tables.authors.name, 'Out'),
  })
  class Copying extends Upserting {
    override async performBulkUpsert(
      ...[changes, values]: Parameters<InstanceType<typeof Upserting>['performBulkUpsert']>
    ) {
      return super.performBulkUpsert(
        changes,
        values.map(item => ({ ...item })),
      )
    }
  }
  const api = useApi(dialect, {
    tables,
    resources: {
      authors: BulkViewSet.add(BulkUpsertModelMixin, BulkRestoreModelMixin)(authors),
      active: BulkViewSet.add(
        BulkUpsertModelMixin,
        BulkRestoreModelMixin,
      )({
        ...authors,
        queryset: () => eq(tables.authors.isActive, true),
        restoreQueryset: () => allRecords,
      }),
      narrowed: class extends BulkViewSet.add(BulkRestoreModelMixin)({
        ...restorable,
        queryset: () => eq(tables.authors.isActive, true),
        restoreQueryset: () => allRecords,
      }) {
        override async getQueryset() {
          return (await super.getQueryset()).filter(eq(tables.authors.name, 'Cy'))
        }
      },
      copied: Copying,
      off: BulkViewSet({ model: tables.authors, serializer: all.AuthorSerializer, permissionClasses }),
      articles: BulkViewSet.add(BulkUpsertModelMixin)({
        model: tables.articles,
        serializer: all.TitleSerializer,
        permissionClasses,
        upsertFields: ['author', 'title'],
      }),
      categories: BulkViewSet.add(BulkUpsertModelMixin)({
        model: tables.categories,
        serializer: all.CategorySerializer,
        permissionClasses,
        upsertFields: ['code'],
      }),
    },
  })
  const seedAll = () =>
    seed(api.database, tables, {
      authors: [
        { id: uuid(1), name: 'Ada', email: 'ada@example.org' },
        { id: uuid(2), name: 'Bob', email: 'bob@example.org' },
        { id: uuid(3), name: 'Cy', email: 'cy@example.org', isActive: false },
      ],
    })
  const names = async () =>
    (await api.get('/authors/?paginated=false'))
      .data<{ name: string; email: string | null }[]>()
      .map(({ name, email }) => `${name} ${email}`)
      .sort()

  describe('POST /bulk-upsert/', () => {
    test('updates what is there, creates the rest and counts both', async () => {
      await seedAll()
      const response = await api.post('/authors/bulk-upsert/', [
        { name: 'New', email: 'new@example.org' },
        { name: 'Adi', email: 'ada@example.org' },
        { name: 'Nobody', email: null },
        { name: 'Nil' },
      ])
      expectSuccess(response, 200, { data: { created: 3, updated: 1 } })
      expect(await names()).toEqual([
        'Adi ada@example.org',
        'Bob bob@example.org',
        'Cy cy@example.org',
        'New new@example.org',
        'Nil null',
        'Nobody null',
      ])
    })

    test('several fields together, and a key that clients choose', async () => {
      await seedAll()
      await seed(api.database, tables, {
        articles: [{ id: uuid(11), title: 'A', author: uuid(1), rating: 1 }],
        categories: [{ code: 'a', label: 'A' }],
      })
      const articles = [
        { title: 'A', author: uuid(2), rating: 2 },
        { title: 'A', author: uuid(1), rating: 3 },
      ]
      expect((await api.post('/articles/bulk-upsert/', articles)).data()).toEqual({ created: 1, updated: 1 })
      expect((await api.get(`/articles/${uuid(11)}/`)).data()).toMatchObject({ rating: 3 })
      const categories = [
        { code: 'b', label: 'B' },
        { code: 'a', label: 'x' },
      ]
      expect((await api.post('/categories/bulk-upsert/', categories)).data()).toEqual({ created: 1, updated: 1 })
      expect((await api.get('/categories/a/')).data()).toMatchObject({ label: 'x' })
    })

    test('refuses what a create and a bulk update refuse, with all errors together', async () => {
      await seedAll()
      const before = await names()
      const response = await api.post('/authors/bulk-upsert/', [
        { email: 'ada@example.org' },
        { name: 'X', email: 'x@example.org' },
        { name: 'Y', email: 'x@example.org' },
        { name: 'B', email: 'bob@example.org' },
        { name: 'B', email: 'bob@example.org' },
        7,
        { name: 'Z', email: 7 },
      ])
      expectInvalid(response, {
        '0.name': ['This field is required.'],
        '2.email': TWICE,
        '4.id': ['Another item is about the same record. Send one item for each record.'],
        '5.non_field_errors': ['Send a JSON object, not a number.'],
        '6.email': ['7 is not a text. Send a text in quotes.'],
      })
      expect(await names()).toEqual(before)
      const message = 'This list is empty. Send at least one item.'
      expectError(await api.post('/authors/bulk-upsert/', []), 400, message, nonField(message))
    })

    test('an error of a record that a hook copied has the index of its item', async () => {
      const items = [
        { name: 'Zed', email: 'z@example.org' },
        { name: 'Out', email: 'a@example.org' },
      ]
      const { errors } = (await api.post('/copied/bulk-upsert/', items)).envelope()
      expect(Object.keys(errors ?? {}).map(name => name.split('.')[0])).toEqual(['1'])
    })

    test('a record out of scope is not updated', async () => {
      await seedAll()
      const response = await api.post('/active/bulk-upsert/', [{ name: 'X', email: 'cy@example.org' }])
      expectInvalid(response, { '0.email': TAKEN })
    })

    test('eight clients with the same new records: each created once', async () => {
      const items = Array.from({ length: 50 }, (_, i) => ({ name: `A${i}`, email: `a${i}@example.org` }))
      const responses = await Promise.all(
        Array.from({ length: 8 }, (_, client) =>
          api.post('/authors/bulk-upsert/', client % 2 ? items : items.toReversed()),
        ),
      )
      expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200))
      const reports = responses.map(response => response.data<{ created: number; updated: number }>())
      expect(reports.reduce((sum, { created }) => sum + created, 0)).toBe(50)
      expect(reports.reduce((sum, { updated }) => sum + updated, 0)).toBe(350)
      expect(await api.rows('authors')).toHaveLength(50)
    })

    test('does not exist until a resource turns it on', async () => {
      const response = await api.post('/off/bulk-upsert/', [{ name: 'A' }])
      expectError(response, 405, 'This resource has no "bulk-upsert".')
      expect(response.headers.allow).toContain('GET')
      expect((await api.post('/off/bulk-restore/', [uuid(1)])).status).toBe(405)
    })
  })

  describe('POST /bulk-restore/', () => {
    test('takes soft deletes back; a record that is not deleted is neither counted nor missing', async () => {
      await seedAll()
      const ids = [uuid(3), uuid(1), uuid(9)]
      const data = { requested_count: 3, count: 1, missing_ids: [uuid(9)] }
      expectSuccess(await api.post('/authors/bulk-restore/', ids), 200, { data })
      expect((await api.get('/active/?paginated=false')).data()).toHaveLength(3)
    })

    test('sees the records that its own queryset says', async () => {
      await seedAll()
      const data = { requested_count: 1, count: 1, missing_ids: [] }
      expectSuccess(await api.post('/active/bulk-restore/', [uuid(3)]), 200, { data })
    })

    test('sees of them what an overridden getQueryset lets through', async () => {
      await seedAll()
      await api.post('/authors/bulk-soft-delete/', [uuid(1)])
      const data = { requested_count: 2, count: 1, missing_ids: [uuid(1)] }
      expectSuccess(await api.post('/narrowed/bulk-restore/', [uuid(1), uuid(3)]), 200, { data })
    })
  })
})
