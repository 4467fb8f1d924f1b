import { AllowAny, BaseModelSerializer, BulkImportableViewSet, HistoryModelMixin, importModel } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { csv } from '../support/imports.ts'
import { importForm } from '../support/multipart.ts'

const permissionClasses = [AllowAny]

describeDialects('the number of a deleted record', dialect => {
  const c = dialect.kit
  const notes = c.table('notes', { id: c.integer().primaryKey(), text: c.text(20).notNull().unique() })
  const api = useApi(dialect, {
    tables: { notes, ...c.HistoryTable(notes) },
    resources: {
      notes: BulkImportableViewSet.add(HistoryModelMixin)({
        model: notes,
        serializer: BaseModelSerializer(notes, { fields: ['id', 'text'] }),
        permissionClasses,
        historyOfDeleted: true,
        importFileConfig: {
          fileFormat: 'csv',
          order: ['notes'],
          models: { notes: importModel({ model: notes, fields: ['text'], uniqueFields: ['text'] }) },
        },
      }),
    },
  })
  const idOf = async (text: string) => {
    const list = (await api.get('/notes/?paginated=false')).data<{ id: number; text: string }[]>()
    return list.find(note => note.text === text)?.id
  }
  const WAYS: readonly [string, (text: string) => Promise<unknown>][] = [
    ['a create', text => api.post('/notes/', { text })],
    ['a bulk create', text => api.post('/notes/bulk-create/', [{ text }])],
    ['an import', text => api.post('/notes/import-from-file/', undefined, importForm(csv(['text'], [text])))],
  ]

  test.each(WAYS)('is not given again, so its history stays alone: %s', async (_, create) => {
    await create('old')
    const old = await idOf('old')
    expect((await api.delete(`/notes/${old}/`)).status).toBe(204)
    await create('new')
    const id = await idOf('new')
    expect(id).toBeGreaterThan(Number(old))
    const actions = async (of: unknown) =>
      (await api.get(`/notes/${of}/history/`)).data<{ action: string }[]>().map(({ action }) => action)
    expect(await actions(id)).toEqual(['create'])
    expect(await actions(old)).toEqual(['delete', 'create'])
  })
})
