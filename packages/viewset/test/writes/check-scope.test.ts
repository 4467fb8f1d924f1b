import { and, eq, ne, sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkUpsertModelMixin,
  type CheckScope,
  importModel,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectInvalid, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { importForm } from '../support/multipart.ts'

const OUTSIDE = 'You could not see this record afterwards, so it cannot be stored like this.'

describeDialects('a write may not go where its writer cannot see:', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const make = (checkScope?: CheckScope) =>
    BulkImportableViewSet.add(BulkUpsertModelMixin)({
      model: authors,
      serializer: BaseModelSerializer(authors, { fields: ['id', 'name', 'email'] }),
      permissionClasses: [AllowAny],
      queryset: () => and(ne(authors.name, 'Hidden'), eq(authors.isActive, true)) ?? sql`false`,
      upsertFields: ['email'],
      importFileConfig: {
        fileFormat: 'csv',
        order: ['authors'],
        models: { authors: importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }) },
      },
      ...(checkScope && { checkScope }),
    })
  const api = useApi(dialect, {
    tables,
    resources: { created: make(), always: make('always'), never: make('never') },
  })
  beforeEach(() => seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ada', email: 'ada' }] }))

  const stored = async () => {
    const at = Object.keys(authors).indexOf('name')
    return (await api.rows('authors')).map(row => row[at]).toSorted()
  }
  const seen = { name: 'Seen', email: 's' }
  const hidden = { name: 'Hidden', email: 'h' }
  const importRows = (path: string, csv: string, append = true) =>
    api.request('POST', `${path}/import-from-file/`, importForm(csv, { append }))

  test.each(['/created', '/always'])('%s refuses a new record outside of the queryset', async path => {
    expectError(await api.post(`${path}/`, hidden), 400, OUTSIDE, { non_field_errors: [OUTSIDE] })
    const items = [seen, hidden]
    expectInvalid(await api.post(`${path}/bulk-create/`, items), { '1.non_field_errors': [OUTSIDE] })
    expectInvalid(await api.post(`${path}/bulk-upsert/`, items.toReversed()), { '0.non_field_errors': [OUTSIDE] })
    expect(await stored()).toEqual(['Ada'])
    const report = await importRows(path, 'name,email\nHidden,h\nSeen,s\nHidden,i\n')
    expect(report.status).toBe(207)
    expect(report.data()).toMatchObject({
      created: 1,
      failed: 2,
      errors: [2, 4].map(row => ({ row, field: 'non_field_errors', message: OUTSIDE })),
    })
    expect(await stored()).toEqual(['Ada', 'Seen'])
    expect((await importRows(path, 'name,email\nHidden,h\n', false)).data()).toMatchObject({ failed: 1, deleted: 0 })
    expect(await stored()).toEqual(['Ada', 'Seen'])
  })

  describe('an update', () => {
    const updates = (path: string) => [
      () => api.put(`${path}/${uuid(1)}/`, hidden),
      () => api.patch(`${path}/${uuid(1)}/`, hidden),
      () => api.put(`${path}/bulk-update/`, [{ id: uuid(1), ...hidden }]),
      () => api.patch(`${path}/bulk-update/`, [{ id: uuid(1), ...hidden }]),
      () => api.post(`${path}/bulk-upsert/`, [{ ...hidden, email: 'ada' }]),
    ]

    test.each(updates('').map((_, index) => index))('may lead out of it (%s)', async index => {
      expect((await updates('/created')[index]?.())?.status).toBe(200)
      expect(await stored()).toEqual(['Hidden'])
    })

    test('may not where the resource says "always"', async () => {
      for (const update of updates('/always')) expectError(await update(), 403, OUTSIDE)
      expect((await importRows('/always', 'name,email\nHidden,ada\n')).data()).toMatchObject({
        updated: 0,
        errors: [{ row: 2, message: OUTSIDE }],
      })
      expect(await stored()).toEqual(['Ada'])
    })

    test('of an import may, too', async () => {
      expect((await importRows('/created', 'name,email\nHidden,ada\n')).data()).toMatchObject({ updated: 1, failed: 0 })
    })
  })

  test('"never" asks nothing', async () => {
    expect((await api.post('/never/', hidden)).status).toBe(201)
    expect((await api.post('/never/bulk-create/', [{ ...hidden, email: 'i' }])).status).toBe(201)
    expect((await importRows('/never', 'name,email\nHidden,j\n')).data()).toMatchObject({ created: 1 })
  })

  test('it is one statement however many records there are, and none without a queryset', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => ({ name: 'N', email: `${count} ${i}` }))
    const few = await api.statementsOf(() => api.post('/created/bulk-create/', many(2)))
    const more = await api.statementsOf(() => api.post('/created/bulk-create/', many(200)))
    expect(more.length).toBe(few.length)
    const unchecked = await api.statementsOf(() => api.post('/never/bulk-create/', many(20)))
    expect(unchecked.length).toBe(few.length - 1)
  })
})
