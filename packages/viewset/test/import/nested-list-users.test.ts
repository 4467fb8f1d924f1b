import { AllowAny, BaseModelSerializer, BulkImportableViewSet, importModel, ManyDataToDataField } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { csv } from '../support/imports.ts'
import { importForm } from '../support/multipart.ts'

describeDialects('a list of records in the import of several users', dialect => {
  const c = dialect.kit
  const albums = c.table('albums', { id: c.integer().primaryKey(), title: c.text(20).notNull().unique() })
  const tracks = c.table('tracks', {
    id: c.integer().primaryKey(),
    album: c.foreignKey(albums, { onDelete: 'cascade' }).notNull(),
    name: c.text(20).notNull(),
  })
  const Track = BaseModelSerializer(tracks, { fields: ['id', 'name'] })
  const Full = BaseModelSerializer(albums, {
    name: 'Full',
    fields: ['id', 'title'],
    extra: { tracks: ManyDataToDataField({ queryset: tracks, serializer: Track }) },
  })
  const Short = BaseModelSerializer(albums, { name: 'Short', fields: ['id', 'title'] })
  const Base = BulkImportableViewSet({
    model: albums,
    serializer: Full,
    serializers: [Full, Short],
    permissionClasses: [AllowAny],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['albums'],
      models: { albums: importModel({ model: albums, fields: ['title'], lists: ['tracks'], uniqueFields: ['title'] }) },
    },
  })
  class Albums extends Base {
    override getSerializer() {
      return this.user?.id === 'ann' ? Full : Short
    }
  }
  const api = useApi(dialect, {
    tables: { albums, tracks },
    openapi: true,
    users: { ann: { id: 'ann' }, ben: { id: 'ben' } },
    resources: { albums: Albums },
  })
  const send = (action: string, as: string) => {
    const file = importForm(csv(['title', 'tracks'], [as, '[{"name":"x"}]']))
    return api.request('POST', `/albums/${action}/`, { ...file, as })
  }

  test('is no column for a user whose serializer lacks it', async () => {
    expect((await send('import-from-file', 'ann')).data()).toMatchObject({ created: 1, failed: 0 })
    const other = await send('import-from-file', 'ben')
    expect(other.data()).toMatchObject({ created: 1, failed: 0, ignored_columns: ['tracks'] })
    expect((await api.get('/albums/', { as: 'ann' })).data()).toMatchObject([
      { title: 'ann', tracks: [{ name: 'x' }] },
      { title: 'ben', tracks: [] },
    ])
    expect((await send('import-preview', 'ben')).status).toBe(200)
    expect((await api.get('/albums/import-template/', { as: 'ben' })).text).toBe('title\r\nAn example\r\n')
    expect((await api.get('/openapi.json')).status).toBe(200)
  })
})
