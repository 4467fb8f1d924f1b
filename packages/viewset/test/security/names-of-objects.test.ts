import {
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkUpsertModelMixin,
  type ColumnKit,
  HistoryModelMixin,
  IdToDataField,
  IsAuthenticated,
  importForeignKey,
  importModel,
  insertMany,
  ManyDataToDataField,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import * as z from 'zod'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { form, importForm } from '../support/multipart.ts'

const models = (c: ColumnKit) => {
  const authors = c.table('authors', { id: c.integer().primaryKey(), name: c.text(20).notNull().unique() })
  const books = c.table('books', {
    id: c.integer().primaryKey(),
    title: c.text(20).notNull().unique(),
    author: c.foreignKey(authors).notNull(),
    facts: c.json(),
  })
  return { authors, books, ...c.HistoryTable(books) }
}

/** The names that every object of JavaScript has, and that no field, filter or column here has. */
const NAMES = Object.getOwnPropertyNames(Object.prototype)

describeDialects('a name that every object of JavaScript has is as unknown as any other', dialect => {
  const tables = models(dialect.kit)
  const { authors, books } = tables
  const Author = BaseModelSerializer(authors, { fields: ['id', 'name'] })
  const Book = BaseModelSerializer(books, {
    fields: ['id', 'title', 'author', 'facts'],
    extra: { author: IdToDataField({ queryset: authors, serializer: Author }) },
  })
  const Plain = BaseModelSerializer(books, { name: 'Plain', fields: ['id', 'title'] })
  const Shelf = BaseModelSerializer(authors, {
    name: 'Shelf',
    fields: ['id', 'name'],
    extra: { books: ManyDataToDataField({ queryset: books, serializer: Plain }) },
  })
  const api = useApi(dialect, {
    tables,
    users: { ann: { id: 'ann' } },
    resources: {
      shelves: BulkImportableViewSet({
        model: authors,
        serializer: Shelf,
        permissionClasses: [IsAuthenticated],
        importFileConfig: {
          fileFormat: 'csv',
          order: ['authors'],
          models: { authors: importModel({ model: authors, fields: ['name'], uniqueFields: ['name'] }) },
        },
      }),
      books: BulkImportableViewSet.add(
        BulkUpsertModelMixin,
        HistoryModelMixin,
      )({
        model: books,
        serializer: Book,
        permissionClasses: [IsAuthenticated],
        historyPermissionClasses: [IsAuthenticated],
        filterFields: { title: ['exact', 'in'], author__name: ['exact'] },
        searchFields: ['title'],
        orderingFields: ['title', 'author__name'],
        computedOrderingFields: { length: ['title'] },
        sparseFields: true,
        expandableFields: { author: Author },
        exportFieldConfig: { title: 'Title' },
        upsertFields: ['title'],
        actions: {
          weigh: {
            method: 'POST',
            detail: false,
            input: z.record(z.string(), z.int()),
            handler: (_, weights) => Object.keys(weights),
          },
        },
        importFileConfig: {
          fileFormat: 'csv',
          order: ['books'],
          models: {
            books: importModel({
              model: books,
              fields: ['title'],
              uniqueFields: ['title'],
              foreignKeys: { author: importForeignKey({ model: authors, lookupField: 'name', sourceField: 'author' }) },
            }),
          },
        },
      }),
    },
  })
  beforeEach(() =>
    api.database.transaction(async () => {
      await insertMany(authors, [{ id: 101, name: 'Ann' }])
      await insertMany(books, [{ id: 101, title: 'Old', author: 101 }])
    }),
  )
  const as = 'ann'
  const csv = 'title,author\nNew,Ann\n'

  test.each(NAMES)('%s as a query parameter', async name => {
    const queries = [
      ...[name, `title__${name}`, `author__${name}`].map(parameter => `${parameter}=1`),
      ...[`ordering=${name}`, `ordering=-${name}`, `ordering=author__${name}`, `ordering=${name}__title`],
      ...[`fields=${name}`, `fields=author.${name}`, `fields=${name}.name`, `expand=${name}`],
      ...[`or=(${name}=1)`, `or=(title=1,not(title__${name}=1))`, `page=${name}`, `page_size=${name}`],
    ]
    for (const query of queries) {
      const { status } = await api.get(`/books/?${query}`, { as })
      expect([query, status]).toEqual([query, query.startsWith('page=') ? 404 : 400])
    }
    for (const path of [`/books/101/?${name}=1`, `/books/101/?expand=${name}`, `/books/101/history/?${name}=1`]) {
      expect([path, (await api.get(path, { as })).status]).toEqual([path, 400])
    }
    for (const path of [`/books/${name}/`, `/${name}/`, `/books/101/${name}/`]) {
      expect([path, (await api.get(path, { as })).status]).toEqual([path, 404])
    }
  })

  test.each(NAMES)('%s as a key of a body', async name => {
    const isRefused = name === '__proto__'
    const body = (text: string) => ({ as, body: JSON.parse(text) })
    const key = JSON.stringify(name)
    const created = await api.request('POST', '/books/', body(`{"title":"A","author":101,${key}:{"id":7}}`))
    expect(created.status).toBe(isRefused ? 400 : 201)
    const kept = await api.request('POST', '/books/', body(`{"title":"B","author":101,"facts":{${key}:1}}`))
    expect(kept.status).toBe(isRefused ? 400 : 201)
    if (!isRefused) expect(JSON.stringify(kept.data().facts)).toBe(`{${key}:1}`)
    const alone = await api.request('POST', '/books/', body(`{${key}:{"title":"C"}}`))
    expect(alone.envelope()).toMatchObject(isRefused ? { errors: {} } : { errors: { title: [/required/] } })
    for (const [method, path, text] of [
      ['PATCH', '/books/101/', `{${key}:1}`],
      ['POST', '/books/bulk-create/', `[{"title":"D","author":101,${key}:1}]`],
      ['PATCH', '/books/bulk-update/', `[{"id":101,${key}:1}]`],
      ['POST', '/books/bulk-upsert/', `[{"title":"Old","author":101,${key}:1}]`],
      ['POST', '/shelves/', `{"name":"Eva","books":[{"title":"E",${key}:1}]}`],
    ] as const) {
      const { status } = await api.request(method, path, body(text))
      expect([path, status < 300]).toEqual([path, !isRefused])
    }
    for (const [path, text] of [
      ['/books/bulk-delete/', `{${key}:1}`],
      ['/books/101/revert/', `{${key}:1}`],
      ['/books/101/revert/', `{"entry":1,"fields":[${key}]}`],
      ['/books/weigh/', `{${key}:"heavy"}`],
      ['/books/export/', `{"file_type":"csv",${key}:1}`],
      ['/books/export/', `{"file_type":${key}}`],
      ['/books/export/', `{"file_type":"csv","includes":[${key}]}`],
      ['/books/export/', `{"file_type":"csv","includes":["author__${name}"]}`],
      ['/books/export/', `{"file_type":"csv","column_config":{${key}:{"width":5}}}`],
      ['/books/export/', `{"file_type":"csv","column_config":{"title":{${key}:5}}}`],
    ] as const) {
      expect([path, text, (await api.request('POST', path, body(text))).status]).toEqual([path, text, 400])
    }
    const weighed = await api.request('POST', '/books/weigh/', body(`{${key}:1}`))
    expect(weighed.data()).toEqual(isRefused ? null : [name])
    const rows = `{"file_type":"csv","data":[{"title":"X",${key}:{"title":1}}]}`
    expect((await api.request('POST', '/books/export/', body(rows))).status).toBe(isRefused ? 400 : 200)
  })

  test.each(NAMES)('%s in an import', async name => {
    const key = JSON.stringify(name)
    const parts = (content: string, ...others: readonly (readonly [string, string])[]) =>
      form({ name: 'file', filename: 'books.csv', content }, ...others.map(([part, value]) => ({ name: part, value })))
    const send = async (sent: ReturnType<typeof form>) =>
      api.request('POST', '/books/import-from-file/', { as, ...sent })
    const append = ['append_data', 'true'] as const
    expect((await send(parts(csv, append, [name, '1']))).status).toBe(400)
    expect((await send(parts(csv, append, ['mapping', `{${key}:"title"}`]))).status).toBe(400)
    expect((await send(parts(csv, append, ['mapping', `{"title":${key}}`]))).status).toBe(400)
    expect((await send(parts(csv, append, ['values', `{${key}:{"a":"b"}}`]))).status).toBe(400)
    const values = ['values', `{"author":{${key}:"Ann"}}`] as const
    expect((await send(parts(`title,author\nE,${name}\n`, append, values))).data()).toMatchObject({ created: 1 })
    const column = await send(importForm(`title,author,${name}\nF,Ann,x\n`))
    expect(column.data()).toMatchObject({ created: 1, ignored_columns: [name] })
    expect((await send(importForm(`title,${name}\nG,Ann\n`))).status).toBe(400)
    const renamed = parts(`title,${name}\nH,Ann\n`, append, ['mapping', `{${key}:"author","title":"title"}`])
    const mapped = await send(renamed)
    expect([mapped.status, mapped.text]).toEqual([201, expect.any(String)])
    const unknown = await send(parts('title,author\nI,nobody\n', append, ['values', `{"author":{"nobody":${key}}}`]))
    expect(unknown.status).toBe(207)
    const cells = await send(importForm(`title,author\n${name},${name}\n`))
    expect([cells.status, cells.data().created]).toEqual([207, 0])
    const preview = await api.request('POST', '/books/import-preview/', { as, ...importForm(`title,${name}\nJ,Ann\n`) })
    expect(preview.status).toBe(200)
  })
})
