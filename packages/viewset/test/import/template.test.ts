import { readXlsx, type Sheet } from 'hucre/xlsx'
import { AllowAny, BaseModelSerializer, ImportableViewSet, importForeignKey, importModel } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeOneDialect, sqliteDialect } from '../support/dialects.ts'
import { expectBadParameter, uuid } from '../support/expect.ts'
import { models, seed, users } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

describeOneDialect('the template of an import', dialect => {
  const tables = models(dialect.kit)
  const { authors, articles, comments, shelves, categories } = tables
  const author = (sourceField: string) => importForeignKey({ model: authors, lookupField: 'email', sourceField })
  const authorRows = importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] })
  const articleRows = importModel({
    model: articles,
    fields: [
      'title',
      'body',
      'status',
      'price',
      'rating',
      'views',
      'featured',
      'publishedAt',
      'releasedOn',
      'reference',
      'metadata',
    ],
    uniqueFields: ['author', 'title'],
    foreignKeys: { author: author('author_email'), editor: author('editor_email') },
  })
  const { ArticleSerializer, CategorySerializer, CommentSerializer, ShelfSerializer } = serializers(tables)
  const permissionClasses = [AllowAny]
  const articleImport = {
    model: articles,
    serializer: ArticleSerializer,
    permissionClasses,
    importFileConfig: {
      fileFormat: ['xlsx', 'csv'],
      order: ['authors', 'articles'],
      models: { authors: authorRows, articles: articleRows },
    },
  } as const
  const categoryRows = importModel({ model: categories, fields: ['code', 'label'], uniqueFields: ['code'] })
  const oneModel = (fileFormat: 'csv' | 'xls') =>
    ImportableViewSet({
      model: categories,
      serializer: CategorySerializer,
      permissionClasses,
      importFileConfig: { fileFormat, order: ['categories'], models: { categories: categoryRows } },
      importExamples: { categories: { code: 'SF', label: 'Science fiction' } },
    })

  const commentImport = {
    model: comments,
    permissionClasses,
    importFileConfig: {
      fileFormat: 'xlsx',
      order: ['comments'],
      models: {
        comments: importModel({
          model: comments,
          fields: ['id', 'parent', 'text'],
          uniqueFields: ['id'],
          foreignKeys: {
            article: importForeignKey({ model: articles, lookupField: 'title', sourceField: 'article' }),
          },
        }),
      },
    },
  } as const
  const LetterSerializer = BaseModelSerializer(comments, {
    name: 'Letter',
    fields: ['id', 'article', 'parent', 'text'],
    writeOnly: ['article'],
  })

  const api = useApi(dialect, {
    tables,
    users,
    resources: {
      articles: ImportableViewSet(articleImport),
      flat: oneModel('csv'),
      old: oneModel('xls'),
      comments: ImportableViewSet({ ...commentImport, serializer: CommentSerializer }),
      letters: ImportableViewSet({ ...commentImport, serializer: LetterSerializer }),
      shelves: ImportableViewSet({
        model: shelves,
        serializer: ShelfSerializer,
        permissionClasses,
        importFileConfig: {
          fileFormat: 'csv',
          order: ['categories', 'shelves'],
          models: {
            categories: categoryRows,
            shelves: importModel({
              model: shelves,
              fields: ['id', 'label'],
              uniqueFields: ['id'],
              foreignKeys: {
                category: importForeignKey({ model: categories, lookupField: 'code', sourceField: 'code' }),
              },
            }),
          },
        },
        importExamples: { categories: { code: 'SF' }, shelves: { label: 'Shelf 1' } },
      }),
    },
  })

  async function download(path: string) {
    const response = await api.get(path)
    expect(response.status).toBe(200)
    return response
  }
  const workbook = async (path: string) =>
    (await readXlsx(new Uint8Array((await download(path)).bytes), { readStyles: true })).sheets
  const notesOf = ({ cells }: Sheet, columns: number) =>
    Array.from({ length: columns }, (_, column) => cells?.get(`0,${column}`)?.comment?.text)

  test('is a file to download, in the first format of the import', async () => {
    const { headers } = await download('/articles/import-template/')
    expect(headers).toMatchObject({
      'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'content-disposition': 'attachment; filename="articles_template.xlsx"',
    })
  })

  test('is called after the resource, since two may have one table', async () => {
    const names = ['flat', 'old', 'comments'].map(async resource => {
      const { headers } = await download(`/${resource}/import-template/`)
      return headers['content-disposition']
    })
    expect(await Promise.all(names)).toEqual([
      'attachment; filename="flat_template.csv"',
      'attachment; filename="old_template.xlsx"',
      'attachment; filename="comments_template.xlsx"',
    ])
  })

  test('has a sheet for each model with its columns and an example that fits them', async () => {
    const sheets = await workbook('/articles/import-template/')
    expect(sheets.slice(0, 2).map(({ name, rows }) => ({ name, rows }))).toEqual([
      {
        name: 'authors',
        rows: [
          ['name', 'email'],
          ['Example', 'ada@example.org'],
        ],
      },
      {
        name: 'articles',
        rows: [
          [
            'title',
            'body',
            'status',
            'price',
            'rating',
            'views',
            'featured',
            'published_at',
            'released_on',
            'reference',
            'metadata',
            'author_email',
            'editor_email',
          ],
          [
            'An example',
            'A few words.',
            'draft',
            12.5,
            1,
            1,
            true,
            new Date('2026-01-15T10:30:00Z'),
            new Date('2026-01-15T00:00:00Z'),
            '019bc134-7840-7d21-9c3e-5f0a8b6d4e12',
            '{}',
            'ada@example.org',
            'ada@example.org',
          ],
        ],
      },
    ])
  })

  test('says on a sheet of its own how to fill in each column, which an import ignores', async () => {
    const sheets = await workbook('/articles/import-template/')
    const guide = sheets.at(-1)
    expect(guide?.name).toBe('How to fill this in')
    expect(guide?.rows.slice(0, 2)).toEqual([
      ['Sheet', 'Column', 'What it takes', 'Example', 'Allowed values'],
      ['authors', 'name', 'Required.\nText of up to 20 characters.', 'Example', null],
    ])
    expect(guide?.rows).toHaveLength(1 + 2 + 13)
    const { bytes } = await api.get('/articles/import-template/', { headers: { 'accept-language': 'de' } })
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(bytes)]), 'a.xlsx')
    form.set('append_data', 'true')
    const answer = await api.request('POST', '/articles/import-from-file/', { body: form })
    expect(answer.data()).toMatchObject({ created: 0, skipped: 2, failed: 0 })
    expect(answer.data()).not.toHaveProperty('ignored_sheets')
  })

  test('offers the values of an enumeration in a list', async () => {
    const [, articles] = await workbook('/articles/import-template/')
    expect(articles?.dataValidations).toMatchObject([
      { type: 'list', range: 'C2:C1048576', values: expect.arrayContaining(['draft']) },
    ])
  })

  test('offers up to 1,000 records of a relation in a list, and 50 in the guide', async () => {
    const titles = Array.from({ length: 1_000 }, (_, at) => `Title ${String(at).padStart(4, '0')}`)
    const inStock = (all: readonly string[]) => all.map(title => ({ title, author: uuid(1) }))
    await seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ann' }], articles: inStock(titles) })
    const [commentSheet, ...others] = await workbook('/comments/import-template/')
    expect(commentSheet?.dataValidations).toMatchObject([{ type: 'list', range: 'D2:D1048576' }])
    const [guide, lists] = others
    expect(lists?.rows.map(([title]) => title)).toEqual(titles)
    expect(guide?.rows.find(([, column]) => column === 'article')?.[4]).toBe(
      `${titles.slice(0, 50).join(', ')} and 950 more`,
    )
    expect(guide?.rows.find(([, column]) => column === 'parent')?.[4] ?? null).toBeNull()
    await seed(api.database, tables, { articles: inStock(['One more']) })
    expect((await workbook('/comments/import-template/'))[0]?.dataValidations ?? []).toEqual([])
  })

  test('offers no records by a column that the serializer does not show', async () => {
    const article = { title: 'Known', author: uuid(1) }
    await seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ann' }], articles: [article] })
    expect((await workbook('/comments/import-template/'))[0]?.dataValidations).toMatchObject([{ values: ['Known'] }])
    expect((await workbook('/letters/import-template/'))[0]?.dataValidations ?? []).toEqual([])
  })

  test('marks the columns that must be filled in', async () => {
    const [authorSheet] = await workbook('/articles/import-template/')
    const colours = [0, 1].map(column => authorSheet?.cells?.get(`0,${column}`)?.style?.fill)
    expect(colours).toMatchObject([{ fgColor: { rgb: 'FFE8B3' } }, { fgColor: { rgb: 'E7ECF2' } }])
    expect(notesOf(authorSheet as Sheet, 2)).toEqual([
      'Required.\nText of up to 20 characters.',
      'Optional.\nText of up to 100 characters.\n' +
        'A row updates the record that has the same email; if there is none, it creates one.',
    ])
  })

  test('tells where a foreign key is looked up', async () => {
    const [, articleSheet] = await workbook('/articles/import-template/')
    expect(notesOf(articleSheet as Sheet, 13).at(-1)).toBe(
      'Optional.\nThe email of an author. Text of up to 100 characters. ' +
        'It must stand on the sheet "authors", or be stored already.',
    )
    const [commentSheet] = await workbook('/comments/import-template/')
    expect(notesOf(commentSheet as Sheet, 4)).toEqual([
      expect.stringMatching(/^Optional\.\nA UUID\.\nA row updates/),
      'Optional.\nThe id of a comment. A UUID. It must be stored already, or stand in a row above.',
      'Required.\nText of up to 200 characters.',
      'Required.\nThe title of an article. Text of up to 50 characters. It must be stored already.',
    ])
    expect(commentSheet?.rows[1]?.slice(1)).toEqual([null, 'A few words.', 'An example'])
  })

  test('is one flat table in CSV, which names a column after its model where two have it', async () => {
    const { text, headers } = await download('/articles/import-template/?file_type=csv')
    expect(headers['content-disposition']).toBe('attachment; filename="articles_template.csv"')
    expect(text).toBe(
      'name,email,title,body,status,price,rating,views,featured,published_at,released_on,reference,metadata,' +
        'author_email,editor_email\r\n' +
        'Example,ada@example.org,An example,A few words.,draft,12.50,1,1,true,2026-01-15T10:30:00Z,2026-01-15,' +
        '019bc134-7840-7d21-9c3e-5f0a8b6d4e12,{},ada@example.org,ada@example.org\r\n',
    )
    expect((await download('/shelves/import-template/')).text).toBe(
      'code,categories.label,id,shelves.label\r\nSF,Example,1,Shelf 1\r\n',
    )
  })

  test('has the examples that the resource gives', async () => {
    expect((await download('/flat/import-template/')).text).toBe('code,label\r\nSF,Science fiction\r\n')
  })

  test('is XLSX for who takes XLS, which cannot be written: to be saved as such', async () => {
    expect((await workbook('/old/import-template/'))[0]?.rows).toEqual([
      ['code', 'label'],
      ['SF', 'Science fiction'],
    ])
  })

  test('is refused in a format that the import does not take', async () => {
    const message = (type: string, formats: string) => `"${type}" is not a valid choice. Choose one of: ${formats}.`
    expectBadParameter(await api.get('/flat/import-template/?file_type=xlsx'), 'file_type', message('xlsx', 'csv'))
    expectBadParameter(
      await api.get('/articles/import-template/?file_type=pdf'),
      'file_type',
      message('pdf', 'xlsx, csv'),
    )
  })
})

describe('an import is refused at start', () => {
  const tables = models(sqliteDialect.kit)
  const { authors, categories, shelves } = tables
  const rows = {
    authors: importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }),
    categories: importModel({ model: categories, fields: ['code', 'label'], uniqueFields: ['code'] }),
    shelves: importModel({ model: shelves, fields: ['id', 'label'], uniqueFields: ['id'] }),
  }
  const config = {
    fileFormat: 'csv',
    order: ['categories', 'shelves'],
    models: { categories: rows.categories, shelves: rows.shelves },
  }
  const make = (settings: object) => () =>
    // As plain JavaScript would.
    ImportableViewSet({
      model: shelves,
      serializer: serializers(tables).ShelfSerializer,
      permissionClasses: [AllowAny],
      ...settings,
    } as Parameters<typeof ImportableViewSet>[0])

  test.each([
    ['without a configuration', {}, 'importFileConfig: is required; describe the file and its models'],
    [
      'without its own model',
      { importFileConfig: { ...config, order: ['authors'], models: { authors: rows.authors } } },
      `importFileConfig: models: has no entry for "shelves", which is the resource's`,
    ],
    [
      'with an order that misses a model',
      { importFileConfig: { ...config, order: ['shelves'] } },
      'importFileConfig: order: misses "categories", which is among the models',
    ],
    [
      'with an example of no column',
      { importFileConfig: config, importExamples: { categories: { cod: 'SF' } } },
      'importExamples.categories.cod: unknown setting; did you mean "code"?',
    ],
    [
      'with an example of no model',
      { importFileConfig: config, importExamples: { category: {} } },
      'importExamples.category: unknown setting; known: "categories", "shelves"',
    ],
  ])('%s', (_, settings, message) => {
    expect(make(settings)).toThrow(`resource of "shelves": ${message}`)
  })
})
