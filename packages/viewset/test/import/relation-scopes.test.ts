import { eq, ne } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  currentDb,
  IdToDataField,
  ImportableViewSet,
  importForeignKey,
  importModel,
  ReadOnlyIdField,
  scoped,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { csv } from '../support/imports.ts'
import { library } from '../support/library.ts'
import { importForm } from '../support/multipart.ts'
import { workbook } from '../support/workbook.ts'

describeDialects('the scope of a relation field in an import', dialect => {
  /** Its host is a relation to the serializer, and to the database any identifier. */
  const visits = dialect.kit.table('visits', { id: dialect.kit.integer().primaryKey(), host: dialect.kit.uuid() })
  const tables = { ...library(dialect.kit), visits }
  const { people, books } = tables
  const permissionClasses = [AllowAny]
  const own = scoped(people, ({ user }) => eq(people.team, user?.id === uuid(901) ? 'blue' : 'none'))
  const reference = { queryset: own, serializer: BaseModelSerializer(people, { fields: ['name'] }) }
  const serializer = BaseModelSerializer(books, {
    fields: ['title'],
    // Several fields may show one column; what a client may write through is what counts.
    extra: {
      author: IdToDataField(reference),
      editor: IdToDataField(reference),
      editorId: ReadOnlyIdField({ queryset: scoped(people, () => eq(people.team, 'nobody')), column: 'editor' }),
    },
  })
  const byEmail = (sourceField: string) =>
    importForeignKey({
      model: scoped(people, () => ne(people.name, 'Retired')),
      lookupField: 'email',
      sourceField,
    })
  const api = useApi(dialect, {
    tables,
    users: { blue: { id: uuid(901) } },
    resources: {
      books: ImportableViewSet({
        model: books,
        serializer,
        permissionClasses,
        importFileConfig: {
          fileFormat: ['csv', 'xlsx'],
          order: ['people', 'books'],
          models: {
            people: importModel({ model: people, fields: ['name', 'email'], uniqueFields: ['email'] }),
            books: importModel({
              model: books,
              fields: ['title'],
              uniqueFields: ['title'],
              foreignKeys: { author: byEmail('author_email'), editor: byEmail('editor_email') },
            }),
          },
        },
      }),
      keys: ImportableViewSet({
        model: books,
        serializer,
        permissionClasses,
        importFileConfig: {
          fileFormat: 'csv',
          order: ['books'],
          models: {
            books: importModel({ model: books, fields: ['title', 'author', 'editor'], uniqueFields: ['title'] }),
          },
        },
      }),
      visits: ImportableViewSet({
        model: visits,
        serializer: BaseModelSerializer(visits, { fields: ['id'], extra: { host: IdToDataField(reference) } }),
        permissionClasses,
        importFileConfig: {
          fileFormat: 'csv',
          order: ['visits'],
          models: { visits: importModel({ model: visits, fields: ['id', 'host'], uniqueFields: ['id'] }) },
        },
      }),
    },
  })
  const send = async (path: string, file: Buffer, options: { append?: boolean; dryRun?: boolean } = {}) => {
    const response = await api.post(`/${path}/import-from-file/`, undefined, {
      ...importForm(file, options),
      as: 'blue',
    })
    return response.envelope().data
  }
  const titles = async () => (await api.rows('books')).map(row => row[1])

  beforeEach(async () => {
    await api.database.transaction(() =>
      currentDb()
        .insert(people)
        .values([
          { id: uuid(1), name: 'Ann', email: 'ann@x', team: 'blue' },
          { id: uuid(2), name: 'Bob', email: 'bob@x', team: 'red' },
          { id: uuid(3), name: 'Retired', email: 'ret@x', team: 'blue' },
        ]),
    )
  })

  const unknown = (row: number, field: string, email: string) => ({
    row,
    field,
    message: `There is no person with the email "${email}".`,
    model: 'books',
  })
  const HEADER = ['title', 'author_email', 'editor_email']
  const ROWS = [
    ['A', 'ann@x', 'ann@x'],
    ['B', 'bob@x', 'ann@x'],
    ['C', 'ann@x', 'bob@x'],
    ['D', 'nobody@x', ''],
    ['E', 'ret@x', ''],
    // Written by the same file, and none of the user's all the same.
    ['F', 'cy@x', ''],
  ]
  const ERRORS = [
    unknown(3, 'author_email', 'bob@x'),
    unknown(4, 'editor_email', 'bob@x'),
    unknown(5, 'author_email', 'nobody@x'),
    unknown(6, 'author_email', 'ret@x'),
    unknown(7, 'author_email', 'cy@x'),
  ]
  const layouts = {
    'a flat file': async () => csv(['name', 'email', ...HEADER], ...ROWS.map(row => ['Cy', 'cy@x', ...row])),
    'a sheet for each model': () =>
      workbook({
        people: [
          ['name', 'email'],
          ['Cy', 'cy@x'],
        ],
        books: [HEADER, ...ROWS],
      }),
  }

  test.each(
    Object.entries(layouts).flatMap(([layout, file]) => [
      [layout, 'append', { append: true }, file] as const,
      [layout, 'replace', { append: false }, file] as const,
      [layout, 'dry run', { append: true, dryRun: true }, file] as const,
    ]),
  )('holds in %s, %s: a record outside does not exist', async (_, mode, options, file) => {
    expect(await send('books', await file(), options)).toMatchObject({ failed: 5, errors: ERRORS })
    expect(await titles()).toEqual(mode === 'append' ? ['A'] : [])
  })

  const noKey = (row: number, field: string, id: string, model: string) => ({
    row,
    field,
    message: `There is no person with the id "${id}".`,
    model,
  })

  test('holds for a foreign key that the file holds itself', async () => {
    const header = ['title', 'author', 'editor']
    const file = csv(header, ['A', uuid(1), ''], ['B', uuid(2), ''], ['C', uuid(1), uuid(2)], ['D', uuid(9), ''])
    const errors = [
      noKey(3, 'author', uuid(2), 'books'),
      noKey(4, 'editor', uuid(2), 'books'),
      noKey(5, 'author', uuid(9), 'books'),
    ]
    for (const options of [{ append: true, dryRun: true }, { append: false }, { append: true }]) {
      expect(await send('keys', file, options)).toMatchObject({ failed: 3, errors })
    }
    expect(await titles()).toEqual(['A'])
  })

  test('holds for a column that is a relation to the serializer alone', async () => {
    const file = csv(['id', 'host'], [1, uuid(1)], [2, uuid(2)], [3, uuid(9)], [4, ''])
    expect(await send('visits', file)).toMatchObject({
      created: 2,
      errors: [noKey(3, 'host', uuid(2), 'visits'), noKey(4, 'host', uuid(9), 'visits')],
    })
  })
})
