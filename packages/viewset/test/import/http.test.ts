import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  findRecords,
  IdToDataField,
  ImportableViewSet,
  type ImportRequest,
  ImportService,
  importForeignKey,
  importModel,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { ZipWriter } from '../../src/tabular/xlsx/zip.ts'
import { type TestResponse, useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { withoutGuide } from '../support/edited-workbook.ts'
import { expectError, uuid } from '../support/expect.ts'
import { models, seed, seedUsers, users } from '../support/models.ts'
import { type ImportFormOptions, importForm } from '../support/multipart.ts'
import { serializers } from '../support/serializers.ts'

const TEMPLATE = ' The template is at http://localhost:80/api/articles/import-template/'

describeDialects('an import over HTTP', dialect => {
  const tables = models(dialect.kit)
  const { authors, articles, shelves } = tables
  const { AuthorReference, ShelfSerializer } = serializers(tables)
  const permissionClasses = [AllowAny]
  const authorRows = importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] })

  const AuthorViewSet = ImportableViewSet({
    model: authors,
    serializer: BaseModelSerializer(authors, {
      fields: ['id', 'name', 'email'],
      refine: { email: z.email('Enter a valid email address.') },
    }),
    permissionClasses,
    queryset: () => eq(authors.isActive, true),
    importFileConfig: { fileFormat: 'csv', order: ['authors'], models: { authors: authorRows } },
    importTransforms: { email: value => String(value ?? '').toLowerCase() || null },
  })

  const ArticleViewSet = BulkImportableViewSet({
    model: articles,
    serializer: BaseModelSerializer(articles, {
      fields: ['id', 'title', 'author', 'price'],
      extra: { author: IdToDataField({ queryset: authors, serializer: AuthorReference }) },
    }),
    permissionClasses,
    importFileConfig: {
      fileFormat: ['xlsx', 'csv'],
      order: ['authors', 'articles'],
      models: {
        authors: authorRows,
        articles: importModel({
          model: articles,
          fields: ['title', 'price'],
          uniqueFields: ['author', 'title'],
          foreignKeys: {
            author: importForeignKey({ model: authors, lookupField: 'email', sourceField: 'author_email' }),
          },
        }),
      },
      chunkSize: 2,
    },
  })

  const shelfConfig = {
    fileFormat: 'csv',
    order: ['shelves'],
    models: { shelves: importModel({ model: shelves, fields: ['id', 'label'], uniqueFields: ['id'] }) },
  } as const
  /** After each chunk: rows read, rows of the file, rows that others can see. */
  const progress: (readonly number[])[] = []
  let afterChunk = async (_processed: number): Promise<void> => {}
  let aborted = false
  let ended = false

  /** Imports on a service of its own. */
  class ShelfViewSet extends ImportableViewSet({
    model: shelves,
    serializer: ShelfSerializer,
    permissionClasses,
    importFileConfig: shelfConfig,
  }) {
    override async performImport(path: string, request: ImportRequest) {
      this.request.signal?.addEventListener('abort', () => {
        aborted = true
      })
      try {
        return await super.performImport(path, request)
      } finally {
        ended = true
      }
    }

    override async getImportService() {
      return new ImportService(
        { ...shelfConfig, chunkSize: 1 },
        {
          onProgress: async (processed, total) => {
            progress.push([processed, total, (await api.rows('shelves')).length])
            await afterChunk(processed)
          },
        },
      )
    }
  }

  const api = useApi(dialect, {
    tables,
    users,
    resources: { authors: AuthorViewSet, articles: ArticleViewSet, shelves: ShelfViewSet },
  })
  beforeEach(() => seedUsers(api.database, tables))

  const send = (name: string, content: string | Uint8Array, options?: ImportFormOptions) =>
    api.request('POST', `/${name}/import-from-file/`, { ...importForm(content, options), as: 'ann' })
  const stored = async () => {
    const records = await api.database.use(() => findRecords(authors))
    return records.map(({ name, email, isActive }) => [name, email, isActive]).toSorted()
  }

  /** The response is exactly this envelope, down to the order of its keys. */
  function expectImport(response: TestResponse, status: 201 | 207, message: string, data: object): void {
    const success = status === 201
    const { timestamp, ...envelope } = JSON.parse(response.text) as { readonly timestamp: unknown }
    expect(`${response.status} ${JSON.stringify(envelope, null, 2)}`).toBe(
      `${status} ${JSON.stringify({ success, message, data: { success, ...data } }, null, 2)}`,
    )
    expect(timestamp).toMatch(/^\d{4}-.*\.\d{6}Z$/)
  }

  test('creates and updates, and says so', async () => {
    await seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ade', email: 'ada@example.org' }] })
    expectImport(await send('authors', 'Email, NAME ,note\nADA@example.org,Ada,x\nbob@example.org,Bob,y\n'), 201, '', {
      processed: 2,
      failed: 0,
      errors: [],
      created: 1,
      updated: 1,
      ignored_columns: ['note'],
    })
    expect(await stored()).toEqual([
      ['Ada', 'ada@example.org', true],
      ['Bob', 'bob@example.org', true],
    ])
  })

  test('records who imports', async () => {
    await send('authors', 'name,email\nAda,ada@example.org\n')
    const [record] = await api.database.use(() => findRecords(authors))
    expect(record?.createdBy).toBe(users.ann.id)
  })

  test('reports the rows that fail, by the rules of the serializer, and stores the others', async () => {
    const response = await send(
      'authors',
      `name,email\nAda,ada@example.org\nBob,bob\n${'x'.repeat(21)},x@example.org\n`,
    )
    expectImport(response, 207, '2 of 3 rows failed; the other 1 was stored.', {
      processed: 3,
      failed: 2,
      errors: [
        { row: 3, field: 'email', column: 'email', message: 'Enter a valid email address.', model: 'authors' },
        {
          row: 4,
          field: 'name',
          column: 'name',
          message: 'Ensure this field has no more than 20 characters.',
          model: 'authors',
        },
      ],
      created: 1,
      updated: 0,
      ignored_columns: [],
      error_groups: [
        {
          code: 'invalid',
          field: 'email',
          column: 'email',
          message: 'Enter a valid email address.',
          model: 'authors',
          count: 1,
          rows: '3',
          examples: ['bob'],
        },
        {
          code: 'max_length',
          field: 'name',
          column: 'name',
          message: 'Ensure this field has no more than 20 characters.',
          model: 'authors',
          count: 1,
          rows: '4',
          examples: ['x'.repeat(21)],
        },
      ],
    })
    expect(await stored()).toEqual([['Ada', 'ada@example.org', true]])
  })

  test('says when nothing was stored', async () => {
    const response = await send('authors', 'name,email\nBob,bob\n')
    expect(JSON.parse(response.text)).toMatchObject({
      message: '1 of 1 row failed; nothing was stored.',
      success: false,
    })
  })

  test('says how many of the others were stored', async () => {
    const response = await send('authors', 'name,email\nAda,a@b.cd\nBob,b@b.cd\nCy,c\n')
    expect(JSON.parse(response.text)).toMatchObject({ message: '1 of 3 rows failed; the other 2 were stored.' })
  })

  test.each([{}, { dryRun: true }])('says that a file has no rows: %o', async options => {
    const message = 'The file has no rows below its header, so nothing was imported.'
    for (const content of ['name,email\n', 'name,email\n,\n\n']) {
      expectImport(await send('authors', content, options), 201, message, {
        processed: 0,
        failed: 0,
        errors: [],
        created: 0,
        updated: 0,
        ignored_columns: [],
        ...('dryRun' in options && { dry_run: true }),
      })
    }
  })

  test('only tries with dry_run', async () => {
    expectImport(await send('authors', 'name,email\nAda,ada@example.org\n', { dryRun: true }), 201, '', {
      processed: 1,
      failed: 0,
      errors: [],
      created: 1,
      updated: 0,
      ignored_columns: [],
      dry_run: true,
    })
    const bad = await send('authors', 'name,email\nAda,ada\n', { dryRun: true })
    expect(JSON.parse(bad.text)).toMatchObject({
      message: '1 of 1 row would fail. This was a dry run: nothing was stored.',
    })
    expect(await stored()).toEqual([])
  })

  describe('a replace', () => {
    beforeEach(() =>
      seed(api.database, tables, {
        authors: [
          { id: uuid(1), name: 'Ada', email: 'ada@example.org' },
          { id: uuid(2), name: 'Hidden', email: 'hidden@example.org', isActive: false },
        ],
      }),
    )

    test('deletes what the caller may see, and nothing else', async () => {
      expectImport(await send('authors', 'name,email\nBob,bob@example.org\n', { append: false }), 201, '', {
        processed: 1,
        failed: 0,
        errors: [],
        created: 1,
        updated: 0,
        ignored_columns: [],
        deleted: 1,
      })
      expect(await stored()).toEqual([
        ['Bob', 'bob@example.org', true],
        ['Hidden', 'hidden@example.org', false],
      ])
    })

    test('with one failed row leaves everything as it was', async () => {
      const before = await stored()
      const message = '1 of 2 rows failed, so nothing was replaced: all is as it was before.'
      expectImport(await send('authors', 'name,email\nBob,bob@example.org\nCy,cy\n', { append: false }), 207, message, {
        processed: 2,
        failed: 1,
        errors: [
          { row: 3, field: 'email', column: 'email', message: 'Enter a valid email address.', model: 'authors' },
        ],
        created: 0,
        updated: 0,
        ignored_columns: [],
        deleted: 0,
        rolled_back: true,
        error_groups: [
          {
            code: 'invalid',
            field: 'email',
            column: 'email',
            message: 'Enter a valid email address.',
            model: 'authors',
            count: 1,
            rows: '3',
            examples: ['cy'],
          },
        ],
      })
      expect(await stored()).toEqual(before)
    })

    test('with an empty file deletes nothing', async () => {
      const before = await stored()
      const message = 'The file has no rows, so nothing was replaced.'
      expectError(
        await send('authors', 'name,email\n', { append: false }),
        400,
        `${message}${TEMPLATE.replace('articles', 'authors')}`,
        { file: [message] },
      )
      expect(await stored()).toEqual(before)
    })

    test('of records that others need is a conflict that names those others', async () => {
      await seed(api.database, tables, { articles: [{ id: uuid(11), title: 'Engines', author: uuid(1) }] })
      const before = await stored()
      const response = await send('authors', 'name,email\nBob,bob@example.org\n', { append: false })
      const message =
        'Records of "articles" refer to records that would be deleted, so nothing was replaced. Delete them first, or add the rows without replacing.'
      expectError(response, 409, message, { non_field_errors: [message] })
      expect(await stored()).toEqual(before)
    })
  })

  test('a record that the caller may not see is not updated', async () => {
    await seed(api.database, tables, {
      authors: [{ id: uuid(2), name: 'Hidden', email: 'hidden@example.org', isActive: false }],
    })
    const response = await send('authors', 'name,email\nSeen,hidden@example.org\n')
    expect(response.status).toBe(207)
    expect(response.data()).toMatchObject({ failed: 1, created: 0, updated: 0 })
    expect(await stored()).toEqual([['Hidden', 'hidden@example.org', false]])
  })

  test('a file without a column that is needed is refused, with the way to a template', async () => {
    const problems = [
      'The column "price" is missing.',
      'The column "author_email" is missing.',
      'The header (the first row) has the columns "name", "email", "title".',
    ]
    expectError(await send('articles', 'name,email,title\n'), 400, `${problems.join(' ')}${TEMPLATE}`, {
      file: problems,
    })
  })

  test('a file of another format is refused', async () => {
    const response = await send('authors', await xlsx({}))
    expect(response.status).toBe(400)
    expect(JSON.parse(response.text)).toMatchObject({
      success: false,
      data: null,
      errors: { file: [expect.any(String)] },
    })
  })

  test.each(['xlsx', 'csv'])('the example of the template in %s is imported again and again', async format => {
    const template = await api.get(`/articles/import-template/?file_type=${format}`)
    const bytes = format === 'xlsx' ? await withoutGuide(template.bytes) : template.bytes
    // A workbook has a row for each of its two models.
    const rows = format === 'xlsx' ? 2 : 1
    const counts = { processed: rows, failed: 0, errors: [] }
    expectImport(await send('articles', bytes), 201, '', {
      ...counts,
      created: rows,
      updated: 0,
      ignored_columns: [],
    })
    expectImport(await send('articles', bytes), 201, '', {
      ...counts,
      created: 0,
      updated: rows,
      ignored_columns: [],
    })
    const [article] = await api.database.use(() => findRecords(articles))
    expect(article).toMatchObject({ title: 'An example', price: '12.50' })
  })

  test('runs on the service that the view makes, a transaction a chunk', async () => {
    progress.length = 0
    expectImport(await send('shelves', 'id,label\n1,a\n2,b\n3,c\n'), 201, '', {
      processed: 3,
      failed: 0,
      errors: [],
      created: 3,
      updated: 0,
      ignored_columns: [],
    })
    expect(progress).toEqual([
      [1, 3, 1],
      [2, 3, 2],
      [3, 3, 3],
    ])
  })

  test('an import that nobody waits for any more ends with a whole chunk', async () => {
    const { payload, headers } = importForm('id,label\n1,a\n2,b\n3,c\n')
    const address = `http://127.0.0.1:${await api.listen()}`
    const sending = new AbortController()
    aborted = false
    ended = false
    afterChunk = async processed => {
      if (processed !== 2) return
      sending.abort()
      await expect.poll(() => aborted).toBe(true)
    }
    const answer = fetch(`${address}/api/shelves/import-from-file/`, {
      method: 'POST',
      body: new Uint8Array(payload),
      headers,
      signal: sending.signal,
    })
    await expect(answer).rejects.toThrow('aborted')
    await expect.poll(() => ended).toBe(true)
    expect(await api.rows('shelves')).toHaveLength(2)
    // The same file brings the same end.
    afterChunk = async () => {}
    expect((await send('shelves', 'id,label\n1,a\n2,b\n3,c\n')).data()).toMatchObject({
      created: 1,
      updated: 2,
    })
  })

  describe('as a file,', () => {
    const sheet = (size: number) => xlsx({ 'xl/worksheets/sheet1.xml': ' '.repeat(size) })

    test.each([
      ['a bomb', 413, () => sheet(20 * 1024 * 1024)],
      ['a workbook that is none', 400, () => sheet(10)],
      ['a workbook that is cut off', 400, async () => (await sheet(10)).subarray(0, 60)],
      ['a workbook with another ending', 400, () => Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old', 'latin1')],
      ['a picture', 400, () => Buffer.from('\x89PNG\r\n\x1a\n\0\0\0', 'latin1')],
    ])('%s is refused', async (_, status, make) => {
      const response = await send('articles', await make())
      expect(response.status).toBe(status)
      expect(JSON.parse(response.text)).toMatchObject({
        success: false,
        data: null,
        message: expect.stringMatching(/\.|\/$/),
      })
      expect(response.text).not.toMatch(/node:|\.ts\b|Error:/)
    })
  })

  test('headers are plain names', async () => {
    const response = await send('authors', '__proto__,constructor,,name,email,toString\n1,2,3,Ada,ada@example.org,4\n')
    expectImport(response, 201, '', {
      processed: 1,
      failed: 0,
      errors: [],
      created: 1,
      updated: 0,
      ignored_columns: ['__proto__', 'constructor', '(column 3)', 'toString'],
    })
    expectError(
      await send('authors', 'name,email,name\nAda,ada@example.org,Bob\n'),
      400,
      `The file has 2 columns "name". Keep one of them.${TEMPLATE.replace('articles', 'authors')}`,
      { file: ['The file has 2 columns "name". Keep one of them.'] },
    )
  })

  test('a row error tells nothing about the database', async () => {
    const response = await send('shelves', 'id,label\n99999999999,a\nx,b\n')
    expect(response.data<{ errors: unknown }>().errors).toEqual([
      {
        row: 2,
        field: 'id',
        column: 'id',
        message: 'Ensure this value is less than or equal to 2147483647.',
        model: 'shelves',
      },
      { row: 3, field: 'id', column: 'id', message: '"x" is not a whole number. Write it like 42.', model: 'shelves' },
    ])
  })
})

/** A ZIP archive with these entries. */
async function xlsx(entries: Readonly<Record<string, string>>): Promise<Buffer> {
  const zip = new ZipWriter(6)
  const parts = Object.entries({ 'xl/workbook.xml': '<workbook/>', ...entries })
  return Buffer.concat([...parts.flatMap(([name, content]) => [...zip.text(name, content)]), zip.end()])
}
