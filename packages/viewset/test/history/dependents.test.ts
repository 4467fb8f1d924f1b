import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkViewSet,
  currentDb,
  importModel,
  insertMany,
  withoutHistory,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { importForm } from '../support/multipart.ts'

describeDialects('rows that the database deletes or clears by a foreign key', dialect => {
  const c = dialect.kit
  /** It has no history, and the tables below have. */
  const authors = c.table('authors', { id: c.integer().primaryKey(), name: c.text(20).notNull().unique() })
  const books = c.table('books', {
    id: c.integer().primaryKey(),
    title: c.text(20).notNull(),
    author: c.foreignKey(authors, { onDelete: 'cascade' }).notNull(),
    editor: c.foreignKey(authors, { onDelete: 'set null' }),
  })
  const pages = c.table('pages', {
    id: c.integer().primaryKey(),
    text: c.text(20).notNull(),
    book: c.foreignKey(books, { onDelete: 'cascade' }).notNull(),
  })
  const folders = c.table('folders', {
    id: c.uuid().primaryKey(),
    name: c.text(20).notNull().unique(),
    parent: c.foreignKey('self', { onDelete: 'cascade' }),
  })
  const { booksHistory } = c.HistoryTable(books)
  const { pagesHistory } = c.HistoryTable(pages)
  const { foldersHistory } = c.HistoryTable(folders)
  const open = { permissionClasses: [AllowAny] }
  const api = useApi(dialect, {
    tables: { authors, books, pages, folders, booksHistory, pagesHistory, foldersHistory },
    users: { ann: { id: 'ann' } },
    resources: {
      authors: BulkImportableViewSet({
        ...open,
        model: authors,
        serializer: BaseModelSerializer(authors, { fields: ['id', 'name'] }),
        importFileConfig: {
          fileFormat: 'csv',
          order: ['authors'],
          models: { authors: importModel({ model: authors, fields: ['name'], uniqueFields: ['name'] }) },
        },
      }),
      folders: BulkViewSet({
        ...open,
        model: folders,
        serializer: BaseModelSerializer(folders, { fields: ['id', 'name', 'parent'] }),
      }),
    },
  })
  beforeEach(() =>
    api.database.use(() =>
      withoutHistory(async () => {
        await insertMany(authors, [{ name: 'Ada' }, { name: 'Bob' }])
        await insertMany(books, [
          { title: 'Of Ada', author: 1, editor: 2 },
          { title: 'Of Bob', author: 2, editor: 1 },
        ])
        await insertMany(pages, [
          { text: 'one', book: 1 },
          { text: 'two', book: 1 },
          { text: 'three', book: 2 },
        ])
        await insertMany(folders, [
          { id: uuid(1), name: 'root' },
          { id: uuid(2), name: 'leaf', parent: uuid(1) },
          { id: uuid(3), name: 'leaflet', parent: uuid(2) },
        ])
      }),
    ),
  )
  const entriesOf = (table: typeof booksHistory | typeof pagesHistory | typeof foldersHistory) =>
    api.database.use(async () => {
      const entries = await currentDb().select().from(table).orderBy(table.id)
      return entries.map(({ record, action, user, before, after }) => ({ record, action, user, before, after }))
    })
  const form = importForm('name\nCy\n', { append: false })
  const AS = { as: 'ann' }

  test.each([
    ['a DELETE', () => api.delete('/authors/1/', AS)],
    ['a bulk delete', () => api.request('DELETE', '/authors/bulk-delete/', { body: [1], ...AS })],
  ])('have entries of %s', async (_name, write) => {
    expect((await write()).status).toBeLessThan(300)
    const left = { id: 1, title: 'Of Ada', author_id: 1, editor_id: 2 }
    expect(await entriesOf(booksHistory)).toEqual([
      { record: '1', action: 'delete', user: 'ann', before: left, after: null },
      { record: '2', action: 'update', user: 'ann', before: { editor_id: 1 }, after: { editor_id: null } },
    ])
    expect((await entriesOf(pagesHistory)).map(({ record, action }) => [record, action])).toEqual([
      ['1', 'delete'],
      ['2', 'delete'],
    ])
  })

  test('have entries of a replace', async () => {
    const response = await api.request('POST', '/authors/import-from-file/', { ...form, ...AS })
    expect(response.status, response.text).toBe(201)
    expect((await entriesOf(booksHistory)).map(({ record, action }) => [record, action])).toEqual([
      ['1', 'delete'],
      ['2', 'delete'],
    ])
    expect(await entriesOf(pagesHistory)).toHaveLength(3)
  })

  test('have one entry each in a tree, also if the request names some of them', async () => {
    expect((await api.request('DELETE', '/folders/bulk-delete/', { body: [uuid(1), uuid(2)], ...AS })).status).toBe(200)
    const entries = await entriesOf(foldersHistory)
    expect(entries.map(({ record, action }) => [record, action]).toSorted()).toEqual([
      [uuid(1), 'delete'],
      [uuid(2), 'delete'],
      [uuid(3), 'delete'],
    ])
  })

  test('have none if the deletion is refused', async () => {
    expect((await api.delete('/authors/9/', AS)).status).toBe(404)
    expect(await entriesOf(booksHistory)).toEqual([])
  })
})
