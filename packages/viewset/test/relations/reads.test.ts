import { ne, sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  CustomOutputField,
  ExpressionField,
  IdOnlyField,
  IdToDataField,
  IdToStrField,
  insertMany,
  ManyIdToDataField,
  ReadOnlyDataField,
  ReadOnlyIdField,
  ReadOnlyStrField,
  ReadOnlyViewSet,
  scoped,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectSuccess, uuid } from '../support/expect.ts'
import { library, stock } from '../support/library.ts'

describeDialects('reading relations', dialect => {
  const tables = library(dialect.kit)
  const { people, books, chapters, tags, bookTags, friendships } = tables
  const permissionClasses = [AllowAny]
  const PersonReference = BaseModelSerializer(people, { fields: ['id', 'name'] })
  const person = IdToDataField({ queryset: people, serializer: PersonReference })
  const ChapterReference = BaseModelSerializer(chapters, { fields: ['title', 'pages'] })
  const TagReference = BaseModelSerializer(tags, { fields: ['label'] })
  const tagsField = ManyIdToDataField({
    queryset: tags,
    serializer: TagReference,
    through: bookTags,
    ordering: 'label',
  })
  const chaptersField = ManyIdToDataField({ queryset: chapters, serializer: ChapterReference, ordering: '-title' })
  const BookWithLists = BaseModelSerializer(books, {
    fields: ['id', 'title'],
    extra: { tags: tagsField, chapters: chaptersField },
  })
  const api = useApi(dialect, {
    tables,
    resources: {
      sides: BaseViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['id', 'title', 'author', 'editor'],
          extra: {
            author: IdToStrField({ queryset: people, str: 'name' }),
            editor: IdOnlyField({ queryset: people }),
            authorData: ReadOnlyDataField({ queryset: people, serializer: PersonReference, column: 'author' }),
            editorMail: ReadOnlyStrField({ queryset: people, str: 'email', column: 'editor' }),
            editorId: ReadOnlyIdField({ queryset: people, column: 'editor' }),
          },
        }),
        permissionClasses,
        ordering: 'title',
      }),
      custom: ReadOnlyViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['author', 'editor'],
          extra: {
            author: CustomOutputField({ queryset: people, output: ({ name, team }) => `${name} of ${team}` }),
            editor: CustomOutputField({
              queryset: people,
              output: ({ name }) => ({ name, big: 2n ** 60n, small: 5n }),
            }),
          },
        }),
        permissionClasses,
        ordering: 'title',
      }),
      chapters: BaseViewSet({
        model: chapters,
        serializer: BaseModelSerializer(chapters, {
          fields: ['title'],
          extra: {
            book: IdToDataField({
              queryset: books,
              serializer: BaseModelSerializer(books, {
                fields: ['title'],
                extra: {
                  author: IdToDataField({
                    queryset: people,
                    serializer: BaseModelSerializer(people, {
                      fields: ['name'],
                      extra: { mentor: person },
                    }),
                  }),
                  editor: IdToStrField({ queryset: people, str: 'name' }),
                  tags: tagsField,
                },
              }),
            }),
          },
        }),
        permissionClasses,
        ordering: 'title',
      }),
      books: ReadOnlyViewSet({ model: books, serializer: BookWithLists, permissionClasses, ordering: 'title' }),
      limited: ReadOnlyViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['title'],
          extra: {
            tags: ManyIdToDataField({
              queryset: scoped(tags, () => ne(tags.label, 'hidden')),
              scopeReads: true,
              serializer: BaseModelSerializer(tags, {
                fields: ['label'],
                extra: {
                  uses: ExpressionField({
                    expression: sql`(select count(*) from ${bookTags} where ${bookTags.tag} = ${tags.id})`,
                    type: 'integer',
                  }),
                },
              }),
              through: bookTags,
              ordering: '-label',
              readOnly: true,
              limit: 1,
            }),
            chapters: ManyIdToDataField({
              queryset: chapters,
              serializer: BaseModelSerializer(chapters, {
                fields: ['title'],
                extra: {
                  book: IdToDataField({
                    queryset: scoped(books, () => ne(books.title, 'B')),
                    serializer: BaseModelSerializer(books, { fields: ['title'] }),
                    scopeReads: true,
                  }),
                },
              }),
              ordering: 'title',
              readOnly: true,
              limit: 1,
            }),
          },
        }),
        permissionClasses,
        ordering: 'title',
      }),
      people: BaseViewSet({
        model: people,
        serializer: BaseModelSerializer(people, {
          fields: ['name'],
          extra: {
            written: ManyIdToDataField({ queryset: books, serializer: BookWithLists, column: 'author' }),
            friends: ManyIdToDataField({
              queryset: people,
              serializer: PersonReference,
              through: friendships,
              throughFields: ['from', 'to'],
              ordering: 'name',
            }),
            pupils: ManyIdToDataField({ queryset: people, serializer: PersonReference, ordering: ['-name'] }),
          },
        }),
        permissionClasses,
        ordering: 'name',
      }),
    },
  })
  const ada = { id: uuid(1), name: 'Ada' }
  const bob = { id: uuid(2), name: 'Bob' }
  beforeEach(() =>
    stock(api.database, tables, {
      people: [
        { ...ada, email: 'ada@example.org' },
        { ...bob, mentor: uuid(1) },
        { id: uuid(3), name: 'Cid', mentor: uuid(1), team: 'blue' },
      ],
      books: [
        { id: uuid(11), title: 'A', author: uuid(2), editor: uuid(1) },
        { id: uuid(12), title: 'B', author: uuid(1) },
        { id: uuid(13), title: 'C', author: uuid(2), editor: uuid(3) },
      ],
      chapters: [
        { id: uuid(21), title: 'one', book: uuid(11), pages: 2n ** 60n },
        { id: uuid(22), title: 'two', book: uuid(11) },
        { id: uuid(23), title: 'uno', book: uuid(12), pages: 7n },
      ],
      tags: [
        { id: uuid(31), label: 'old' },
        { id: uuid(32), label: 'new' },
      ],
      bookTags: [
        { book: uuid(11), tag: uuid(31) },
        { book: uuid(11), tag: uuid(32) },
        { book: uuid(13), tag: uuid(31) },
      ],
      friendships: [
        { from: uuid(1), to: uuid(3) },
        { from: uuid(1), to: uuid(2) },
        { from: uuid(3), to: uuid(1) },
      ],
    }),
  )

  const sides = [
    {
      id: uuid(11),
      title: 'A',
      author: 'Bob',
      editor: uuid(1),
      author_data: bob,
      editor_mail: 'ada@example.org',
      editor_id: uuid(1),
    },
    { id: uuid(12), title: 'B', author: 'Ada', editor: null, author_data: ada, editor_mail: null, editor_id: null },
    {
      id: uuid(13),
      title: 'C',
      author: 'Bob',
      editor: uuid(3),
      author_data: bob,
      editor_mail: null,
      editor_id: uuid(3),
    },
  ]

  test('each read side shows its part of the related record, or null', async () => {
    const data = sides.map((item, i) => ({ ...item, index: i + 1 }))
    expectSuccess(await api.get('/sides/'), 200, { count: 3, data })
    expectSuccess(await api.get('/sides/?paginated=false'), 200, { data })
    for (const item of sides) expectSuccess(await api.get(`/sides/${item.id}/`), 200, { data: item })
  })

  test('they are joined, and only the columns that are shown are selected', async () => {
    const [text, ...more] = await api.statementsOf(() => api.get(`/sides/${uuid(11)}/`))
    expect(more).toEqual([])
    expect(text?.match(/left join/g)).toHaveLength(3)
    expect(text).not.toContain('"team"')
    expect(await api.statementsOf(() => api.get('/sides/'))).toHaveLength(2)
  })

  test('a custom output is what the function returns for the record, and null where there is none', async () => {
    expectSuccess(await api.get('/custom/'), 200, {
      count: 3,
      data: [
        { author: 'Bob of red', editor: { name: 'Ada', big: String(2n ** 60n), small: 5 }, index: 1 },
        { author: 'Ada of red', editor: null, index: 2 },
        { author: 'Bob of red', editor: { name: 'Cid', big: String(2n ** 60n), small: 5 }, index: 3 },
      ],
    })
    expect(await api.statementsOf(() => api.get('/custom/'))).toHaveLength(2)
  })

  test('nests to any depth, with lists inside of what is nested', async () => {
    const bookA = {
      title: 'A',
      author: { name: 'Bob', mentor: ada },
      editor: 'Ada',
      tags: [{ label: 'new' }, { label: 'old' }],
    }
    const bookB = { title: 'B', author: { name: 'Ada', mentor: null }, editor: null, tags: [] }
    const data = [
      { title: 'one', book: bookA },
      { title: 'two', book: bookA },
      { title: 'uno', book: bookB },
    ]
    expectSuccess(await api.get('/chapters/'), 200, {
      count: 3,
      data: data.map((item, i) => ({ ...item, index: i + 1 })),
    })
    // The count, the page with its joins, and the tags of all books on it.
    expect(await api.statementsOf(() => api.get('/chapters/'))).toHaveLength(3)
    expectSuccess(await api.get(`/chapters/${uuid(22)}/`), 200, { data: data[1] })
    expect(await api.statementsOf(() => api.get(`/chapters/${uuid(22)}/`))).toHaveLength(2)
  })

  describe('to many', () => {
    const listA = {
      id: uuid(11),
      title: 'A',
      tags: [{ label: 'new' }, { label: 'old' }],
      chapters: [
        { title: 'two', pages: null },
        { title: 'one', pages: String(2n ** 60n) },
      ],
    }
    const listB = { id: uuid(12), title: 'B', tags: [], chapters: [{ title: 'uno', pages: 7 }] }
    const listC = { id: uuid(13), title: 'C', tags: [{ label: 'old' }], chapters: [] }

    test('shows all of them in their order, and none as an empty list', async () => {
      const data = [listA, listB, listC].map((item, i) => ({ ...item, index: i + 1 }))
      expectSuccess(await api.get('/books/'), 200, { count: 3, data })
      expectSuccess(await api.get('/books/?paginated=false'), 200, { data })
      expectSuccess(await api.get(`/books/${uuid(12)}/`), 200, { data: listB })
    })

    test('is one statement for each relation, however many records there are', async () => {
      expect(await api.statementsOf(() => api.get('/books/'))).toHaveLength(4)
      expect(await api.statementsOf(() => api.get('/books/?page_size=1'))).toHaveLength(4)
      expect(await api.statementsOf(() => api.get(`/books/${uuid(11)}/`))).toHaveLength(3)
    })

    test('with a limit, the first of each list, by one statement all the same', async () => {
      await api.database.transaction(() => insertMany(tags, [{ id: uuid(39), label: 'zz' }]))
      const data = [
        { title: 'A', tags: [{ label: 'old', uses: 2 }], chapters: [{ title: 'one', book: { title: 'A' } }] },
        { title: 'B', tags: [], chapters: [{ title: 'uno', book: null }] },
        { title: 'C', tags: [{ label: 'old', uses: 2 }], chapters: [] },
      ].map((item, i) => ({ ...item, index: i + 1 }))
      expectSuccess(await api.get('/limited/'), 200, { count: 3, data })
      expectSuccess(await api.get('/limited/?paginated=false'), 200, { data })
      expect(await api.statementsOf(() => api.get('/limited/'))).toHaveLength(4)
    })

    test('a list that is longer than memory should hold is read in part, with a mark, and the others are complete', async () => {
      const many = Array.from({ length: 100_000 }, (_, i) => ({ title: `T${i}`, book: uuid(12) }))
      await api.database.transaction(() => insertMany(chapters, many))
      const one = await api.get(`/books/${uuid(12)}/`)
      const { chapters: part, ...rest } = one.data<{ chapters: readonly unknown[] }>()
      expect(rest).toMatchObject({ chapters_truncated: true })
      expect(part).toHaveLength(65_535)
      expect((await api.get(`/books/${uuid(11)}/`)).data()).not.toHaveProperty('chapters_truncated')
      const page = (await api.get('/books/')).data<readonly { id: string; chapters_truncated?: true }[]>()
      expect(page.map(book => book.chapters_truncated)).toEqual([undefined, true, undefined])
      // With a limit there is nothing to fear.
      expect((await api.get('/limited/')).status).toBe(200)
    })

    test('an empty page asks for nothing more', async () => {
      await api.clear()
      expect(await api.statementsOf(() => api.get('/books/'))).toHaveLength(2)
    })

    test('lists in lists, a join table to the same table and a foreign key to the same table', async () => {
      const friend = (...names: (typeof ada)[]) => names
      const cid = { id: uuid(3), name: 'Cid' }
      expectSuccess(await api.get('/people/'), 200, {
        count: 3,
        data: [
          { name: 'Ada', written: [listB], friends: friend(bob, cid), pupils: [cid, bob], index: 1 },
          { name: 'Bob', written: [listA, listC], friends: [], pupils: [], index: 2 },
          { name: 'Cid', written: [], friends: friend(ada), pupils: [], index: 3 },
        ],
      })
      // The count, the page, three relations of people and two of their books.
      expect(await api.statementsOf(() => api.get('/people/'))).toHaveLength(7)
    })

    test('a streamed list asks once for each batch', async () => {
      const many = Array.from({ length: 1_500 }, (_, i) => ({
        id: uuid(100_000 + i),
        title: `T${String(i).padStart(4, '0')}`,
        author: uuid(1),
      }))
      await api.database.transaction(async () => {
        await insertMany(books, many)
        await insertMany(
          bookTags,
          many.map(({ id: book }) => ({ book, tag: uuid(31), weight: 1 })),
        )
      })
      let items: { tags: unknown[]; index: number }[] = []
      const statements = await api.statementsOf(async () => {
        items = (await api.get('/books/?paginated=false')).data()
      })
      expect(items).toHaveLength(1_503)
      expect(items.slice(3).every(item => item.tags.length === 1)).toBe(true)
      expect(items.at(-1)?.index).toBe(1_503)
      // The first rows, which tell that there are more; the stream; two relations for each of its two batches.
      expect(statements).toHaveLength(6)
    })

    test('as many streams as the pool has connections do not wait for each other', async () => {
      const many = Array.from({ length: 1_100 }, (_, i) => ({ title: `T${i}`, author: uuid(1) }))
      await api.database.transaction(() => insertMany(books, many))
      const responses = await Promise.all(Array.from({ length: 12 }, () => api.get('/books/?paginated=false')))
      expect(responses.map(response => response.data<unknown[]>().length)).toEqual(Array(12).fill(1_103))
    })
  })
})
