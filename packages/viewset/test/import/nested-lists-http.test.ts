import { eq } from 'drizzle-orm'
import { readXlsx } from 'hucre/xlsx'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  type ColumnKit,
  currentDb,
  FileExportMixin,
  HistoryModelMixin,
  importModel,
  insertMany,
  ManyDataToDataField,
  type SerializerInput,
  scoped,
  ValidationError,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import type { ImportData } from '../../src/viewset/files/import-reply.ts'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { csv } from '../support/imports.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

/** Albums with tracks, and with tags that are shared. All have a history, except notes. */
function music(c: ColumnKit) {
  const id = () => c.integer().primaryKey()
  const albums = c.table('albums', {
    id: id(),
    title: c.text(30).notNull().unique(),
    team: c.text(10).notNull().default('red'),
  })
  const tracks = c.table('tracks', {
    id: id(),
    album: c.foreignKey(albums, { onDelete: 'cascade' }).notNull(),
    name: c.text(30).notNull(),
    price: c.integer(),
    secret: c.text(20),
  })
  const tags = c.table('tags', { id: id(), label: c.text(20).notNull().unique() })
  const albumTags = c.table('album_tags', {
    id: id(),
    album: c.foreignKey(albums, { onDelete: 'cascade' }).notNull(),
    tag: c.foreignKey(tags, { onDelete: 'cascade' }).notNull(),
  })
  const notes = c.table('notes', {
    id: id(),
    album: c.foreignKey(albums, { onDelete: 'cascade' }).notNull(),
    text: c.text(30).notNull(),
  })
  const histories = {
    ...c.HistoryTable(albums),
    ...c.HistoryTable(tracks, { parent: 'album' }),
    ...c.HistoryTable(tags),
  }
  return { albums, tracks, tags, albumTags, notes, ...histories, ...c.JobTables() }
}

describeDialects('an import of lists over HTTP', dialect => {
  const tables = music(dialect.kit)
  const { albums, tracks, tags, albumTags, notes, albumsHistory, tracksHistory } = tables
  const Track = BaseModelSerializer(tracks, {
    fields: ['id', 'name', 'price', 'secret'],
    writableBy: { price: user => user?.id === 'ann' },
    readableBy: { secret: user => user?.id === 'ann' },
  })
  const Album = BaseModelSerializer(albums, {
    fields: ['id', 'title'],
    extra: {
      tracks: ManyDataToDataField({ queryset: tracks, serializer: Track, ordering: 'id' }),
      tags: ManyDataToDataField({
        queryset: tags,
        serializer: BaseModelSerializer(tags, { fields: ['id', 'label'] }),
        through: albumTags,
        ordering: 'label',
      }),
    },
  })
  const rowsWith = (...lists: readonly string[]) => ({
    fileFormat: ['csv', 'xlsx'] as const,
    order: ['albums'] as const,
    models: {
      albums: importModel({ model: albums, fields: ['title'], lists, uniqueFields: ['title'], skipUnchanged: true }),
    },
  })
  const Base = BulkImportableViewSet.add(HistoryModelMixin).add(FileExportMixin)
  const config = {
    model: albums,
    serializer: Album,
    permissionClasses: [AllowAny],
    importFileConfig: rowsWith('tracks', 'tags'),
  } as const
  class Hooked extends Base(config) {
    override async performBulkCreate(values: SerializerInput<typeof Album>[]) {
      for (const { tracks: list } of values) for (const { values: track } of list?.items ?? []) track.name += '!'
      if (values.some(({ title }) => title === 'B')) throw new ValidationError({ title: ['No.'] })
      return super.performBulkCreate(values)
    }
  }
  const queue = new ManualQueue()
  const api = useApi(dialect, {
    tables,
    users: { ann: { id: 'ann' }, ben: { id: 'ben' } },
    resources: {
      albums: Base(config),
      red: Base({ ...config, queryset: () => eq(albums.team, 'red'), fixedValues: () => ({ team: 'red' }) }),
      hooked: Hooked,
      noted: Base({
        ...config,
        serializer: BaseModelSerializer(albums, {
          name: 'Noted',
          fields: ['id', 'title'],
          extra: {
            notes: ManyDataToDataField({
              queryset: notes,
              serializer: BaseModelSerializer(notes, { name: 'Note', fields: ['id', 'text'] }),
            }),
          },
        }),
        importFileConfig: rowsWith('notes'),
      }),
      guarded: Base({
        ...config,
        serializer: BaseModelSerializer(albums, {
          name: 'Guarded',
          fields: ['id', 'title'],
          extra: {
            tracks: ManyDataToDataField({ queryset: scoped(tracks, () => eq(tracks.price, 1)), serializer: Track }),
          },
          writableBy: { tracks: user => user?.id === 'ann' },
        }),
        importFileConfig: rowsWith('tracks'),
      }),
    },
    jobs: { tables, files: new MemoryJobFiles(), queue },
    openapi: true,
  })
  const send = (resource: string, file: Buffer | string, { as = 'ann', query = '', append = true } = {}) =>
    api.request('POST', `/${resource}/import-from-file/${query}`, { ...importForm(file, { append }), as })
  const imported = async (resource: string, file: Buffer | string, options = {}) => {
    const response = await send(resource, file, options)
    return response.data<ImportData>()
  }
  const rows = (...cells: readonly (readonly [string, unknown, unknown])[]) =>
    csv(
      ['title', 'tracks', 'tags'],
      ...cells.map(([title, ...lists]) => [title, ...lists.map(list => JSON.stringify(list))]),
    )
  const stored = async () => {
    const shown = (await api.get('/albums/?ordering=id', { as: 'ann' })).data<Record<string, unknown>[]>()
    return shown
  }
  beforeEach(async () => {
    await api.database.use(() => insertMany(tags, [{ label: 'rock' }, { label: 'jazz' }]))
  })

  test('many-to-many objects link stored records and create new ones, and a row sets all links', async () => {
    expect(
      await imported('albums', rows(['A', [{ name: 'one' }], [{ id: 1 }, { label: 'pop' }]], ['B', [], [{ id: 2 }]])),
    ).toMatchObject({ created: 2, failed: 0 })
    expect(await stored()).toMatchObject([
      { title: 'A', tracks: [{ name: 'one' }], tags: [{ label: 'pop' }, { label: 'rock' }] },
      { title: 'B', tracks: [], tags: [{ label: 'jazz' }] },
    ])
    const again = rows(
      ['A', [{ id: 1, name: 'one' }], [{ id: 3 }, { id: 1 }]],
      ['B', [], [{ id: 9 }]],
      ['C', [], [{ label: 'rock' }]],
    )
    const result = await imported('albums', again)
    expect(result).toMatchObject({ unchanged: 1, failed: 2 })
    expect(result.errors.map(({ message }) => message)).toEqual([
      'Entry 1, id: There is no tag with the id "9". (tags.0.id)',
      'Entry 1, label: Another record already has this value. (tags.0.label)',
    ])
    await imported('albums', rows(['A', [{ id: 1, name: 'one' }], [{ id: 3 }]]))
    expect(await stored()).toMatchObject([{ tags: [{ label: 'pop' }] }, {}])
  })

  test('an export comes back unchanged, and edited lists change what was edited', async () => {
    await imported('albums', rows(['A', [{ name: 'one', price: 3 }, { name: 'two' }], [{ id: 1 }]], ['B', [], []]))
    for (const fileType of ['csv', 'xlsx']) {
      // A workbook has the lists as JSON if `includes` does not name them.
      const exported = await api.post('/albums/export/', { file_type: fileType }, { as: 'ann' })
      const form = importForm(exported.bytes, { filename: `albums.${fileType}` })
      const back = await api.request('POST', '/albums/import-from-file/', { ...form, as: 'ann' })
      expect(back.data<ImportData>(), back.text).toMatchObject({ unchanged: 2, updated: 0, failed: 0 })
    }
    const exported = await api.post(
      '/albums/export/',
      { file_type: 'csv', includes: 'title, tracks, tags' },
      { as: 'ann' },
    )
    const edited = exported.bytes.toString('utf8').replace('two', 'deux')
    expect(await imported('albums', edited)).toMatchObject({ unchanged: 1, updated: 1 })
    expect(await stored()).toMatchObject([
      {
        tracks: [
          { id: 1, name: 'one' },
          { id: 2, name: 'deux' },
        ],
      },
      {},
    ])
    expect(await imported('albums', edited, { append: false })).toMatchObject({ deleted: 2, created: 2, failed: 0 })
    expect(await stored()).toMatchObject([{ tracks: [{ name: 'one', price: 3 }, { name: 'deux' }] }, { tracks: [] }])
  })

  test('a preview, a file of failed rows and a template show lists as JSON', async () => {
    const file = rows(['A', [{ name: 'x'.repeat(40) }], []], ['B', [{ name: 'b' }], []])
    const preview = await api.request('POST', '/albums/import-preview/', { ...importForm(file), as: 'ann' })
    expect(preview.data<{ sheets: object[] }>().sheets).toMatchObject([
      { rows: [{ values: { tracks: [{ name: 'x'.repeat(40) }] }, problems: [] }, {}] },
    ])
    const failed = await send('albums', file, { query: '?failed_rows=true' })
    expect(failed.status).toBe(207)
    const [, row = ''] = failed.bytes.toString('utf8').split('\r\n')
    expect(row).toContain(`"[{""name"":""${'x'.repeat(40)}""}]"`)
    expect(row).toContain('(tracks.0.name)')
    const corrected = failed.bytes.toString('utf8').replace('x'.repeat(40), 'a')
    expect(await imported('albums', corrected)).toMatchObject({ created: 1, failed: 0 })
    const template = await api.get('/albums/import-template/?file_type=xlsx', { as: 'ann' })
    const { sheets } = await readXlsx(template.bytes)
    const [header = [], example = []] = sheets[0]?.rows ?? []
    expect(header).toEqual(['title', 'tracks', 'tags'])
    expect(JSON.parse(String(example[1]))).toMatchObject([{ name: expect.any(String) }])
    const plain = await api.get('/albums/import-template/?file_type=csv', { as: 'ann' })
    expect(await imported('albums', plain.bytes)).toMatchObject({ created: 1, failed: 0 })
  })

  test('a file for editing has no lists, and its import leaves them alone', async () => {
    await imported('albums', rows(['A', [{ name: 'one' }], [{ id: 1 }]]))
    const before = await stored()
    const exported = await api.post('/albums/export/', { file_type: 'xlsx', for_editing: true }, { as: 'ann' })
    const { sheets } = await readXlsx(exported.bytes)
    expect(sheets[0]?.rows[0]).toEqual(['ID (do not change)', 'Delete?', 'title'])
    const form = importForm(exported.bytes, { filename: 'albums.xlsx' })
    const sent = await api.request('POST', '/albums/import-from-file/', { ...form, as: 'ann' })
    expect(sent.data<ImportData>(), sent.text).toMatchObject({ failed: 0, unchanged: 1 })
    expect(await stored()).toEqual(before)
  })

  test('the history has the changes of records and of their children', async () => {
    await imported('albums', rows(['A', [{ name: 'one' }, { name: 'two' }], [{ id: 1 }]]))
    await imported('albums', rows(['A', [{ id: 1, name: 'uno' }], [{ id: 1 }]]))
    const entries = (table: typeof albumsHistory | typeof tracksHistory) =>
      api.database.use(() => currentDb().select().from(table))
    expect((await entries(tracksHistory)).map(({ action, record, source }) => `${action} ${record} ${source}`)).toEqual(
      ['create 1 import', 'create 2 import', 'delete 2 import', 'update 1 import'],
    )
    expect((await entries(albumsHistory)).map(({ action }) => action)).toContain('create')
    const history = (await api.get('/albums/1/history/', { as: 'ann' })).data<{ action: string; path?: string }[]>()
    expect(history.map(({ action, path }) => [action, path ?? null])).toEqual(
      expect.arrayContaining([
        ['update', 'tracks.1'],
        ['delete', 'tracks.2'],
      ]),
    )
  })

  test('an undo takes back children and links as well', async () => {
    await imported('albums', rows(['A', [{ name: 'one' }, { name: 'two' }], [{ id: 1 }]]))
    const before = await stored()
    const { job } = await imported(
      'albums',
      rows(['A', [{ id: 1, name: 'uno' }, { name: 'three' }], [{ label: 'pop' }]], ['B', [{ name: 'b' }], [{ id: 2 }]]),
    )
    expect(await stored()).not.toEqual(before)
    const accepted = await api.post(`/jobs/${job}/undo/`, undefined, { as: 'ann' })
    expect(accepted.status, accepted.text).toBe(202)
    const { id } = accepted.data<JobData>()
    await queue.run(id)
    const { result, message } = (await api.get(`/jobs/${id}/`, { as: 'ann' })).data<JobData>()
    expect(message).toBe('')
    expect(result).toMatchObject({ kept: 0, failed: 0, partly: 0 })
    expect(await stored()).toEqual(before)
    expect((await api.rows('tags')).length).toBe(2)
  })

  test('an import with children without a history is no job, as it cannot be undone', async () => {
    const file = csv(['title', 'notes'], ['A', '[{"text":"n"}]'])
    expect(await imported('noted', file)).toMatchObject({ created: 1 })
    expect((await api.get('/jobs/', { as: 'ann' })).data()).toEqual([])
  })

  test('hooks see the children and may change them; a second attempt starts from the file', async () => {
    const file = rows(['A', [{ name: 'a' }], []], ['B', [{ name: 'b' }], []], ['C', [{ name: 'c' }], []])
    const result = await imported('hooked', file)
    expect(result).toMatchObject({ created: 2, errors: [{ row: 3, field: 'title', message: 'No.' }] })
    expect(await stored()).toMatchObject([{ tracks: [{ name: 'a!' }] }, { tracks: [{ name: 'c!' }] }])
  })

  test('fixed values and the scope of the resource hold for the record, and its list cannot change them', async () => {
    await api.database.use(() => insertMany(albums, [{ title: 'Blue', team: 'blue' }]))
    const result = await imported(
      'red',
      rows(['Blue', [{ name: 'mine' }], []], ['R', [{ name: 'r', team: 'blue' }], []]),
    )
    expect(result).toMatchObject({ created: 1, failed: 1 })
    expect(await stored()).toMatchObject([
      { title: 'Blue', tracks: [] },
      { title: 'R', tracks: [{ name: 'r' }] },
    ])
  })

  test('fields that a user may not write are ignored in a list, and a list as a whole in a file', async () => {
    await imported('albums', rows(['A', [{ name: 'one', price: 5 }], []]), { as: 'ben' })
    expect(await stored()).toMatchObject([{ tracks: [{ name: 'one', price: null }] }])
    const file = csv(['title', 'tracks'], ['B', '[{"name":"b","price":1}]'])
    expect(await imported('guarded', file, { as: 'ben' })).toMatchObject({ created: 1, ignored_columns: ['tracks'] })
    expect(await imported('guarded', file)).toMatchObject({ updated: 1, failed: 0 })
    const outside = csv(['title', 'tracks'], ['B', '[{"name":"b","price":2}]'])
    expect((await imported('guarded', outside)).errors).toMatchObject([{ field: 'tracks', column: 'tracks' }])
  })

  test('the document names the lists of a file', async () => {
    const spec = await api.get('/openapi.json')
    expect(spec.text).toContain('Lists of records in JSON: tracks, tags.')
  })
})
