import { eq, sql } from 'drizzle-orm'
import {
  AllowAny,
  allRecords,
  BaseModelSerializer,
  BaseViewSet,
  BulkViewSet,
  compose,
  FlexibleField,
  IdOnlyField,
  IdToDataField,
  IdToStrField,
  ListModelMixin,
  ManyIdToDataField,
  ReadOnlyViewSet,
  RetrieveModelMixin,
  StrToDataField,
  scoped,
  UpdateModelMixin,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectInvalid, expectSuccess, uuid } from '../support/expect.ts'
import { library, stock } from '../support/library.ts'
import { noRecord } from '../support/texts.ts'

/** Nothing can be created with the few fields that a test shows. */
const ChangingViewSet = compose(ListModelMixin, RetrieveModelMixin, UpdateModelMixin)

describeDialects('the scope of a relation', dialect => {
  const tables = library(dialect.kit)
  const { people, books, chapters, tags, bookTags } = tables
  const permissionClasses = [AllowAny]
  /** One's own team, and for nobody the red one; with OR, which must not swallow what stands behind it. */
  const team = scoped(people, ({ user }) =>
    user?.roles?.includes('all')
      ? allRecords
      : sql`${people.team} = ${user ? 'blue' : 'red'} or ${people.name} = 'Everyone'`,
  )
  const PersonReference = BaseModelSerializer(people, { fields: ['name'] })
  const seen = IdToDataField({ queryset: team, serializer: PersonReference, scopeReads: true })
  const FilteredBook = BaseModelSerializer(books, { fields: ['title', 'editor'], extra: { editor: seen } })
  const BookDrafts = BaseModelSerializer(books, {
    fields: ['title', 'author'],
    extra: {
      author: FlexibleField({
        queryset: team,
        serializer: BaseModelSerializer(people, { fields: ['name', 'team'] }),
      }),
    },
  })
  const api = useApi(dialect, {
    tables,
    users: { blue: { id: uuid(901) }, all: { id: uuid(902), roles: ['all'] } },
    resources: {
      books: BaseViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['title', 'author', 'editor'],
          extra: { author: IdToDataField({ queryset: team, serializer: PersonReference }), editor: seen },
        }),
        permissionClasses,
        // Conditions and values of the resource's own, around those of its relations.
        queryset: () => sql`${books.title} = 'A' or ${books.title} = 'B'`,
        checkScope: 'never',
        ordering: 'title',
      }),
      writes: BaseViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['title', 'author', 'editor'],
          extra: {
            author: StrToDataField({ queryset: team, str: 'name', serializer: PersonReference }),
            editor: FlexibleField({ queryset: team, serializer: PersonReference }),
          },
        }),
        permissionClasses,
      }),
      filtered: ReadOnlyViewSet({
        model: books,
        serializer: FilteredBook,
        permissionClasses,
        ordering: 'title',
        filterFields: {
          editor: ['exact', 'in', 'isnull'],
          editor__name: ['exact', 'startswith', 'in'],
          author__name: ['exact'],
        },
        searchFields: ['editor__name'],
      }),
      'filtered-chapters': ReadOnlyViewSet({
        model: chapters,
        serializer: BaseModelSerializer(chapters, {
          fields: ['title'],
          extra: {
            about: IdToDataField({ queryset: books, serializer: FilteredBook, column: 'book', readOnly: true }),
          },
        }),
        permissionClasses,
        filterFields: ['book__editor__name'],
      }),
      drafts: BulkViewSet({ model: books, serializer: BookDrafts, permissionClasses }),
      deep: BulkViewSet({
        model: chapters,
        serializer: BaseModelSerializer(chapters, {
          fields: ['title'],
          extra: { book: FlexibleField({ queryset: books, serializer: BookDrafts }) },
        }),
        permissionClasses,
      }),
      hidden: BaseViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['title', 'author', 'editor'],
          extra: {
            author: IdToStrField({ queryset: team, str: 'name', scopeReads: true }),
            editor: IdOnlyField({ queryset: team, scopeReads: true }),
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
              queryset: scoped(books, () => eq(books.title, 'A')),
              serializer: BaseModelSerializer(books, { fields: ['title'], extra: { author: seen, editor: seen } }),
              scopeReads: true,
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
            written: ManyIdToDataField({
              queryset: scoped(books, () => eq(books.title, 'A')),
              serializer: BaseModelSerializer(books, { fields: ['title'], extra: { editor: seen } }),
              column: 'author',
              scopeReads: true,
            }),
          },
        }),
        permissionClasses,
        ordering: 'name',
      }),
      tagged: ChangingViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['title'],
          extra: {
            tags: ManyIdToDataField({
              queryset: scoped(tags, ({ user }) => (user ? allRecords : eq(tags.team, 'red'))),
              serializer: BaseModelSerializer(tags, { fields: ['label'] }),
              through: bookTags,
              ordering: '-label',
              scopeReads: true,
            }),
          },
        }),
        permissionClasses,
        ordering: 'title',
      }),
    },
  })
  const [red, blue, everyone] = [{ name: 'Red' }, { name: 'Blue' }, { name: 'Everyone' }]
  beforeEach(() =>
    stock(api.database, tables, {
      people: [
        { id: uuid(1), ...red, team: 'red' },
        { id: uuid(2), ...blue, team: 'blue' },
        { id: uuid(3), ...everyone, team: 'none' },
      ],
      books: [
        { id: uuid(11), title: 'A', author: uuid(1), editor: uuid(2) },
        { id: uuid(12), title: 'B', author: uuid(2), editor: uuid(1) },
        { id: uuid(13), title: 'C', author: uuid(2), editor: uuid(3) },
      ],
      chapters: [
        { id: uuid(21), title: 'one', book: uuid(11) },
        { id: uuid(22), title: 'two', book: uuid(12) },
      ],
      tags: [
        { id: uuid(31), label: 'a', team: 'red' },
        { id: uuid(32), label: 'b', team: 'blue' },
      ],
      bookTags: [
        { book: uuid(11), tag: uuid(31) },
        { book: uuid(11), tag: uuid(32) },
      ],
    }),
  )

  test('what is outside is refused with the words for what does not exist, however it is named', async () => {
    for (const id of [uuid(2), uuid(99)]) {
      const message = [noRecord('person', id)]
      expectInvalid(await api.post('/books/', { title: 'D', author: id, editor: id }), {
        author: message,
        editor: message,
      })
      expectInvalid(await api.post('/writes/', { title: 'D', author: 'Red', editor: id }), { editor: message })
      expectInvalid(await api.post('/writes/', { title: 'D', author: 'Red', editor: { id } }), { 'editor.id': message })
    }
    for (const author of ['Blue', 'Nobody']) {
      expectInvalid(await api.post('/writes/', { title: 'D', author }), {
        author: [`There is no person with the name "${author}".`],
      })
    }
    expect(await api.rows('books')).toHaveLength(3)
  })

  test('a new record outside is refused as well, and nothing is stored', async () => {
    const outside = ['A new record must be among those that this field can refer to.']
    const blue = { name: 'New', team: 'blue' }
    expectInvalid(await api.post('/drafts/', { title: 'D', author: blue }), { author: outside })
    expectInvalid(
      await api.post('/drafts/bulk-create/', [
        { title: 'D', author: uuid(1) },
        { title: 'E', author: blue },
      ]),
      {
        '1.author': outside,
      },
    )
    expectInvalid(await api.patch(`/drafts/${uuid(11)}/`, { author: { id: null, ...blue } }), { author: outside })
    // Inside of another one, which is fine by itself.
    const deep = { title: 'one', book: { title: 'D', author: blue } }
    expectInvalid(await api.post('/deep/', deep), { 'book.author': outside })
    expectInvalid(await api.post('/deep/bulk-create/', [deep, { title: 'two', book: uuid(11) }, deep]), {
      '0.book.author': outside,
      '2.book.author': outside,
    })
    expect(await api.rows('people')).toHaveLength(3)
    expect(await api.rows('books')).toHaveLength(3)
    // For whom it is inside, it is stored; what the database fills in counts, too.
    expect((await api.post('/drafts/', { title: 'D', author: blue }, { as: 'blue' })).status).toBe(201)
    expect((await api.post('/drafts/', { title: 'E', author: { name: 'Red by default' } })).status).toBe(201)
    expect((await api.post('/deep/bulk-create/', [deep], { as: 'blue' })).status).toBe(201)
  })

  test('it is asked for each request, and may be none', async () => {
    const author = uuid(2)
    expect((await api.post('/books/', { title: 'D', author })).status).toBe(400)
    expect((await api.post('/books/', { title: 'D', author }, { as: 'blue' })).status).toBe(201)
    expect((await api.post('/books/', { title: 'E', author, editor: uuid(1) }, { as: 'all' })).status).toBe(201)
    expect((await api.post('/books/', { title: 'F', author: uuid(3) })).status).toBe(201)
  })

  test('reading shows what is stored; with scopeReads, null for what is outside', async () => {
    // Both relations lead to one table, which is joined twice: once whole, once in part.
    expectSuccess(await api.get('/books/'), 200, {
      count: 2,
      data: [
        { title: 'A', author: red, editor: null, index: 1 },
        { title: 'B', author: blue, editor: red, index: 2 },
      ],
    })
    expectSuccess(await api.get('/books/?paginated=false&ordering=-title', { as: 'blue' }), 200, {
      data: [
        { title: 'B', author: blue, editor: null, index: 1 },
        { title: 'A', author: red, editor: blue, index: 2 },
      ],
    })
    expectSuccess(await api.get(`/books/${uuid(12)}/`), 200, { data: { title: 'B', author: blue, editor: red } })
    expectSuccess(await api.patch(`/books/${uuid(11)}/`, { title: 'A' }), 200, {
      data: { title: 'A', author: red, editor: null },
    })
    expect((await api.get('/books/', { as: 'all' })).data()).toMatchObject([{ editor: blue }, { editor: red }])
    expect(await api.statementsOf(() => api.get('/books/'))).toHaveLength(2)
  })

  test('hides text and identifiers as well', async () => {
    expectSuccess(await api.get('/hidden/'), 200, {
      count: 3,
      data: [
        { title: 'A', author: 'Red', editor: null, index: 1 },
        { title: 'B', author: null, editor: uuid(1), index: 2 },
        { title: 'C', author: null, editor: uuid(3), index: 3 },
      ],
    })
  })

  test('at any depth', async () => {
    expectSuccess(await api.get('/chapters/'), 200, {
      count: 2,
      data: [
        { title: 'one', book: { title: 'A', author: red, editor: null }, index: 1 },
        { title: 'two', book: null, index: 2 },
      ],
    })
    expect((await api.get(`/chapters/${uuid(21)}/`, { as: 'blue' })).data()).toEqual({
      title: 'one',
      book: { title: 'A', author: null, editor: blue },
    })
  })

  test('leaves records out of lists', async () => {
    expectSuccess(await api.get('/people/'), 200, {
      count: 3,
      data: [
        { name: 'Blue', written: [], index: 1 },
        { name: 'Everyone', written: [], index: 2 },
        { name: 'Red', written: [{ title: 'A', editor: null }], index: 3 },
      ],
    })
    expect((await api.get(`/tagged/${uuid(11)}/`)).data().tags).toEqual([{ label: 'a' }])
    expect((await api.get(`/tagged/${uuid(11)}/`, { as: 'blue' })).data().tags).toEqual([
      { label: 'b' },
      { label: 'a' },
    ])
  })

  test('nothing can be learnt of a record outside by filters and search', async () => {
    const titles = async (query: string, as?: string) =>
      (await api.get(`/filtered/?${query}`, { ...(as && { as }) })).data<{ title: string }[]>().map(book => book.title)
    for (const query of [`editor=${uuid(2)}`, 'editor__name=Blue', 'editor__name__startswith=B', 'search=blu']) {
      expect([query, await titles(query)]).toEqual([query, []])
      expect([query, await titles(query, 'blue')]).toEqual([query, ['A']])
    }
    // The same inside of a nested record, and beside what is inside.
    expect((await api.get('/filtered-chapters/?book__editor__name=Blue')).data()).toEqual([])
    expect((await api.get('/filtered-chapters/?book__editor__name=Red')).data()).toMatchObject([{ title: 'two' }])
    expect(await titles('editor__name__in=Blue,Red,Everyone')).toEqual(['B', 'C'])
    expect(await titles(`editor__in=${uuid(1)},${uuid(2)}`)).toEqual(['B'])
    // What is shown as null is null.
    expect(await titles('editor__isnull=false')).toEqual(['B', 'C'])
    expect(await titles('editor__isnull=true')).toEqual(['A'])
    // A relation without a scope is filtered as it is stored.
    expect(await titles('author__name=Blue')).toEqual(['B', 'C'])
  })

  test('a list that is read and sent back keeps what could not be seen', async () => {
    expect((await api.patch(`/tagged/${uuid(11)}/`, { tags: [] })).data().tags).toEqual([])
    expect((await api.get(`/tagged/${uuid(11)}/`, { as: 'blue' })).data().tags).toEqual([{ label: 'b' }])
  })
})
