import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  CustomOutputField,
  IdToDataField,
  ManyIdOnlyField,
  ManyIdToDataField,
  type OpenApiDocument,
} from 'viewset'
import { createClient } from 'viewset/client'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { library, stock } from '../support/library.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'

describeDialects('fields and expand', dialect => {
  const { jobs, jobErrors } = dialect.kit.JobTables()
  const tables = { ...library(dialect.kit), jobs, jobErrors }
  const { books, people, chapters, tags, bookTags } = tables
  const Person = BaseModelSerializer(people, { fields: ['id', 'name', 'email'] })
  const Chapter = BaseModelSerializer(chapters, { fields: ['id', 'title'] })
  const Tag = BaseModelSerializer(tags, { fields: ['label'] })
  const BookSerializer = BaseModelSerializer(books, {
    fields: ['id', 'title', 'author', 'editor'],
    extra: {
      author: IdToDataField({ queryset: people, serializer: Person }),
      chapters: ManyIdToDataField({ queryset: chapters, serializer: Chapter, readOnly: true }),
      tags: ManyIdOnlyField({ queryset: tags, through: bookTags, readOnly: true }),
      shout: book => book.title.toUpperCase(),
      writer: CustomOutputField({ queryset: people, column: 'author', readOnly: true, output: ({ name }) => name }),
    },
  })
  const BookViewSet = BaseViewSet({
    model: books,
    serializer: BookSerializer,
    permissionClasses: [AllowAny],
    sparseFields: true,
    expandableFields: { editor: Person, tags: Tag },
  })
  const queue = new ManualQueue()
  const config = { model: books, serializer: BookSerializer, permissionClasses: [AllowAny], ordering: 'title' } as const
  const api = useApi(dialect, {
    tables,
    openapi: true,
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
    settings: { JOBS: { ANONYMOUS: true } },
    resources: {
      books: BookViewSet,
      labelled: BaseViewSet({
        ...config,
        sparseFields: true,
        exportFieldConfig: {
          author__name: 'Written by',
          author__email: 'Mail',
          title: 'Title',
          editor__name: 'Edited by',
        },
      }),
      plain: BaseViewSet(config),
    },
  })
  const path = `/books/${uuid(11)}/`
  beforeEach(() =>
    stock(api.database, tables, {
      people: [
        { id: uuid(1), name: 'Ada', email: 'a@x.org' },
        { id: uuid(2), name: 'Bob' },
      ],
      books: [
        { id: uuid(11), title: 'A', author: uuid(1), editor: uuid(2) },
        { id: uuid(12), title: 'B', author: uuid(1) },
      ],
      chapters: [{ id: uuid(21), title: 'one', book: uuid(11) }],
      tags: [{ id: uuid(31), label: 'x' }],
      bookTags: [{ id: uuid(41), book: uuid(11), tag: uuid(31) }],
    }),
  )

  test('fields narrow a list and a record, at any depth', async () => {
    expect((await api.get('/books/?fields=title&ordering=title')).data()).toEqual([
      { title: 'A', index: 1 },
      { title: 'B', index: 2 },
    ])
    expect((await api.get(`${path}?fields=author.name,id,shout`)).data()).toEqual({
      id: uuid(11),
      author: { name: 'Ada' },
      shout: 'A',
    })
    expect((await api.get(`${path}?fields=chapters.title,writer`)).data()).toEqual({
      chapters: [{ title: 'one' }],
      writer: 'Ada',
    })
    expect((await api.get('/books/?fields=title&paginated=false')).data<object[]>()).toHaveLength(2)
  })

  test('what is not asked for is not read', async () => {
    const [select, ...others] = await api.statementsOf(() => api.get(`${path}?fields=title`))
    expect(others).toEqual([])
    expect(select).not.toMatch(/people|chapters|author/)
    expect(await api.statementsOf(() => api.get(path))).toHaveLength(3)
  })

  test('expand shows the whole related record', async () => {
    const { data } = (await api.get(`${path}?expand=editor,tags`)).envelope()
    expect(data).toMatchObject({ editor: { id: uuid(2), name: 'Bob', email: null }, tags: [{ label: 'x' }] })
    expect((await api.get(`/books/?expand=editor&fields=editor.name,title&ordering=title`)).data()).toEqual([
      { title: 'A', editor: { name: 'Bob' }, index: 1 },
      { title: 'B', editor: null, index: 2 },
    ])
    expect((await api.get(path)).data()).toMatchObject({ editor: uuid(2), tags: [uuid(31)] })
  })

  test.each([
    ['fields=titel', 'fields', /no field "titel".*"title"/],
    ['fields=title,author.nme', 'fields', /"author.nme".*"author.name"/],
    ['fields=title.x', 'fields', /"title.x"/],
    ['fields=editor.name', 'fields', /"editor.name"/],
    ['fields=,', 'fields', /no field ""/],
    ['expand=author', 'expand', /no field "author".*editor/],
    ['expand=editr', 'expand', /"editor"/],
  ])('?%s is a 400', async (query, at, text) => {
    const response = await api.get(`/books/?${query}`)
    expect(response.status).toBe(400)
    expect(response.envelope()).toMatchObject({ errors: { [at]: [expect.stringMatching(text)] } })
  })

  test.each([
    ['points', 'a.', /no field "a"/],
    ['points after a field', 'author.', /no field "author.author"/],
    ['brackets', 'a(', /no field "a\(a/],
  ])('2,000 levels of %s are a 400', async (_, level, text) => {
    const response = await api.get(`${path}?fields=${level.repeat(2_000)}a`)
    expect(response.status).toBe(400)
    expect(response.envelope()).toMatchObject({ errors: { fields: [expect.stringMatching(text)] } })
  })

  test.each(['author,author.name', 'author.name,author', ' author.name , author.id, author'])(
    '?fields=%s shows the whole author',
    async fields => {
      const response = await api.get(`${path}?fields=${encodeURIComponent(fields)}`)
      expect(response.data()).toEqual({ author: { id: uuid(1), name: 'Ada', email: 'a@x.org' } })
    },
  )

  test.each([
    ['author.name', 'author(name)'],
    ['author.id,author.name', 'author(id,name)'],
    ['', ' '],
  ])('?fields=%s does not make ?fields=%s valid', async (valid, invalid) => {
    const statusOf = async (fields: string) =>
      (await api.get(`${path}?expand=editor&fields=${encodeURIComponent(fields)}`)).status
    expect([await statusOf(invalid), await statusOf(valid), await statusOf(invalid)]).toEqual([400, 200, 400])
  })

  describe('an export', () => {
    const exported = (query: string, at = 'books', body: object = {}) =>
      api.post(`/${at}/export/?${query}`, { file_type: 'csv', ...body })
    const linesOf = async (...sent: Parameters<typeof exported>) => {
      const { text } = await exported(...sent)
      return text.replace('\uFEFF', '').trimEnd().split('\r\n')
    }

    test('has the columns of the chosen fields, in the order of the serializer', async () => {
      expect(await linesOf('fields=title,id&ordering=title')).toEqual(['Id,Title', `${uuid(11)},A`, `${uuid(12)},B`])
      expect(await linesOf('fields=shout,editor,writer&ordering=title')).toEqual([
        'Editor,Shout,Writer',
        `${uuid(2)},A,Ada`,
        ',B,Ada',
      ])
      expect(await linesOf('fields=author.name&ordering=title')).toEqual([
        'Author',
        '"{""name"":""Ada""}"',
        '"{""name"":""Ada""}"',
      ])
      expect((await linesOf('fields='))[0]).toBe((await linesOf(''))[0])
    })

    test('keeps the headers and columns that the resource has given to the fields', async () => {
      expect(await linesOf('fields=id,author,title', 'labelled')).toEqual([
        'Id,Title,Written by,Mail',
        `${uuid(11)},A,Ada,a@x.org`,
        `${uuid(12)},B,Ada,a@x.org`,
      ])
      expect((await linesOf('fields=author.email,editor', 'labelled'))[0]).toBe('Mail,Edited by')
      expect((await linesOf('fields=author.id', 'labelled'))[0]).toBe('Author')
    })

    test.each(['csv', 'xlsx', 'pdf'])('as %s', async file_type => {
      const { status, text } = await exported('fields=title', 'labelled', { file_type })
      expect([status, text.length > 0]).toEqual([200, true])
    })

    test('reads only the chosen fields', async () => {
      const [select, ...others] = await api.statementsOf(() => exported('fields=title'))
      expect(others.filter(text => text.includes('chapters'))).toEqual([])
      expect(select).not.toMatch(/people|chapters|author/)
    })

    test('of rows that the client sends, too', async () => {
      const data = [{ id: 1, title: 'X', shout: 'Y' }]
      expect(await linesOf('fields=shout,title', 'books', { data })).toEqual(['Title,Shout', 'X,Y'])
    })

    test('orders the chosen columns by includes, which can name no other', async () => {
      expect((await linesOf('fields=id,title', 'books', { includes: ['title', 'id'] }))[0]).toBe('Title,Id')
      expect((await exported('fields=id', 'books', { includes: ['title'] })).status).toBe(400)
    })

    test('in the background has them, too', async () => {
      const { id } = (await exported('fields=title&background=true&ordering=-title')).data<{ id: string }>()
      await queue.run(id)
      expect((await api.get(`/jobs/${id}/file/`)).text.replace('\uFEFF', '')).toBe('Title\r\nB\r\nA\r\n')
    })

    test.each(['fields=titel', 'fields=author.nme', 'fields=editor.name', 'fields=title&background=true&fields=id'])(
      '?%s is a 400',
      async query => {
        const response = await exported(query)
        expect(response.status).toBe(400)
        expect(response.envelope().errors).toHaveProperty('fields')
      },
    )

    test('describes the parameter', async () => {
      const { paths } = JSON.parse((await api.get('/openapi.json')).text) as OpenApiDocument
      const named = (at: string) => JSON.stringify(paths[`/${at}/export/`]?.post?.parameters)
      expect(named('books')).toContain('"fields"')
      expect(named('plain')).not.toContain('"fields"')
    })

    test('has no such parameter without sparseFields', async () => {
      expect((await exported('fields=title', 'plain')).status).toBe(400)
      expect((await exported('expand=editor')).status).toBe(400)
    })

    test('by the client', async () => {
      const port = await api.listen()
      const client = createClient<{ books: typeof BookViewSet }>({ baseUrl: `http://127.0.0.1:${port}/api` })
      const file = await client.books.export({ file_type: 'csv' }, { fields: ['title'], ordering: 'title' })
      expect(await file.text()).toContain('Title\r\nA\r\nB')
      // @ts-expect-error no such field
      await expect(client.books.export({ file_type: 'csv' }, { fields: ['titel'] })).rejects.toThrow()
    })
  })

  test('a write answers with the whole record', async () => {
    expect(Object.keys((await api.patch(path, { title: 'C' })).data())).toHaveLength(8)
    expect((await api.patch(`${path}?fields=title`, { title: 'D' })).status).toBe(400)
  })

  test('the client knows what it asked for', async () => {
    const port = await api.listen()
    const client = createClient<{ books: typeof BookViewSet }>({ baseUrl: `http://127.0.0.1:${port}/api` })
    const { items } = await client.books.list({ fields: ['title', 'author.name'], ordering: 'title' })
    const [first] = items
    expect(first?.title).toBe('A')
    expect(first?.index).toBe(1)
    // @ts-expect-error was not asked for
    expect(first?.editor).toBeUndefined()
    expect(Object.keys(first?.author ?? {})).toEqual(['name'])
    // @ts-expect-error of the author, only the name was asked for
    expect(first?.author.id).toBeUndefined()
    // @ts-expect-error no such field of the author
    await expect(client.books.list({ fields: ['author.nmae'] })).rejects.toThrow()
    for await (const { author } of client.books.all({ fields: ['author.name'] })) {
      // @ts-expect-error the same in all pages
      expect(author.id).toBeUndefined()
    }
    const book = await client.books.retrieve(uuid(11), { query: { expand: ['editor'] } })
    const name: string | undefined = book.editor?.name
    expect(name).toBe('Bob')
    const whole = await client.books.retrieve(uuid(11))
    const editor: string | null = whole.editor
    expect(editor).toBe(uuid(2))
    // @ts-expect-error no such field
    await expect(client.books.list({ fields: ['titel'] })).rejects.toThrow()
  })

  test('only fields with a related record can be expanded', () => {
    const config = { model: books, serializer: BookSerializer, permissionClasses: [AllowAny] }
    expect(() => BaseViewSet({ ...config, expandableFields: { title: Person } })).toThrow(/refers to no record/)
    expect(() => BaseViewSet({ ...config, expandableFields: { editor: Tag } })).toThrow(/serializer of "people"/)
    // @ts-expect-error no such field
    expect(() => BaseViewSet({ ...config, expandableFields: { editr: Person } })).toThrow(/did you mean "editor"/)
  })
})
