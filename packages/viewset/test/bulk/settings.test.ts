import {
  AllowAny,
  BulkOnlyViewSet,
  BulkRestoreModelMixin,
  BulkUpsertModelMixin,
  BulkViewSet,
  ConfigError,
  ReadOnlyViewSet,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError, nonField, uuid } from '../support/expect.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'
import { models } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

describeOneDialect('bulk settings', dialect => {
  const tables = models(dialect.kit)
  const all = serializers(tables)
  const authors = { model: tables.authors, serializer: all.AuthorSerializer, permissionClasses: [AllowAny] }
  const shelves = { model: tables.shelves, serializer: all.ShelfSerializer, permissionClasses: [AllowAny] }
  // What the types refuse already may come from plain JavaScript.
  const make = (viewset: unknown, config: object) => () => (viewset as (config: object) => unknown)(config)

  test.each([0, -1, 1.5, Number.NaN, '10', null])('bulkBatchSize: %s is refused at start', bulkBatchSize => {
    const given = typeof bulkBatchSize === 'string' ? `"${bulkBatchSize}"` : String(bulkBatchSize)
    const found = bulkBatchSize === null ? '' : `, not ${given}`
    expect(make(BulkViewSet, { ...authors, bulkBatchSize })).toThrow(
      new ConfigError('resource of "authors"', 'bulkBatchSize', `must be a whole number above 0${found}`),
    )
  })

  const upsert = (settings: object) => make(BulkViewSet.add(BulkUpsertModelMixin), { ...authors, ...settings })

  test('an upsert needs fields that are unique in the database', () => {
    expect(upsert({ upsertFields: ['emial'] })).toThrow(
      'resource of "authors": upsertFields: unknown field "emial"; did you mean "email"?',
    )
    for (const upsertFields of [['name'], ['email', 'name'], []]) {
      expect(upsert({ upsertFields })).toThrow('must be unique in the database; unique are: id; email')
    }
    expect(upsert({ upsertFields: 'email' })).toThrow('upsertFields: must be a list of fields')
    expect(upsert({})).toThrow('upsertFields: is required; name the unique fields by which records are found')
  })

  test('a restore needs a model with soft delete', () => {
    expect(make(BulkViewSet.add(BulkRestoreModelMixin), shelves)).toThrow(
      'resource of "shelves": BulkRestoreModelMixin: needs a model with SoftDeleteMixin()',
    )
  })

  test('a setting names the mixins that it needs', () => {
    expect(make(ReadOnlyViewSet, { ...authors, useSaveOnBulkUpdate: true })).toThrow(
      'needs BulkUpdateModelMixin, which this viewset does not include',
    )
    expect(make(ReadOnlyViewSet, { ...authors, returnDataOnCreate: false })).toThrow(
      /needs (CreateModelMixin or BulkCreateModelMixin|BulkCreateModelMixin or CreateModelMixin), which/,
    )
  })

  describe('getBulkBatchSize', () => {
    class Wide extends BulkViewSet.add(
      BulkUpsertModelMixin,
      BulkRestoreModelMixin,
    )({
      ...authors,
      bulkBatchSize: 2,
      upsertFields: ['email'],
    }) {
      override getBulkBatchSize() {
        const asked = this.request.headers['x-limit']
        return asked === undefined ? super.getBulkBatchSize() : Number(asked)
      }
    }
    const api = useApi(dialect, { tables, resources: { authors: Wide } })
    const items = Array.from({ length: 4 }, (_, i) => ({ name: `A${i}`, email: `a${i}@example.org` }))

    test.each([
      ['POST', 'bulk-create'],
      ['PUT', 'bulk-update'],
      ['DELETE', 'bulk-delete'],
      ['DELETE', 'bulk-soft-delete'],
      ['POST', 'bulk-restore'],
      ['POST', 'bulk-upsert'],
    ] as const)('decides for each request how many items it may have: %s %s', async (method, path) => {
      allowUndescribed(/must NOT have more than 2 items/, 'Before there is a request, only the setting is known.')
      const body = /delete|restore/.test(path) ? items.map((_, i) => uuid(i)) : items
      const send = (limit?: number) =>
        api.request(method, `/authors/${path}/`, {
          body,
          ...(limit !== undefined && { headers: { 'x-limit': String(limit) } }),
        })
      const refused = (limit: number) => {
        const message = `Ensure this list has no more than ${limit} items.`
        return [400, message, nonField(message)] as const
      }
      expectError(await send(), ...refused(2))
      expectError(await send(3), ...refused(3))
      expect((await send(4)).text).not.toContain('no more than')
    })

    test('that returns no number is our own fault, and no limit is lifted', async () => {
      const headers = { 'x-limit': 'none' }
      expect((await api.post('/authors/bulk-create/', items, { headers })).status).toBe(500)
      expect(await api.rows('authors')).toEqual([])
    })
  })

  describe('BULK_OPERATION_BATCH_SIZE', () => {
    const api = useApi(dialect, {
      tables,
      settings: { COMMON: { BULK_OPERATION_BATCH_SIZE: 3 } },
      resources: {
        authors: BulkOnlyViewSet(authors),
        more: BulkOnlyViewSet({ ...authors, bulkBatchSize: 4 }),
        project: BulkOnlyViewSet.with({ bulkBatchSize: 2 })(authors),
      },
    })
    const limit = (n: number) => `Ensure this list has no more than ${n} items.`

    test.each([
      ['authors', 3],
      ['more', 4],
      ['project', 2],
    ])('%s takes %i items', async (resource, size) => {
      const items = Array.from({ length: size + 1 }, (_, i) => ({ name: `A${i}` }))
      const path = `/${resource}/bulk-create/`
      expectError(await api.post(path, items), 400, limit(size), nonField(limit(size)))
      expect((await api.post(path, items.slice(1))).status).toBe(201)
      const ids = items.map((_, i) => uuid(i))
      const refused = await api.delete(`/${resource}/bulk-delete/`, { body: ids })
      expectError(refused, 400, limit(size), nonField(limit(size)))
    })
  })
})
