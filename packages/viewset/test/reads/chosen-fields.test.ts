import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  CustomOutputField,
  IdToDataField,
  ManyIdOnlyField,
  ManyIdToDataField,
} from 'viewset'
import { createClient } from 'viewset/client'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { library, stock } from '../support/library.ts'

describeDialects('fields and expand', dialect => {
  const tables = library(dialect.kit)
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
  const api = useApi(dialect, { tables, resources: { books: BookViewSet } })
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
