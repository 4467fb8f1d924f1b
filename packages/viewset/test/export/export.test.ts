import { Readable } from 'node:stream'
import { parse } from 'csv-parse/sync'
import { sql } from 'drizzle-orm'
import {
  AllowAny,
  anyOf,
  BaseModelSerializer,
  BaseViewSet,
  BulkViewSet,
  CreateListViewSet,
  compose,
  createRecord,
  Download,
  FileExportMixin,
  IdToDataField,
  IsAuthenticated,
  IsAuthenticatedOrReadOnly,
  ListModelMixin,
  ReadOnlyViewSet,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { type TestResponse, useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectBadParameter, expectError, expectInvalid, expectNotAllowed, nonField, uuid } from '../support/expect.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'
import { models, seed, seedUsers, users, uuidOf } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

describeOneDialect('export', dialect => {
  const tables = models(dialect.kit)
  const { articles, authors } = tables
  const { TitleSerializer, AuthorSerializer, AuthorReference } = serializers(tables)
  const common = { model: articles, serializer: TitleSerializer, permissionClasses: [AllowAny] } as const
  const byAuthor = { model: authors, serializer: AuthorReference, permissionClasses: [AllowAny] } as const
  const isStaff = ({ user }: { readonly user: { readonly roles?: readonly string[] } | null }) =>
    user?.roles?.includes('staff') ?? false

  class PerUser extends ReadOnlyViewSet({
    ...byAuthor,
    serializer: AuthorSerializer,
    exportFieldConfig: { name: 'Name', email: 'E-mail', createdBy: 'Made by' },
  }) {
    override getSerializer() {
      return this.user ? AuthorSerializer : AuthorReference
    }
  }
  const byName = BaseModelSerializer(articles, {
    fields: ['title', 'author'],
    extra: { author: IdToDataField({ queryset: authors, serializer: AuthorReference }) },
  })
  const byEmail = BaseModelSerializer(articles, {
    fields: ['title', 'author'],
    extra: { author: IdToDataField({ queryset: authors, serializer: AuthorSerializer }) },
  })
  class NestedPerUser extends ReadOnlyViewSet({
    ...common,
    serializer: byEmail,
    ordering: 'title',
    exportFieldConfig: { title: 'Title', author__email: 'E-mail', author__createdBy: 'Added by', status: 'Status' },
  }) {
    override getSerializer() {
      return this.user ? byEmail : byName
    }
  }
  class Refusing extends ReadOnlyViewSet(byAuthor) {
    override async finalize(): Promise<never> {
      throw new Error('not today')
    }
  }

  const api = useApi(dialect, {
    tables,
    users,
    resources: {
      articles: BaseViewSet({
        ...common,
        ordering: 'title',
        filterFields: { status: ['exact'], author__name: ['exact'] },
        searchFields: ['title'],
        computedOrderingFields: { length: sql`length(${articles.title})` },
        exportFieldConfig: {
          title: 'Title',
          author__name: 'Written by',
          createdBy__username: 'Entered by',
          publishedAt: 'Published',
        },
      }),
      drafts: ReadOnlyViewSet({ ...common, queryset: () => sql`${articles.status} = 'draft'`, ordering: '-title' }),
      bulk: BulkViewSet(byAuthor),
      feed: CreateListViewSet(byAuthor),
      composed: compose(FileExportMixin)(byAuthor),
      labels: compose(ListModelMixin)({
        ...byAuthor,
        actions: {
          text: {
            method: 'GET',
            detail: false,
            describes: { fileTypes: ['text/plain'] },
            handler: ({ query }) => {
              const stream = Readable.from(query.lines ? [String(query.lines)] : [])
              if (query.broken) stream.destroy(new Error('no labels'))
              return new Download({ filename: 'labels.txt', contentType: 'text/plain; charset=utf-8', stream })
            },
          },
        },
      }),
      'list-only': compose(ListModelMixin)(byAuthor),
      staff: ReadOnlyViewSet({
        ...byAuthor,
        permissionClasses: [IsAuthenticated],
        exportPermissionClasses: [isStaff],
      }),
      readable: ReadOnlyViewSet({ ...byAuthor, permissionClasses: [IsAuthenticatedOrReadOnly] }),
      exportable: ReadOnlyViewSet({
        ...byAuthor,
        permissionClasses: [anyOf(IsAuthenticatedOrReadOnly, ({ action }) => action === 'export')],
      }),
      own: ReadOnlyViewSet({ ...byAuthor, allowExportData: false }),
      tables: ReadOnlyViewSet({ ...byAuthor, exportFormats: ['xlsx', 'csv'], csvBom: true }),
      'per-user': PerUser,
      'nested-per-user': NestedPerUser,
      refusing: Refusing,
    },
    settings: { COMMON: { EXPORT_PDF_MAX_ROWS: 3, EXPORT_DATA_MAX_ROWS: 2 } },
  })

  const csv = { file_type: 'csv' }
  const rowsOf = ({ status, text }: TestResponse): string[][] => {
    expect(status, text).toBe(200)
    return parse(text, { bom: true })
  }
  const exported = async (path: string, body: object = {}, as?: string) =>
    rowsOf(await api.post(path, { ...csv, ...body }, as === undefined ? {} : { as }))

  beforeEach(async () => {
    await seedUsers(api.database, tables)
    await seed(api.database, tables, {
      authors: [
        { id: uuidOf.ada, name: 'Ada', email: 'ada@example.org', createdBy: 'ann' },
        { id: uuidOf.bob, name: 'Bob' },
      ],
      articles: [
        { id: uuid(11), title: 'Engines', author: uuidOf.ada, createdBy: users.ann.id, rating: 5 },
        { id: uuid(12), title: 'Looms', author: uuidOf.ada, status: 'published', rating: 4 },
        { id: uuid(13), title: 'Gardens', author: uuidOf.bob, publishedAt: '2026-01-15T10:30:00.123456Z' },
      ],
    })
  })

  describe('the columns', () => {
    test('are those of exportFieldConfig, in its order and with its headers', async () => {
      expect(await exported('/articles/export/')).toEqual([
        ['Title', 'Written by', 'Entered by', 'Published'],
        ['Engines', 'Ada', 'ann', ''],
        ['Gardens', 'Bob', '', '2026-01-15T10:30:00.123456Z'],
        ['Looms', 'Ada', '', ''],
      ])
    })

    test('without it are the readable fields, labelled by their names', async () => {
      expect(await exported('/drafts/export/')).toEqual([
        ['Id', 'Title', 'Author', 'Rating'],
        [uuid(13), 'Gardens', uuidOf.bob, ''],
        [uuid(11), 'Engines', uuidOf.ada, '5'],
      ])
    })

    test('are those of includes, in its order and each once', async () => {
      const includes = ['rating', 'created_by__username', 'title', 'rating']
      expect(await exported('/articles/export/?search=engines', { includes })).toEqual([
        ['Rating', 'Entered by', 'Title'],
        ['5', 'ann', 'Engines'],
      ])
    })

    test('are also those of a text with commas, with blanks around the names', async () => {
      allowUndescribed(
        /takes .*must be equal to|takes .*additional properties/,
        'The document has the names as they are.',
      )
      const expected = [
        ['Rating', 'Title'],
        ['5', 'Engines'],
      ]
      for (const includes of ['rating,title', ' rating , title ,', ['rating ', ' title'], ['rating, title']]) {
        expect(await exported('/articles/export/?search=engines', { includes })).toEqual(expected)
      }
      const column_config = { ' title ': { header: 'Name' } }
      expect((await exported('/articles/export/', { includes: 'title', column_config }))[0]).toEqual(['Name'])
    })

    test('may be told how to align their cells, which a CSV file does not show', async () => {
      const column_config = { title: { align: 'right' }, rating: { align: null } }
      expect((await exported('/articles/export/', { includes: ['title'], column_config }))[0]).toEqual(['Title'])
    })

    test('take headers from column_config before those of the resource', async () => {
      const column_config = { title: { header: 'Name of the thing', width: 12.5 }, rating: { header: 'Stars' } }
      const includes = ['title', 'rating', 'author__name']
      expect((await exported('/articles/export/', { includes, column_config }))[0]).toEqual([
        'Name of the thing',
        'Stars',
        'Written by',
      ])
    })

    test('may be configured for fields that this file leaves out', async () => {
      const column_config = { title: { width: 40 }, rating: { width: null, header: null } }
      expect((await exported('/articles/export/', { includes: ['title'], column_config }))[0]).toEqual(['Title'])
    })
  })

  describe('the rows', () => {
    const titles = async (query: string) =>
      (await exported(`/articles/export/${query}`, { includes: ['title'] })).slice(1).flat()

    test.each([
      ['?status=published', ['Looms']],
      ['?author__name=Ada&ordering=-title', ['Looms', 'Engines']],
      ['?search=e&ordering=length,title', ['Engines', 'Gardens']],
      ['?ordering=-length', ['Engines', 'Gardens', 'Looms']],
      // Pages are for reading; a file is whole.
      ['?page=2&page_size=1&paginated=true', ['Engines', 'Gardens', 'Looms']],
    ])('are those of the list %s, all pages of it', async (query, expected) => {
      expect(await titles(query)).toEqual(expected)
    })

    test("stay within the resource's queryset", async () => {
      expect((await exported('/drafts/export/', { includes: ['title'] })).slice(1)).toEqual([['Gardens'], ['Engines']])
    })

    test('can be none: the file has its header', async () => {
      expect(await exported('/articles/export/?search=nothing', { includes: ['title'] })).toEqual([['Title']])
    })

    test('of a bad query are refused', async () => {
      expectBadParameter(
        await api.post('/drafts/export/?ordering=password', csv),
        'ordering',
        'You cannot order by "password". Known fields: id, title, author, rating.',
      )
    })
  })

  describe('rows of the client', () => {
    test('are made a file as they are; a key is looked up flat first, then as a path', async () => {
      allowUndescribed(/takes ordering=password/, 'Rows of the client come as they are: nobody looks at an ordering.')
      const data = [
        { title: 'Mine', rating: -5, author__name: 'Flat', author: { name: 'Nested' }, ignored: true },
        { title: '=1+1', author: { name: 'Nested' }, created_by: 'no object', published_at: null },
      ]
      const includes = ['title', 'rating', 'author', 'author__name', 'created_by__username', 'published_at']
      expect((await exported('/articles/export/?ordering=password', { data, includes })).slice(1)).toEqual([
        ['Mine', '-5', '{"name":"Nested"}', 'Flat', '', ''],
        ["'=1+1", '', '{"name":"Nested"}', 'Nested', '', ''],
      ])
    })

    test('find nothing on a prototype', async () => {
      const text = '{"file_type":"csv","includes":["title"],"data":[{"toString":1}]}'
      const headers = { 'content-type': 'application/json' }
      expect(rowsOf(await api.request('POST', '/articles/export/', { payload: text, headers }))).toEqual([
        ['Title'],
        [''],
      ])
    })

    test('that are an empty list mean those of the resource', async () => {
      expect(await exported('/articles/export/', { data: [] })).toHaveLength(4)
    })

    test('are bounded', async () => {
      expectInvalid(await api.post('/articles/export/', { ...csv, data: [{}, {}, {}] }), {
        data: ['You sent 3 rows; at most 2 are allowed.'],
      })
    })

    test('are refused where a resource exports its own only', async () => {
      expectInvalid(await api.post('/own/export/', { ...csv, data: [{}] }), {
        data: ['This resource exports its own rows only.'],
      })
      expect(await exported('/own/export/', { data: [] })).toHaveLength(3)
    })
  })

  describe('a body is refused', () => {
    const known = 'Known fields: id, title, author, rating, author__name, created_by__username, published_at.'

    test.each<[body: object, errors: Record<string, string[]>]>([
      [{}, { file_type: ['This field is required.'] }],
      [{ file_type: null }, { file_type: ['This field needs a value: null is not allowed.'] }],
      [{ file_type: 1 }, { file_type: ['1 is not a text. Send a text in quotes.'] }],
      [{ file_type: 'docx' }, { file_type: ['"docx" is not a valid choice. Choose one of: csv, xlsx, pdf.'] }],
      [{ file_type: 'CSV' }, { file_type: ['"CSV" is not a valid choice. Choose one of: csv, xlsx, pdf.'] }],
      [{ ...csv, includes: { title: true } }, { includes: ['Send a list of field names.'] }],
      [{ ...csv, includes: ' , ' }, { includes: ['This list is empty. Send at least one item.'] }],
      [{ ...csv, includes: 'title, titel' }, { includes: [`Unknown field "titel". ${known}`] }],
      [
        { ...csv, column_config: { title: { widht: 5, header: 'x', colour: 'red' } } },
        { 'column_config.title': ['Unknown settings "widht", "colour". Known settings: width, header, align.'] },
      ],
      [
        { ...csv, column_config: { title: { align: 'middle' }, rating: { Width: 1 } } },
        {
          'column_config.title.align': ['"middle" is not a valid choice. Choose one of: left, center, right.'],
          'column_config.rating': ['Unknown setting "Width". Known settings: width, header, align.'],
        },
      ],
      [
        { ...csv, column_config: { title: { align: 1 } } },
        { 'column_config.title.align': ['1 is not a text. Send a text in quotes.'] },
      ],
      [{ ...csv, includes: [1] }, { 'includes.0': ['1 is not a text. Send a text in quotes.'] }],
      [{ ...csv, includes: [] }, { includes: ['This list is empty. Send at least one item.'] }],
      [{ ...csv, includes: ['titel'] }, { includes: [`Unknown field "titel". ${known}`] }],
      [{ ...csv, includes: ['password'] }, { includes: [`Unknown field "password". ${known}`] }],
      [
        { ...csv, includes: ['created_by__password', 'title', '__proto__', 'constructor'] },
        { includes: [`Unknown fields "created_by__password", "__proto__", "constructor". ${known}`] },
      ],
      [{ ...csv, includes: ['Title', 'Title'] }, { includes: [`Unknown field "Title". ${known}`] }],
      [{ ...csv, column_config: { ID: {} } }, { column_config: [`Unknown field "ID". ${known}`] }],
      [{ ...csv, column_config: ['title'] }, { column_config: ['Send a JSON object.'] }],
      [{ ...csv, column_config: { titel: {} } }, { column_config: [`Unknown field "titel". ${known}`] }],
      [
        { ...csv, column_config: { title: { width: 1e9 } } },
        { 'column_config.title.width': ['Ensure this value is less than or equal to 255.'] },
      ],
      [
        { ...csv, column_config: { title: { width: 0, header: 7 } } },
        {
          'column_config.title.width': ['Ensure this value is greater than or equal to 1.'],
          'column_config.title.header': ['7 is not a text. Send a text in quotes.'],
        },
      ],
      [
        { ...csv, column_config: { title: { header: 'x'.repeat(256) } } },
        { 'column_config.title.header': ['Ensure this field has no more than 255 characters.'] },
      ],
      [{ ...csv, data: {} }, { data: ['Send a list of rows.'] }],
      [{ ...csv, data: [['title']] }, { 'data.0': ['Send a JSON object.'] }],
      [{ ...csv, filename: '  ' }, { filename: ['This field needs a text that is not empty.'] }],
      [{ ...csv, title: 'x'.repeat(201) }, { title: ['Ensure this field has no more than 200 characters.'] }],
      [
        { file_type: 'doc', includes: ['a'], column_config: { b: {} } },
        {
          file_type: ['"doc" is not a valid choice. Choose one of: csv, xlsx, pdf.'],
          includes: [`Unknown field "a". ${known}`],
          column_config: [`Unknown field "b". ${known}`],
        },
      ],
    ])('%j', async (body, errors) => {
      const statements = await api.statementsOf(async () => {
        expectInvalid(await api.post('/articles/export/', body), errors)
      })
      expect(statements).toEqual([])
    })

    test('that is no object', async () => {
      const message = 'Send a JSON object.'
      expectError(await api.post('/articles/export/', [csv]), 400, message, nonField(message))
    })

    test('with 1,000 unknown fields, repeating few of them', async () => {
      const includes = Array.from({ length: 1000 }, (_, i) => `${i}${'x'.repeat(500)}`)
      const response = await api.post('/articles/export/', { ...csv, includes })
      expect(response.status).toBe(400)
      expect(response.text).toContain('and 990 more')
      expect(response.text.length).toBeLessThan(4000)
    })

    test('of the key __proto__', async () => {
      const payload = '{"file_type":"csv","column_config":{"__proto__":{"header":"x"}}}'
      const headers = { 'content-type': 'application/json' }
      expect((await api.request('POST', '/articles/export/', { payload, headers })).status).toBe(400)
      expect({}).not.toHaveProperty('header')
    })
  })

  test('a header that would be a formula is text', async () => {
    const column_config = { title: { header: '=cmd' } }
    expect((await exported('/articles/export/', { includes: ['title'], column_config }))[0]).toEqual(["'=cmd"])
  })

  describe('permissions of an export:', () => {
    test('exportPermissionClasses must allow it, too', async () => {
      expectError(await api.post('/staff/export/', csv), 401, 'Authentication credentials were not provided.')
      expectError(
        await api.post('/staff/export/', csv, { as: 'ben' }),
        403,
        'You do not have permission to perform this action.',
      )
      expect(await exported('/staff/export/', {}, 'ann')).toHaveLength(3)
      expect((await api.get('/staff/', { as: 'ben' })).status).toBe(200)
    })

    test('they are asked before the body is looked at', async () => {
      expect((await api.post('/staff/export/', { file_type: 'docx' }, { as: 'ben' })).status).toBe(403)
    })

    test('it is a POST: who may only read needs to be allowed the action', async () => {
      expect((await api.post('/readable/export/', csv)).status).toBe(401)
      expect(await exported('/exportable/export/')).toHaveLength(3)
    })

    test('a PDF of more rows than allowed is refused with their number, and any other file is not', async () => {
      await seed(api.database, tables, { articles: [{ title: 'Four', author: uuidOf.ada }] })
      const message = 'A pdf file takes 3 rows at most; these are 4. Filter them, or choose csv or xlsx.'
      const response = await api.post('/articles/export/', { file_type: 'pdf' })
      expectError(response, 400, message, nonField(message))
      expect(await exported('/articles/export/')).toHaveLength(5)
      expect((await api.post('/articles/export/?search=engines', { file_type: 'pdf' })).status).toBe(200)
    })
  })

  test('a view with another serializer for somebody shows that one in its files', async () => {
    expect((await exported('/per-user/export/'))[0]).toEqual(['Name', 'Made by'])
    expect((await exported('/per-user/export/', {}, 'ann'))[0]).toEqual(['Name', 'E-mail', 'Made by'])
    expect((await api.post('/per-user/export/', { ...csv, includes: ['email'] })).status).toBe(400)
  })

  test('nor do they have a path to what only the other one shows of a related record', async () => {
    const shown = await exported('/nested-per-user/export/', {}, 'ann')
    expect(shown.slice(0, 2)).toEqual([
      ['Title', 'E-mail', 'Added by', 'Status'],
      ['Engines', 'ada@example.org', 'ann', 'draft'],
    ])
    expect((await exported('/nested-per-user/export/'))[0]).toEqual(['Title', 'Added by', 'Status'])
    expect((await api.post('/nested-per-user/export/', { ...csv, includes: ['author__email'] })).status).toBe(400)
  })

  describe('the response', () => {
    test('is an attachment with the media type of its format', async () => {
      const { status, headers } = await api.post('/articles/export/', csv)
      expect([status, headers['content-type'], headers['x-content-type-options']]).toEqual([
        200,
        'text/csv; charset=utf-8',
        'nosniff',
      ])
      expect(headers['content-disposition']).toMatch(/^attachment; filename="articles_\d{8}_\d{6}\.csv"$/)
    })

    test.each([
      ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'PK\u0003\u0004'],
      ['pdf', 'application/pdf', '%PDF-'],
    ])('of %s', async (file_type, type, start) => {
      const { headers, bytes } = await api.post('/articles/export/', { file_type, filename: 'all' })
      expect(headers['content-type']).toBe(type)
      expect(headers['content-disposition']).toBe(`attachment; filename="all.${file_type}"`)
      expect(Buffer.from(bytes.subarray(0, start.length)).toString('latin1')).toBe(start)
    })

    test('can begin with a byte order mark', async () => {
      expect(Buffer.from((await api.post('/tables/export/', csv)).bytes.subarray(0, 3)).toString('hex')).toBe('efbbbf')
    })

    test('offers the formats of the resource only', async () => {
      expectInvalid(await api.post('/tables/export/', { file_type: 'pdf' }), {
        file_type: ['"pdf" is not a valid choice. Choose one of: xlsx, csv.'],
      })
    })

    test.each([
      ['a\r\nSet-Cookie: x=1', 'attachment; filename="a__Set-Cookie_ x=1.csv"'],
      ['"; filename=evil.exe', 'attachment; filename="_; filename=evil.exe.csv"'],
      ['../../etc/passwd', 'attachment; filename="_.._etc_passwd.csv"'],
      ['Städte.csv', `attachment; filename="St_dte.csv"; filename*=UTF-8''St%C3%A4dte.csv`],
      ['東京 (100%)', `attachment; filename="__ (100_).csv"; filename*=UTF-8''%E6%9D%B1%E4%BA%AC%20%28100%25%29.csv`],
      ['...', 'attachment; filename="file.csv"'],
    ])('is named %j as RFC 6266 has it', async (filename, header) => {
      const response = await api.post('/articles/export/', { ...csv, filename })
      expect([response.status, response.headers['content-disposition']]).toEqual([200, header])
      expect(response.headers).not.toHaveProperty('set-cookie')
    })

    test('is an envelope when a hook fails, and no connection is kept', async () => {
      for (let i = 0; i < 12; i++) expect((await api.post('/refusing/export/', csv)).status).toBe(500)
      expect((await api.get('/bulk/')).status).toBe(200)
    })
  })

  describe('a download of a custom action', () => {
    test.each([
      ['?lines=abc', 'abc'],
      ['', ''],
    ])('%s is sent as it is', async (query, text) => {
      const response = await api.get(`/labels/text/${query}`)
      expect([response.status, response.text, response.headers['content-disposition']]).toEqual([
        200,
        text,
        'attachment; filename="labels.txt"',
      ])
    })

    test('that cannot begin is an error', async () => {
      expect((await api.get('/labels/text/?broken=1')).status).toBe(500)
    })
  })

  describe('the endpoint', () => {
    test.each(['articles', 'drafts', 'bulk', 'feed', 'composed'])('belongs to %s', async resource => {
      expect((await api.post(`/${resource}/export/`, csv)).status).toBe(200)
      expect((await api.post(`/${resource}/export`, csv)).status).toBe(200)
    })

    test('belongs to no resource without FileExportMixin', async () => {
      expectError(await api.post('/list-only/export/', csv), 404, 'This resource has no "export".')
    })

    test('takes POST only', async () => {
      const refused = await api.get('/articles/export/')
      expectNotAllowed(refused, 'GET')
      expect(refused.headers.allow).toBe('POST, OPTIONS')
      expect((await api.request('OPTIONS', '/articles/export/')).headers.allow).toBe('POST, OPTIONS')
      expect((await api.request('HEAD', '/articles/export/')).status).toBe(405)
    })

    test('begins no transaction of writes: it goes on while another one is open', async () => {
      await api.database.transaction(async () => {
        await createRecord(authors, { name: 'Eve' })
        expect(await exported('/composed/export/', { includes: ['name'] })).toEqual([['Name'], ['Ada'], ['Bob']])
      })
    })

    test('reads the rows by one statement', async () => {
      const includes = ['title', 'author__name', 'author', 'created_by__username']
      const statements = await api.statementsOf(() => exported('/articles/export/', { includes }))
      expect(statements).toHaveLength(1)
    })
  })
})
