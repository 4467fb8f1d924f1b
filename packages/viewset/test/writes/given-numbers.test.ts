import { AllowAny, BaseModelSerializer, BulkImportableViewSet, createRecord, importModel, insertMany } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { importForm } from '../support/multipart.ts'

describeDialects('after a write that gives numbers', dialect => {
  const c = dialect.kit
  const parts = c.table('parts', {
    id: c.integer().primaryKey(),
    ...c.SoftDeleteMixin(),
    name: c.text(20).notNull(),
  })
  const config = {
    model: parts,
    serializer: BaseModelSerializer(parts, { fields: ['id', 'name'] }),
    permissionClasses: [AllowAny],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['parts'],
      models: { parts: importModel({ model: parts, fields: ['id', 'name'], uniqueFields: ['id'] }) },
    },
  } as const
  class Numbered extends BulkImportableViewSet(config) {
    override async performCreate(values: Parameters<InstanceType<typeof Plain>['performCreate']>[0]) {
      return super.performCreate({ ...values, id: 7 } as typeof values)
    }
  }
  const Plain = BulkImportableViewSet(config)
  const api = useApi(dialect, { tables: { parts }, resources: { parts: Plain, numbered: Numbered } })
  const ids = async () => (await api.get('/parts/?ordering=id')).data<{ id: number }[]>().map(({ id }) => id)

  test.each([
    ['an import', 5, () => api.request('POST', '/parts/import-from-file/', importForm('id,name\n3,a\n5,b\n'))],
    ['a hook', 7, () => api.post('/numbered/', { name: 'a' })],
    ['a hook of many', 7, () => api.post('/numbered/bulk-create/', [{ name: 'a' }])],
    ['createRecord', 5, () => api.database.transaction(() => createRecord(parts, { id: 5, name: 'a' }))],
    [
      'insertMany',
      5,
      () =>
        api.database.transaction(() =>
          insertMany(
            parts,
            [2, 5, 3].map(id => ({ id, name: 'a' })),
          ),
        ),
    ],
    [
      'a far number',
      2_000_000,
      () => api.database.transaction(() => createRecord(parts, { id: 2_000_000, name: 'a' })),
    ],
  ])('%s, new records get the numbers behind it', async (_, last, write) => {
    await write()
    expect((await ids()).at(-1)).toBe(last)
    const created = await api.post('/parts/', { name: 'new' })
    expect([created.status, created.data<{ id: number }>().id]).toEqual([201, last + 1])
    const many = await api.post('/parts/bulk-create/', [{ name: 'x' }, { name: 'y' }])
    expect(many.status).toBe(201)
    expect(new Set(await ids()).size).toBe((await ids()).length)
  })

  test('that is undone, new records still get free numbers', async () => {
    const failed = api.database.transaction(async () => {
      await createRecord(parts, { id: 5, name: 'a' })
      throw new Error('Undone.')
    })
    await expect(failed).rejects.toThrow('Undone.')
    expect((await api.post('/parts/', { name: 'new' })).status).toBe(201)
  })
})
