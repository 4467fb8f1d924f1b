import { eq } from 'drizzle-orm'
import {
  BaseModelSerializer,
  type ImportFileConfig,
  ImportService,
  importManyToMany,
  importModel,
  ManyIdToDataField,
  scoped,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { describeDialects, type TestDialect } from '../support/dialects.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'

function tagged(c: TestDialect['kit']) {
  const tags = c.table('tags', {
    id: c.integer().primaryKey(),
    label: c.text(20).notNull(),
    isHidden: c.boolean().notNull().default(false),
  })
  const books = c.table('books', {
    id: c.integer().primaryKey(),
    isbn: c.text(20).notNull().unique(),
    title: c.text(30),
  })
  const bookTags = c.table('book_tags', {
    id: c.integer().primaryKey(),
    book: c.foreignKey(books, { onDelete: 'cascade' }).notNull(),
    tag: c.foreignKey(tags, { onDelete: 'restrict' }).notNull(),
    note: c.text(20),
  })
  return { tags, books, bookTags }
}

describeDialects('links from one cell', dialect => {
  const tables = tagged(dialect.kit)
  const { tags, books, bookTags } = tables
  const db = useDatabase(dialect, tables)
  const byLabel = importManyToMany({ model: tags, lookupField: 'label', sourceField: 'tags', through: bookTags })
  const configOf = (manyToMany: Record<string, typeof byLabel>, more = {}): ImportFileConfig => ({
    fileFormat: 'csv',
    order: ['books'],
    models: {
      books: importModel({ model: books, fields: ['isbn', 'title'], uniqueFields: ['isbn'], manyToMany, ...more }),
    },
  })
  const send = (config: ImportFileConfig, ...rows: string[][]) =>
    importOnce(config, csv(['isbn', 'title', 'tags'], ...rows), { database: db.database })
  const links = async () => {
    const { rows } = await db.database.driver.run(
      {
        text: 'select isbn, label from book_tags join books on books.id = book_id join tags on tags.id = tag_id order by isbn, label',
      },
      [],
    )
    return rows.map(row => row.map(String))
  }
  beforeEach(async () => {
    await db.run(
      "insert into tags (id, label, is_hidden) values (1, 'new', false), (2, 'sale', false), (3, 'old', false), (4, 'twice', false), (5, 'twice', false), (6, 'secret', true)",
    )
  })

  test('a row sets the links of its record to exactly what its cell names', async () => {
    const config = configOf({ tags: byLabel })
    expect(await send(config, ['1', 'a', ' new;sale ; new;'], ['2', 'b', ''], ['3', 'c', 'old'])).toMatchObject({
      created: 3,
    })
    expect(await links()).toEqual([
      ['1', 'new'],
      ['1', 'sale'],
      ['3', 'old'],
    ])
    expect(await send(config, ['1', 'a', 'old;sale'], ['2', 'b', 'new'], ['3', 'c', ''])).toMatchObject({ updated: 3 })
    expect(await links()).toEqual([
      ['1', 'old'],
      ['1', 'sale'],
      ['2', 'new'],
    ])
  })

  test('what a link holds beside its keys stays, as long as the link does', async () => {
    const config = configOf({ tags: byLabel })
    await send(config, ['1', 'a', 'new; sale'])
    await db.run("update book_tags set note = 'kept'")
    await send(config, ['1', 'b', 'sale; old'])
    expect(await db.rows('book_tags', 'note', 'tag_id')).toEqual(
      expect.arrayContaining([
        ['kept', '2'],
        [null, '3'],
      ]),
    )
  })

  test('a tag that does not exist, or is not unique, is an error of the row that names it', async () => {
    const result = await send(
      configOf({ tags: byLabel }),
      ['1', 'a', 'new; nwe; odl'],
      ['2', 'b', 'twice'],
      ['3', 'c', 'sale'],
    )
    const error = { field: 'tags', column: 'tags', model: 'books' }
    expect(result).toMatchObject({ failed: 2, created: 1 })
    expect(result.errors).toEqual([
      { row: 2, ...error, message: 'There is no tag with the label "nwe".' },
      { row: 2, ...error, message: 'There is no tag with the label "odl".' },
      { row: 3, ...error, message: 'Several tags have the label "twice". Use a value that only one has.' },
    ])
    expect(await links()).toEqual([['3', 'sale']])
  })

  test('a cell names 1,000 records at most, and of those that do not exist the first 10 are told', async () => {
    const names = (count: number) => Array.from({ length: count }, (_, at) => `tag ${at}`).join(';')
    for (const chunkSize of [undefined, 1]) {
      const config = { ...configOf({ tags: byLabel }), ...(chunkSize && { chunkSize }) }
      const result = await send(config, ['1', 'a', names(1_000)], ['2', 'b', names(50_000)], ['3', 'c', 'new'])
      expect(result).toMatchObject({ processed: 3, failed: 2 })
      expect(result.errors.map(({ row, message }) => `${row} ${message}`)).toEqual([
        ...Array.from({ length: 10 }, (_, at) => `2 There is no tag with the label "tag ${at}".`),
        '3 Ensure this field names no more than 1000 records.',
      ])
    }
    expect(await links()).toEqual([['3', 'new']])
  })

  test('tags of a file of which many are missing are told in the same way', async () => {
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['tags', 'books'],
      models: {
        tags: importModel({ model: tags, fields: ['label'], uniqueFields: ['label'] }),
        books: importModel({ model: books, fields: ['isbn'], uniqueFields: ['isbn'], manyToMany: { tags: byLabel } }),
      },
    }
    const cell = Array.from({ length: 20 }, (_, at) => `tag ${at}`).join(';')
    const file = csv(['label', 'isbn', 'tags'], ['new', '1', cell], ['old', '2', 'old'])
    const { errors, ...result } = await importOnce(config, file, { database: db.database })
    expect(result).toMatchObject({ failed: 1, created: 1 })
    expect(errors.map(({ row }) => row)).toEqual(new Array(10).fill(2))
  })

  test('another separator, another type, and a list that a transform gives', async () => {
    const byId = importManyToMany({
      model: tags,
      lookupField: 'id',
      sourceField: 'tags',
      separator: '|',
      through: bookTags,
    })
    const config = configOf({ tags: byId })
    expect(await send(config, ['1', 'a', '1 | 3'], ['2', 'b', '1|x'])).toMatchObject({
      created: 1,
      errors: [{ row: 3, message: '"x": "x" is not a whole number. Write it like 42.' }],
    })
    const service = new ImportService(config, {
      database: db.database,
      transforms: { tags: value => (value === 'all' ? [1, 2, 3] : value) },
    })
    await service.import(csv(['isbn', 'title', 'tags'], ['3', 'c', 'all']), { append: true })
    expect(await links()).toEqual([
      ['1', 'new'],
      ['1', 'old'],
      ['3', 'new'],
      ['3', 'old'],
      ['3', 'sale'],
    ])
  })

  test('links and their scope come from the serializer; links outside of it stay', async () => {
    const visible = scoped(tags, () => eq(tags.isHidden, false))
    const serializer = BaseModelSerializer(books, {
      fields: ['id', 'isbn', 'title'],
      extra: {
        tags: ManyIdToDataField({
          queryset: visible,
          serializer: BaseModelSerializer(tags, { fields: ['label'] }),
          through: bookTags,
          ordering: 'label',
        }),
      },
    })
    const declared = importManyToMany({ model: tags, lookupField: 'label', sourceField: 'tags' })
    const config = configOf({ tags: declared }, { skipUnchanged: true })
    const run = (...rows: string[][]) =>
      importOnce(config, csv(['isbn', 'title', 'tags'], ...rows), { database: db.database, serializer, model: books })
    await run(['1', 'a', 'new'])
    await db.run('insert into book_tags (book_id, tag_id) select id, 6 from books')
    expect(await run(['1', 'a', 'secret'])).toMatchObject({
      errors: [{ message: 'There is no tag with the label "secret".' }],
    })
    expect(await run(['1', 'a', 'new'])).toMatchObject({ unchanged: 1, updated: 0 })
    expect(await run(['1', 'a', 'sale'])).toMatchObject({ unchanged: 0, updated: 1 })
    expect(await links()).toEqual([
      ['1', 'sale'],
      ['1', 'secret'],
    ])
  })

  test('a row that says the same links in another order is unchanged', async () => {
    const config = configOf({ tags: byLabel }, { skipUnchanged: true })
    await send(config, ['1', 'a', 'new; sale'], ['2', 'b', ''])
    expect(await send(config, ['1', 'a', 'sale; new'], ['2', 'b', ''])).toMatchObject({ unchanged: 2, updated: 0 })
    expect(await send(config, ['1', 'a', 'sale'], ['2', 'b', 'new'])).toMatchObject({ unchanged: 0, updated: 2 })
  })

  test('tags of the same file are linked, and a failed row links nothing', async () => {
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['tags', 'books'],
      models: {
        tags: importModel({ model: tags, fields: ['id', 'label'], uniqueFields: ['id'] }),
        books: importModel({
          model: books,
          fields: ['isbn', 'title'],
          uniqueFields: ['isbn'],
          manyToMany: {
            tags: importManyToMany({ model: tags, lookupField: 'label', sourceField: 'book_tags', through: bookTags }),
          },
        }),
      },
    }
    const file = csv(
      ['id', 'label', 'isbn', 'title', 'book_tags'],
      ['10', 'x', '1', 'a', 'x; new'],
      ['11', 'y', '2', 'b', 'x; v'],
      ['12', 'z', '3', 'c', 'y; z'],
      ['13', 'w', '4', 'd', 'w; x'],
    )
    const result = await importOnce(config, file, { database: db.database })
    expect(result.errors.map(({ row, message }) => [row, message])).toEqual([
      [3, 'There is no tag with the label "v".'],
      // Its own row has failed, and nothing of that is stored.
      [4, 'There is no tag with the label "y".'],
    ])
    expect(await links()).toEqual([
      ['1', 'new'],
      ['1', 'x'],
      ['4', 'w'],
      ['4', 'x'],
    ])
  })
})

test('a relation that is not told, or told wrongly, is a ConfigError', async () => {
  const { kit } = await import('viewset/sqlite')
  const { tags, books, bookTags } = tagged(kit)
  const make = (name: string, relation: object) => () =>
    new ImportService({
      fileFormat: 'csv',
      order: ['books'],
      models: {
        books: {
          model: books,
          fields: ['isbn'],
          uniqueFields: ['isbn'],
          manyToMany: {
            [name]: { model: tags, lookupField: 'label', sourceField: 'tags', through: bookTags, ...relation },
          },
        },
      } as unknown as ImportFileConfig['models'],
    })
  const at = 'ImportService: models.books.manyToMany.tags'
  expect(make('tags', {})).not.toThrow()
  expect(make('tags', { through: undefined })).toThrow(
    `${at}.through: is required: name the join table, or give the serializer a relation to many of this name`,
  )
  expect(make('tags', { thruogh: bookTags })).toThrow(`${at}.thruogh: unknown setting; did you mean "through"?`)
  expect(make('tags', { model: bookTags })).toThrow(`${at}.lookupField: unknown field "label" of "book_tags"`)
  expect(make('tags', { lookupField: 'lable' })).toThrow(
    `${at}.lookupField: unknown field "lable" of "tags"; did you mean "label"?`,
  )
  expect(make('tags', { sourceField: '' })).toThrow(`${at}.sourceField: is required; name the column`)
  expect(make('tags', { separator: ' ' })).toThrow(`${at}.separator: must be a text that is not blank`)
  expect(make('tags', { through: tags })).toThrow('through must be a table of its own')
  expect(make('title', {})).toThrow(
    'models.books.manyToMany.title: "title" is a column of "books"; name the relation otherwise',
  )
})
