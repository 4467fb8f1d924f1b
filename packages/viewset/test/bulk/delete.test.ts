import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkDeleteModelMixin,
  BulkDeleteViewSet,
  BulkOnlyViewSet,
  BulkViewSet,
  compose,
  type Permission,
  RetrieveModelMixin,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectSuccess, nonField, uuid } from '../support/expect.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'
import { models, seed, seedUsers, users } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

describeDialects('bulk delete', dialect => {
  const tables = models(dialect.kit)
  const all = serializers(tables)
  const permissionClasses = [AllowAny]
  const authors = { model: tables.authors, serializer: all.AuthorSerializer, permissionClasses }
  const NotBob: Permission<{ name: string }> = {
    hasPermission: () => true,
    hasObjectPermission: (_view, author) => author.name !== 'Bob',
  }
  const deleted: string[] = []
  class Watching extends BulkViewSet(authors) {
    override async performBulkDelete(records: Parameters<InstanceType<typeof Plain>['performBulkDelete']>[0]) {
      for (const author of await records.records()) deleted.push(author.name)
      return super.performBulkDelete(records)
    }
  }
  const Plain = BulkViewSet(authors)
  const api = useApi(dialect, {
    tables,
    users,
    resources: {
      authors: Plain,
      active: BulkViewSet({ ...authors, queryset: () => eq(tables.authors.isActive, true) }),
      guarded: BulkViewSet({ ...authors, permissionClasses: [NotBob] }),
      watching: Watching,
      only: BulkDeleteViewSet(authors),
      'bulk-only': BulkOnlyViewSet(authors),
      shelves: compose(BulkDeleteModelMixin)({
        model: tables.shelves,
        serializer: all.ShelfSerializer,
        permissionClasses,
      }),
      audited: compose(
        RetrieveModelMixin,
        BulkDeleteModelMixin,
      )({
        model: tables.articles,
        serializer: BaseModelSerializer(tables.articles, { fields: ['id', 'isActive', 'updatedBy'] }),
        permissionClasses,
      }),
    },
  })
  const seedAll = () =>
    seed(api.database, tables, {
      authors: [
        { id: uuid(1), name: 'Ada' },
        { id: uuid(2), name: 'Bob' },
        { id: uuid(3), name: 'Cy', isActive: false, deletedAt: '2026-01-15T10:30:00.000000Z' },
      ],
    })

  describe.each([
    ['DELETE', 'bulk-delete'],
    ['POST', 'bulk-delete'],
  ] as const)('%s /%s/', (method, path) => {
    const remove = (resource: string, body: unknown, as?: string) =>
      api.request(method, `/${resource}/${path}/`, { body, ...(as !== undefined && { as }) })

    test('reports what was removed and what was not found', async () => {
      await seedAll()
      const response = await remove('authors', [uuid(2), uuid(9), uuid(3).toUpperCase(), uuid(2)])
      expectSuccess(response, 200, { data: { requested_count: 4, count: 2, missing_ids: [uuid(9)] } })
      expect(await api.rows('authors')).toHaveLength(1)
    })

    test('ids of any shape are reported as they were submitted', async () => {
      allowUndescribed(/bulk-delete\/ takes/, 'What is no key names no record. The document says what a key is.')
      await seedAll()
      const ids = [{}, null, [], [uuid(1)], 5, 'x', '', true, { id: uuid(1) }, uuid(9), uuid(9)]
      expectSuccess(await remove('authors', ids), 200, {
        data: { requested_count: ids.length, count: 0, missing_ids: ids },
      })
      expect(await api.rows('authors')).toHaveLength(3)
    })

    test('records out of scope are missing', async () => {
      await seedAll()
      expectSuccess(await remove('active', [uuid(3), uuid(1)]), 200, {
        data: { requested_count: 2, count: 1, missing_ids: [uuid(3)] },
      })
      expect(await api.rows('authors')).toHaveLength(2)
    })

    test('a record that the user may not delete keeps all of them', async () => {
      await seedAll()
      const message = 'You do not have permission to perform this action.'
      expectError(await remove('guarded', [uuid(1), uuid(2)], 'ben'), 403, message)
      expect(await api.rows('authors')).toHaveLength(3)
    })

    test('a record that others refer to keeps all of them', async () => {
      await seedAll()
      await seed(api.database, tables, { articles: [{ title: 'A', author: uuid(1) }] })
      const remedy = 'Delete them first, or let them refer to other records.'
      const message = `Records of "articles" refer to the record ${uuid(1)}. ${remedy}`
      expectError(await remove('authors', [uuid(2), uuid(1)]), 409, message, nonField(message))
      expect(await api.rows('authors')).toHaveLength(3)
    })

    test('performBulkDelete can be overridden', async () => {
      await seedAll()
      deleted.length = 0
      await remove('watching', [uuid(2), uuid(1)])
      expect(deleted).toEqual(['Bob', 'Ada'])
    })

    test('is one statement, or one that looks and locks before where some are missing', async () => {
      await seedAll()
      const verbs = async (ids: string[]) =>
        (await api.statementsOf(() => remove('authors', ids))).map(text => text.split(' ')[0])
      expect(await verbs([uuid(2)])).toEqual(['with'])
      expect(await verbs([uuid(2), uuid(1)])).toEqual(['with', 'select', 'delete'])
    })

    test.each([
      ['nothing', undefined, 'Send a JSON array.'],
      ['an object', { ids: [] }, 'Send a JSON array, not an object.'],
      ['an empty array', [], 'This list is empty. Send at least one item.'],
      ['1,001 ids', Array.from({ length: 1_001 }, () => uuid(1)), 'Ensure this list has no more than 1000 items.'],
    ])('refuses %s before the database is asked', async (_, body, message) => {
      const statements = await api.statementsOf(async () => {
        expectError(await remove('authors', body), 400, message, nonField(message))
      })
      expect(statements).toEqual([])
    })
  })

  describe.each(['DELETE', 'POST'] as const)('%s /bulk-soft-delete/', method => {
    const remove = (resource: string, body: unknown, as?: string) =>
      api.request(method, `/${resource}/bulk-soft-delete/`, { body, ...(as !== undefined && { as }) })
    const active = async () =>
      (await api.get('/active/?paginated=false')).data<{ name: string }[]>().map(({ name }) => name)

    test('marks records; one deleted already is neither counted nor missing', async () => {
      await seedAll()
      const [, , before] = await api.rows('authors')
      const response = await remove('authors', [uuid(1), uuid(3), uuid(9), uuid(1)])
      expectSuccess(response, 200, { data: { requested_count: 4, count: 1, missing_ids: [uuid(9)] } })
      expect(await active()).toEqual(['Bob'])
      expect(await api.rows('authors')).toContainEqual(before)
    })

    test('fills the audit fields', async () => {
      await seedUsers(api.database, tables)
      await seedAll()
      await seed(api.database, tables, { articles: [{ id: uuid(11), title: 'A', author: uuid(1) }] })
      expect((await remove('audited', [uuid(11)], 'ann')).data()).toMatchObject({ count: 1 })
      expect((await api.get(`/audited/${uuid(11)}/`)).data()).toEqual({
        id: uuid(11),
        is_active: false,
        updated_by: users.ann.id,
      })
    })

    test('refuses a model without the soft-delete mixin, before the database is asked', async () => {
      const message = 'These records cannot be soft-deleted. Use bulk-delete instead.'
      const statements = await api.statementsOf(async () => {
        expectError(await remove('shelves', [1]), 400, message, nonField(message))
      })
      expect(statements).toEqual([])
    })

    test('does not exist on BulkDeleteViewSet and BulkOnlyViewSet', async () => {
      expectError(await remove('only', [uuid(1)]), 404, 'There is nothing at this address.')
      expectError(await remove('bulk-only', [uuid(1)]), 404, 'There is nothing at this address.')
    })

    test('a record that the user may not delete keeps all of them', async () => {
      await seedAll()
      expect((await remove('guarded', [uuid(1), uuid(2)], 'ben')).status).toBe(403)
      expect(await active()).toHaveLength(2)
    })
  })
})
