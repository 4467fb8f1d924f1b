import { randomUUID } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import {
  AllowAny,
  BaseModelSerializer,
  BulkViewSet,
  type ColumnKit,
  createRecord,
  DataToDataField,
  findRecords,
  importModel,
  insertMany,
  ManyIdToDataField,
} from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { csv } from '../support/imports.ts'
import { importForm } from '../support/multipart.ts'

/** A row counts its updates, keeps its last title, and is given words by the database. */
function tablesOf(c: ColumnKit) {
  const id = () => c.uuid().primaryKey().$defaultFn(randomUUID)
  const counted = () => ({
    version: c
      .integer()
      .notNull()
      .default(1)
      .$onUpdateFn(() => sql`version + 1`),
    word: c
      .text()
      .notNull()
      .$defaultFn(() => sql`lower(${'NEW'})`),
  })
  const folders = c.table('folders', { id: id(), name: c.text(20).notNull(), ...counted() })
  const docs = c.table('docs', {
    id: id(),
    title: c.text(20).notNull().unique(),
    before: c
      .text()
      .$defaultFn(() => sql`null`)
      .$onUpdateFn((): SQL => sql`${docs.title}`),
    ...counted(),
    ...c.SoftDeleteMixin(),
    folder: c.foreignKey(folders),
  })
  const labels = c.table('labels', { id: id(), name: c.text(20).notNull(), ...counted(), doc: c.foreignKey(docs) })
  const readers = c.table('readers', { id: id(), name: c.text(20).notNull() })
  const docReaders = c.table('doc_readers', {
    id: id(),
    doc: c.foreignKey(docs).notNull(),
    reader: c.foreignKey(readers).notNull(),
    ...counted(),
  })
  const lines = c.table('lines', {
    id: c.integer().primaryKey(),
    name: c.text(20).notNull(),
    ...counted(),
    mark: c.text().$defaultFn(() => sql`upper(${randomUUID()})`),
  })
  return { folders, docs, labels, readers, docReaders, lines }
}

describeDialects('values that SQL makes', dialect => {
  const tables = tablesOf(dialect.kit)
  const { folders, docs, labels, readers, docReaders, lines } = tables
  const permissionClasses = [AllowAny]
  const folder = BaseModelSerializer(folders, { fields: ['id', 'name'] })
  const label = BaseModelSerializer(labels, { fields: ['id', 'name'] })
  const reader = BaseModelSerializer(readers, { fields: ['id', 'name'] })
  const serializer = BaseModelSerializer(docs, {
    fields: ['id', 'title', 'before', 'version', 'word', 'folder'],
    extra: {
      folder: DataToDataField({ queryset: folders, serializer: folder }),
      labels: ManyIdToDataField({ queryset: labels, serializer: label }),
      readers: ManyIdToDataField({ queryset: readers, serializer: reader, through: docReaders }),
    },
  })
  const api = useApi(dialect, {
    tables,
    resources: {
      docs: FullViewSet({
        model: docs,
        serializer,
        permissionClasses,
        upsertFields: ['title'],
        importFileConfig: {
          fileFormat: 'csv',
          order: ['docs'],
          models: { docs: importModel({ model: docs, fields: ['title', 'version'], uniqueFields: ['title'] }) },
        },
      }),
      lines: BulkViewSet({
        model: lines,
        serializer: BaseModelSerializer(lines, { fields: ['id', 'name', 'word', 'mark'] }),
        permissionClasses,
      }),
      saved: BulkViewSet({ model: docs, serializer, permissionClasses, useSaveOnBulkUpdate: true }),
    },
  })
  /** Title, title before, version and word of every document. */
  const stored = async () =>
    (await api.get('/docs/?ordering=title&paginated=false'))
      .data<Record<'title' | 'before' | 'version' | 'word', unknown>[]>()
      .map(({ title, before, version, word }) => [title, before, version, word])
  const create = async (...titles: readonly string[]) => {
    const response = await api.post(
      '/docs/bulk-create/',
      titles.map(title => ({ title })),
    )
    return response.data<{ id: string }[]>().map(({ id }) => id)
  }

  test('are rendered by create, update and a record that is saved', async () => {
    const created = await api.post('/docs/', { title: 'a' })
    expect(created.data()).toMatchObject({ title: 'a', before: null, version: 1, word: 'new' })
    const path = `/docs/${created.data<{ id: string }>().id}/`
    expect((await api.patch(path, { title: 'b' })).data()).toMatchObject({ before: 'a', version: 2, word: 'new' })
    expect((await api.put(path, { title: 'c', word: 'x' })).data()).toMatchObject({
      before: 'b',
      version: 3,
      word: 'x',
    })
    await api.database.transaction(async () => {
      const [record] = await findRecords(docs)
      if (record) record.title = 'd'
      expect(await record?.save()).toMatchObject({ before: 'c', version: 4 })
      expect(await record?.softDelete()).toMatchObject({ before: 'd', version: 5 })
      expect(await record?.restore()).toMatchObject({ version: 6 })
    })
  })

  test('give way to a value that is given', async () => {
    const created = await api.post('/docs/', { title: 'a', version: 7, word: 'mine' })
    expect(created.data()).toMatchObject({ version: 7, word: 'mine' })
    const { id } = created.data<{ id: string }>()
    expect((await api.patch(`/docs/${id}/`, { version: 3 })).data()).toMatchObject({ version: 3 })
  })

  test('are rendered by bulk create, for the rows that give none', async () => {
    await api.post('/docs/bulk-create/', [{ title: 'a' }, { title: 'b', word: 'mine' }, { title: 'c', version: 4 }])
    expect(await stored()).toEqual([
      ['a', null, 1, 'new'],
      ['b', null, 1, 'mine'],
      ['c', null, 4, 'new'],
    ])
    await api.database.transaction(async () => {
      await createRecord(docs, { title: 'd' })
      await insertMany(docs, [{ title: 'e' }, { title: 'f' }])
    })
    expect((await stored()).slice(3)).toEqual(['d', 'e', 'f'].map(title => [title, null, 1, 'new']))
  })

  test('keep the order of rows that the database numbers, whatever each of them gives', async () => {
    const items = [{ name: 'a' }, { name: 'b', word: 'mine' }, { name: 'c', mark: 'x' }, { name: 'd' }]
    const answer = (await api.post('/lines/bulk-create/', items)).data<Record<'mark', string>[]>()
    expect(answer).toMatchObject([
      { id: 1, name: 'a', word: 'new' },
      { id: 2, name: 'b', word: 'mine' },
      { id: 3, name: 'c', word: 'new', mark: 'x' },
      { id: 4, name: 'd', word: 'new' },
    ])
    expect(new Set(answer.map(({ mark }) => mark)).size).toBe(4)
    expect((await api.get('/lines/')).data<{ index: number }[]>().map(({ index, ...line }) => line)).toEqual(answer)
  })

  test('are rendered by bulk update, over the rows as they were', async () => {
    const [a, b] = await create('a', 'b')
    await api.patch('/docs/bulk-update/', [
      { id: a, title: 'a2' },
      { id: b, title: 'b2', version: 9 },
    ])
    expect(await stored()).toEqual([
      ['a2', 'a', 2, 'new'],
      ['b2', 'b', 9, 'new'],
    ])
    await api.patch('/saved/bulk-update/', [{ id: a, title: 'a3' }])
    expect((await stored())[0]).toEqual(['a3', 'a2', 3, 'new'])
  })

  test('are rendered by upsert and import', async () => {
    await create('a')
    await api.post('/docs/bulk-upsert/', [{ title: 'a' }, { title: 'b' }])
    expect(await stored()).toEqual([
      ['a', 'a', 2, 'new'],
      ['b', null, 1, 'new'],
    ])
    const file = csv(['title', 'version'], ['a', 5], ['c', 8])
    expect((await api.post('/docs/import-from-file/', undefined, importForm(file))).status).toBe(201)
    expect(await stored()).toEqual([
      ['a', 'a', 5, 'new'],
      ['b', null, 1, 'new'],
      ['c', null, 8, 'new'],
    ])
  })

  test('are rendered by bulk soft delete and restore', async () => {
    const ids = await create('a')
    await api.delete('/docs/bulk-soft-delete/', { body: ids })
    await api.post('/docs/bulk-restore/', ids)
    expect(await stored()).toEqual([['a', 'a', 3, 'new']])
  })

  test('are rendered for nested records, links and foreign keys that are set', async () => {
    await api.database.transaction(async () => {
      await createRecord(labels, { id: uuid(1), name: 'red' })
      await createRecord(readers, { id: uuid(2), name: 'Ann' })
    })
    const related = { labels: [uuid(1)], readers: [uuid(2)] }
    const item = { title: 'a', folder: { name: 'top' }, ...related }
    expect((await api.post('/docs/', item)).status).toBe(201)
    const other = { title: 'b', folder: { name: 'top' }, ...related, labels: [] }
    expect((await api.post('/docs/bulk-create/', [other])).status).toBe(201)
    const words = async (table: string) =>
      (await api.database.driver.run({ text: `select version, word from ${table}` }, [])).rows.map(row =>
        row.map(String),
      )
    expect(await words('folders')).toEqual([
      ['1', 'new'],
      ['1', 'new'],
    ])
    expect(await words('doc_readers')).toEqual([
      ['1', 'new'],
      ['1', 'new'],
    ])
    expect(await words('labels')).toEqual([['2', 'new']])
  })
})

function pgTables() {
  const items = pg.pgTable('items', {
    code: pg
      .text()
      .primaryKey()
      .$defaultFn(() => sql`gen_random_uuid()::text`),
    name: pg.text().notNull(),
    count: pg
      .integer()
      .notNull()
      .default(0)
      .$onUpdateFn(() => sql`count + 1`),
    /** Without a default, Drizzle asks the function for new rows too. */
    stamp: pg
      .text()
      .notNull()
      .$onUpdateFn(() => randomUUID()),
    note: pg.text().$defaultFn(() => sql`${randomUUID()}::text`),
  })
  return { items }
}

function sqliteTables() {
  const items = lite.sqliteTable('items', {
    code: lite
      .text()
      .primaryKey()
      .$defaultFn(() => sql`lower(hex(randomblob(16)))`),
    name: lite.text().notNull(),
    count: lite
      .integer()
      .notNull()
      .default(0)
      .$onUpdateFn(() => sql`count + 1`),
    stamp: lite
      .text()
      .notNull()
      .$onUpdateFn(() => randomUUID()),
    note: lite.text().$defaultFn(() => sql`${randomUUID()}`),
  })
  return { items }
}

describeDialects('values that SQL makes in plain tables', dialect => {
  // Each is the right one at run time; the types of both are those of PostgreSQL's, as with a kit.
  const tables = dialect.name === 'pg' ? pgTables() : (sqliteTables() as never as ReturnType<typeof pgTables>)
  const { items } = tables
  const fields = ['code', 'name', 'count', 'stamp', 'note'] as const
  const serializer = BaseModelSerializer(items, { fields, readOnly: ['code'] })
  const api = useApi(dialect, {
    tables,
    resources: { items: BulkViewSet({ model: items, serializer, permissionClasses: [AllowAny] }) },
  })
  type Item = Record<(typeof fields)[number], string>

  test('are rendered on every path, the primary key among them', async () => {
    const one = (await api.post('/items/', { name: 'a' })).data<Item>()
    const many = (await api.post('/items/bulk-create/', [{ name: 'b' }, { name: 'c', note: 'mine' }])).data<Item[]>()
    const all = [one, ...many]
    expect(all.map(({ name, count }) => [name, count])).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 0],
    ])
    for (const field of ['code', 'stamp', 'note'] as const) {
      expect(new Set(all.map(item => item[field])).size).toBe(3)
      expect(all.every(item => typeof item[field] === 'string' && item[field] !== '')).toBe(true)
    }
    expect(many[1]?.note).toBe('mine')
    const patched = (await api.patch(`/items/${one.code}/`, { name: 'z' })).data<Item>()
    expect(patched).toMatchObject({ name: 'z', count: 1, note: one.note })
    expect(patched.stamp).not.toBe(one.stamp)
    const bulk = all.map(({ code }) => ({ code, name: 'y' }))
    const counts = (await api.patch('/items/bulk-update/', bulk)).data<Item[]>().map(({ count }) => count)
    expect(counts).toEqual([2, 1, 1])
  })

  test('that differ from row to row are each row’s own', async () => {
    const many = Array.from({ length: 5 }, (_, i) => ({ name: `n${i}` }))
    const notes = (await api.post('/items/bulk-create/', many)).data<Item[]>().map(({ note }) => note)
    expect(new Set(notes).size).toBe(5)
  })
})

describeDialects('a unique constraint with a part that SQL makes', dialect => {
  const c = dialect.kit
  const tickets = c.table(
    'tickets',
    {
      id: c.integer().primaryKey(),
      team: c.text(10).notNull(),
      code: c
        .text(10)
        .notNull()
        .$defaultFn(() => sql`lower(${'NEW'})`),
    },
    t => [c.unique(t.team, t.code)],
  )
  const serializer = BaseModelSerializer(tickets, { fields: ['id', 'team', 'code'] })
  const api = useApi(dialect, {
    tables: { tickets },
    resources: { tickets: BulkViewSet({ model: tickets, serializer, permissionClasses: [AllowAny] }) },
  })

  test('is kept: what is free is stored, and what is taken is refused', async () => {
    expect((await api.post('/tickets/', { team: 'red' })).status).toBe(201)
    expect((await api.post('/tickets/', { team: 'red' })).status).toBe(409)
    expect((await api.post('/tickets/', { team: 'blue' })).status).toBe(201)
    const stored = await api.database.use(() => findRecords(tickets))
    expect(stored.map(({ team, code }) => `${team} ${code}`).toSorted()).toEqual(['blue new', 'red new'])
  })
})
