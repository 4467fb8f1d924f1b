import {
  AllowAny,
  BaseModelSerializer,
  BulkUpsertModelMixin,
  BulkViewSet,
  IdToDataField,
  type ImportFileConfig,
  importModel,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { expectInvalid, expectSuccess } from '../support/expect.ts'
import { csv, importOnce } from '../support/imports.ts'

const permissionClasses = [AllowAny]
const TAKEN = ['Another record already has this value.']
const ID = 'AAAAAAAA-0000-4000-8000-00000000000A'
const OTHER = 'AAAAAAAA-0000-4000-8000-00000000000B'
const [id, other] = [ID.toLowerCase(), OTHER.toLowerCase()]

// As another program has made the table: the key is text in capitals, and its case does not count.
describe('sqlite: a UUID that is stored in capitals, in a column with collate nocase', () => {
  const c = sqliteDialect.kit
  const tags = c.table('tags', { id: c.uuid().primaryKey(), name: c.text(20).notNull() })
  const notes = c.table('notes', { id: c.integer().primaryKey(), tag: c.foreignKey(tags) })
  const Tag = BaseModelSerializer(tags, { fields: ['id', 'name'] })
  const api = useApi(sqliteDialect, {
    tables: { tags, notes },
    resources: {
      tags: BulkViewSet.add(BulkUpsertModelMixin)({
        model: tags,
        serializer: Tag,
        permissionClasses,
        upsertFields: ['id'],
        appendIndexes: false,
      }),
      notes: BulkViewSet({
        model: notes,
        serializer: BaseModelSerializer(notes, {
          fields: ['id', 'tag'],
          extra: { tag: IdToDataField({ queryset: tags, serializer: Tag }) },
        }),
        permissionClasses,
        appendIndexes: false,
      }),
    },
  })
  const names = async () =>
    (await api.get('/tags/')).data<{ id: string; name: string }[]>().map(tag => Object.values(tag))

  beforeEach(async () => {
    const statements = [
      'drop table notes',
      'drop table tags',
      'create table tags (id text primary key collate nocase, name text not null)',
      'create table notes (id integer primary key, tag_id text collate nocase references tags (id))',
      `insert into tags values ('${ID}', 'a'), ('${OTHER}', 'b')`,
    ]
    for (const text of statements) await api.database.driver.run({ text }, [])
  })

  test('is read and written in either case, one by one', async () => {
    expectSuccess(await api.get(`/tags/${id}/`), 200, { data: { id: ID, name: 'a' } })
    expectSuccess(await api.patch(`/tags/${id}/`, { name: 'x' }), 200, { data: { id: ID, name: 'x' } })
    expectInvalid(await api.post('/tags/', { id, name: 'x' }), { id: TAKEN })
    expect((await api.request('DELETE', `/tags/${other}/`)).status).toBe(204)
    expect(await names()).toEqual([[ID, 'x']])
  })

  test('and so are many of them', async () => {
    expectInvalid(await api.post('/tags/bulk-create/', [{ id, name: 'x' }]), { '0.id': TAKEN })
    const changes = [
      { id, name: 'x' },
      { id: OTHER, name: 'y' },
    ]
    expect((await api.patch('/tags/bulk-update/', changes)).data()).toEqual([
      { id: ID, name: 'x' },
      { id: OTHER, name: 'y' },
    ])
    const upserted = await api.post('/tags/bulk-upsert/', [{ id, name: 'z' }])
    expect(upserted.data()).toEqual({ created: 0, updated: 1 })
    expect(await names()).toEqual([
      [ID, 'z'],
      [OTHER, 'y'],
    ])
    const deleted = await api.request('DELETE', '/tags/bulk-delete/', { body: [id, OTHER] })
    expect(deleted.data()).toEqual({ requested_count: 2, count: 2, missing_ids: [] })
  })

  test('and so are records that refer to it', async () => {
    const created = await api.post('/notes/', { tag: id })
    expect(created.data()).toEqual({ id: 1, tag: { id: ID, name: 'a' } })
    const many = await api.post('/notes/bulk-create/', [{ tag: id }, { tag: ID }])
    expect(many.status).toBe(201)
    const tag = { id: ID, name: 'a' }
    expect((await api.get('/notes/')).data()).toEqual([1, 2, 3].map(own => ({ id: own, tag })))
  })

  test('and so are the rows of a file', async () => {
    const model = importModel({ model: tags, fields: ['id', 'name'], uniqueFields: ['id'] })
    const config: ImportFileConfig = { fileFormat: 'csv', order: ['tags'], models: { tags: model } }
    const file = csv(['id', 'name'], [id, 'x'], [OTHER, 'y'], [ID, 'x'])
    const { database } = api
    expect(await importOnce(config, file, { database })).toMatchObject({ created: 0, updated: 3, failed: 0 })
    expect(await names()).toEqual([
      [ID, 'x'],
      [OTHER, 'y'],
    ])
  })
})
