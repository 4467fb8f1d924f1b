import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkUpsertModelMixin,
  BulkViewSet,
  compose,
  DataToDataField,
  DataToIdField,
  FlexibleField,
  IdToDataField,
  ManyIdToDataField,
  NestedDraft,
  postSave,
  type SerializerInput,
  StrToDataField,
  scoped,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectInvalid, expectSuccess, ID, uuid } from '../support/expect.ts'
import { library, stock } from '../support/library.ts'

describeDialects('relation fields in bulk', dialect => {
  const tables = library(dialect.kit)
  const { people, books, chapters, notes, tags, bookTags } = tables
  const permissionClasses = [AllowAny]
  const Mentor = BaseModelSerializer(people, { fields: ['name'] })
  const Person = BaseModelSerializer(people, {
    fields: ['name', 'email'],
    extra: { mentor: FlexibleField({ queryset: people, serializer: Mentor }) },
  })
  const tagsField = ManyIdToDataField({
    queryset: tags,
    serializer: BaseModelSerializer(tags, { fields: ['label'] }),
    through: bookTags,
    ordering: 'label',
  })
  const notesField = ManyIdToDataField({
    queryset: notes,
    serializer: BaseModelSerializer(notes, { fields: ['text'] }),
    ordering: 'text',
  })
  const Book = BaseModelSerializer(books, {
    fields: ['id', 'title'],
    extra: {
      author: DataToIdField({ queryset: people, serializer: Person }),
      editor: FlexibleField({ queryset: people, serializer: Mentor }),
      tags: tagsField,
      notes: notesField,
    },
  })
  const ByName = BaseModelSerializer(books, {
    fields: ['title'],
    extra: { author: StrToDataField({ queryset: people, str: 'name', serializer: Mentor }), tags: tagsField },
  })
  const bookshelf = { model: books, serializer: Book, permissionClasses }

  class Signed extends BulkViewSet(bookshelf) {
    override async performBulkCreate(values: SerializerInput<typeof Book>[]) {
      for (const { author } of values) if (author instanceof NestedDraft) author.values.team = 'blue'
      return super.performBulkCreate(values)
    }
  }

  const api = useApi(dialect, {
    tables,
    resources: {
      books: BulkViewSet(bookshelf),
      signed: Signed,
      saved: BulkViewSet({ ...bookshelf, useSaveOnBulkUpdate: true }),
      quiet: BulkViewSet({ ...bookshelf, returnDataOnCreate: false, returnDataOnUpdate: false }),
      tagged: BulkViewSet({
        model: books,
        serializer: BaseModelSerializer(books, { fields: ['title', 'author'], extra: { tags: tagsField } }),
        permissionClasses,
      }),
      byName: BulkViewSet({ model: books, serializer: ByName, permissionClasses }),
      named: compose(BulkUpsertModelMixin)({
        model: books,
        serializer: ByName,
        permissionClasses,
        upsertFields: ['author', 'title'],
      }),
      described: compose(BulkUpsertModelMixin)({
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['title'],
          extra: { author: DataToDataField({ queryset: people, serializer: Person }) },
        }),
        permissionClasses,
        upsertFields: ['author', 'title'],
      }),
      red: BulkViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['title', 'author'],
          extra: {
            author: IdToDataField({
              queryset: scoped(people, () => eq(people.team, 'red')),
              serializer: Mentor,
              scopeReads: true,
            }),
          },
        }),
        permissionClasses,
        queryset: () => eq(books.title, 'B1'),
        checkScope: 'never',
      }),
      withChapters: BulkViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['id', 'title', 'author'],
          extra: {
            chapters: ManyIdToDataField({
              queryset: chapters,
              serializer: BaseModelSerializer(chapters, { fields: ['title'] }),
              ordering: 'title',
            }),
          },
        }),
        permissionClasses,
      }),
    },
  })
  beforeEach(() =>
    stock(api.database, tables, {
      people: [
        { id: uuid(1), name: 'Ada' },
        { id: uuid(2), name: 'Bob', team: 'blue' },
      ],
      books: [
        { id: uuid(11), title: 'B1', author: uuid(1) },
        { id: uuid(12), title: 'B2', author: uuid(1) },
      ],
      chapters: [
        { id: uuid(21), title: 'C1', book: uuid(11) },
        { id: uuid(22), title: 'C2', book: uuid(12) },
      ],
      tags: [
        { id: uuid(31), label: 'a' },
        { id: uuid(32), label: 'b' },
      ],
      bookTags: [{ id: uuid(51), book: uuid(11), tag: uuid(31), weight: 7 }],
      notes: [{ id: uuid(41), text: 'x' }],
    }),
  )

  const book = (n: number) => ({
    title: `T${n}`,
    author: { name: `author ${n}`, email: `${n}@example.org`, mentor: { name: `mentor ${n}` } },
    editor: n % 2 ? uuid(1) : { name: `editor ${n}` },
    tags: [uuid(32), uuid(31)],
  })
  const many = (first: number, count: number) => Array.from({ length: count }, (_, i) => book(first + i))

  describe('create', () => {
    test('stores new related records and shows them, in the order of the request', async () => {
      const response = await api.post('/books/bulk-create/', [
        { ...book(2), notes: [uuid(41)] },
        { ...book(1), tags: [] },
        { title: 'T3', author: { id: uuid(1) }, editor: null },
      ])
      const labels = [{ label: 'a' }, { label: 'b' }]
      expectSuccess(response, 201, {
        data: [
          { id: ID, title: 'T2', author: ID, editor: { name: 'editor 2' }, tags: labels, notes: [{ text: 'x' }] },
          { id: ID, title: 'T1', author: ID, editor: { name: 'Ada' }, tags: [], notes: [] },
          { id: ID, title: 'T3', author: uuid(1), editor: null, tags: [], notes: [] },
        ],
      })
      const [second] = response.data<{ author: string }[]>()
      const stored = await api.rows('people')
      const author = stored.find(row => row[0] === second?.author)
      expect(author?.[1]).toBe('author 2')
      expect(stored.find(row => row[0] === author?.[4])?.[1]).toBe('mentor 2')
    })

    test('runs as many statements for many items as for few', async () => {
      const statements = (path: string, items: readonly unknown[]) =>
        api.statementsOf(async () => expect((await api.post(path, items)).status).toBe(201))
      const few = await statements('/books/bulk-create/', many(1, 2))
      expect(await statements('/books/bulk-create/', many(3, 100))).toEqual(few)
      const inserts = few.filter(text => text.startsWith('insert'))
      expect(inserts.map(text => /"(\w+)"/.exec(text)?.[1])).toEqual(['people', 'people', 'books', 'book_tags'])
      const quiet = await statements('/quiet/bulk-create/', many(200, 2))
      expect(await statements('/quiet/bulk-create/', many(300, 100))).toEqual(quiet)
      expect(quiet.length).toBeLessThan(few.length)
    })

    test('finds records by text', async () => {
      const response = await api.post('/byName/bulk-create/', [
        { title: 'T1', author: 'Bob', tags: [uuid(31)] },
        { title: 'T2', author: 'Ada' },
      ])
      expectSuccess(response, 201, {
        data: [
          { title: 'T1', author: { name: 'Bob' }, tags: [{ label: 'a' }] },
          { title: 'T2', author: { name: 'Ada' }, tags: [] },
        ],
      })
    })

    test('shows to-many relations where there are no others', async () => {
      const response = await api.post('/tagged/bulk-create/', [
        { title: 'T2', author: uuid(1), tags: [uuid(32)] },
        { title: 'T1', author: uuid(1) },
      ])
      expectSuccess(response, 201, {
        data: [
          { title: 'T2', author: uuid(1), tags: [{ label: 'b' }] },
          { title: 'T1', author: uuid(1), tags: [] },
        ],
      })
    })

    test('tells errors by index and path, and writes nothing', async () => {
      const { author } = book(5)
      const response = await api.post('/books/bulk-create/', [
        book(0),
        { ...book(1), tags: [uuid(31), uuid(99)] },
        { ...book(2), editor: uuid(98) },
        { ...book(3), author: { ...author, name: 5 } },
        { ...book(4), author: { ...book(4).author, mentor: {} } },
        { ...book(5), author: { ...author, email: '0@example.org' } },
        { ...book(6), author: { id: uuid(97) } },
        { ...book(7), notes: [uuid(41)] },
        { ...book(8), notes: [uuid(41)] },
      ])
      expectInvalid(response, {
        '1.tags': [`There is no tag with the id "${uuid(99)}".`],
        '2.editor': [`There is no person with the id "${uuid(98)}".`],
        '3.author.name': ['5 is not a text. Send a text in quotes.'],
        '4.author.mentor.name': ['This field is required.'],
        '5.author.email': ['Another item of this request has the same value.'],
        '6.author.id': [`There is no person with the id "${uuid(97)}".`],
        '8.notes': [`Another item has "${uuid(41)}" as well.`],
      })
      expectInvalid(await api.post('/byName/bulk-create/', [{ title: 'T', author: 'Zoe' }]), {
        '0.author': ['There is no person with the name "Zoe".'],
      })
      expect(await api.rows('books')).toHaveLength(2)
      expect(await api.rows('people')).toHaveLength(2)
    })

    test('a hook may change what is to be stored, and no signals are sent', async () => {
      const heard: unknown[] = []
      const stop = postSave(people, ({ record }) => void heard.push(record))
      try {
        expect((await api.post('/signed/bulk-create/', [book(1)])).status).toBe(201)
      } finally {
        stop()
      }
      expect(heard).toEqual([])
      expect((await api.rows('people')).find(row => row[1] === 'author 1')?.[3]).toBe('blue')
    })
  })

  describe('update', () => {
    test('writes drafts and sets of each item, and leaves alone what is not sent', async () => {
      const response = await api.patch('/books/bulk-update/', [
        { id: uuid(12), tags: [uuid(31)], editor: { name: 'Eve' }, notes: [uuid(41)] },
        { id: uuid(11), tags: [uuid(32), uuid(31)] },
      ])
      expectSuccess(response, 200, {
        data: [
          {
            id: uuid(12),
            title: 'B2',
            author: uuid(1),
            editor: { name: 'Eve' },
            tags: [{ label: 'a' }],
            notes: [{ text: 'x' }],
          },
          {
            id: uuid(11),
            title: 'B1',
            author: uuid(1),
            editor: null,
            tags: [{ label: 'a' }, { label: 'b' }],
            notes: [],
          },
        ],
      })
      // A link that stays keeps its row.
      expect((await api.rows('book_tags')).map(row => Number(row[3])).toSorted()).toEqual([1, 1, 7])
    })

    test('runs as many statements for many items as for few', async () => {
      const created = await api.post('/books/bulk-create/', many(1, 102))
      const ids = created.data<{ id: string }[]>().map(({ id }) => id)
      const statements = (path: string, some: readonly string[]) =>
        api.statementsOf(async () => {
          const items = some.map(id => ({ id, tags: [uuid(31)], editor: { name: 'new' } }))
          expect((await api.patch(path, items)).status).toBe(200)
        })
      const few = await statements('/books/bulk-update/', ids.slice(0, 2))
      expect(await statements('/books/bulk-update/', ids.slice(2))).toEqual(few)
    })

    test('in save mode writes the same', async () => {
      const items = [
        { id: uuid(12), tags: [uuid(31)], editor: { name: 'Eve' } },
        { id: uuid(11), tags: [] },
      ]
      const response = await api.patch('/saved/bulk-update/', items)
      expect(response.status).toBe(200)
      expect(
        response.data<{ editor: unknown; tags: unknown }[]>().map(({ editor, tags }) => ({ editor, tags })),
      ).toEqual([
        { editor: { name: 'Eve' }, tags: [{ label: 'a' }] },
        { editor: null, tags: [] },
      ])
    })

    test('moves records between items, and refuses to take away what needs an owner', async () => {
      const swapped = await api.patch('/withChapters/bulk-update/', [
        { id: uuid(11), chapters: [uuid(22)] },
        { id: uuid(12), chapters: [uuid(21)] },
      ])
      expectSuccess(swapped, 200, {
        data: [
          { id: uuid(11), title: 'B1', author: uuid(1), chapters: [{ title: 'C2' }] },
          { id: uuid(12), title: 'B2', author: uuid(1), chapters: [{ title: 'C1' }] },
        ],
      })
      const response = await api.patch('/withChapters/bulk-update/', [
        { id: uuid(12), title: 'kept' },
        { id: uuid(11), chapters: [] },
      ])
      expectInvalid(response, {
        '1.chapters': [`"${uuid(22)}" cannot be taken away: each must always belong to a record.`],
      })
      expect((await api.rows('books')).map(row => row[1])).not.toContain('kept')
    })

    test('tells errors by index and path', async () => {
      const response = await api.patch('/books/bulk-update/', [
        { id: uuid(11), tags: null },
        { id: uuid(99), tags: [] },
        { id: uuid(12), author: { email: 'a@example.org' } },
      ])
      expectInvalid(response, {
        '0.tags': ['This field needs a value: null is not allowed.'],
        '1.id': [`There is no book with the id "${uuid(99)}".`],
        '2.author.name': ['This field is required.'],
      })
    })
  })

  test('scopes bound what bulk writes take and show', async () => {
    const refused = await api.post('/red/bulk-create/', [
      { title: 'T1', author: uuid(1) },
      { title: 'T2', author: uuid(2) },
    ])
    expectInvalid(refused, { '1.author': [`There is no person with the id "${uuid(2)}".`] })
    await api.patch('/tagged/bulk-update/', [{ id: uuid(11), author: uuid(2) }])
    const updated = await api.patch('/red/bulk-update/', [{ id: uuid(11) }])
    expectSuccess(updated, 200, { data: [{ title: 'B1', author: null }] })
    const created = await api.post('/red/bulk-create/', [{ title: 'T1', author: uuid(1) }])
    expectSuccess(created, 201, { data: [{ title: 'T1', author: { name: 'Ada' } }] })
  })

  describe('upsert', () => {
    test('matches records by relations that are named by text', async () => {
      const response = await api.post('/named/bulk-upsert/', [
        { title: 'B1', author: 'Ada', tags: [uuid(32)] },
        { title: 'B1', author: 'Bob', tags: [uuid(31)] },
      ])
      expectSuccess(response, 200, { data: { created: 1, updated: 1 } })
      expect(await api.rows('books')).toHaveLength(3)
      expect(await api.rows('book_tags')).toHaveLength(2)
      expectInvalid(await api.post('/named/bulk-upsert/', [{ title: 'B1', author: 'Zoe' }]), {
        '0.author': ['There is no person with the name "Zoe".'],
      })
    })

    test('creates what refers to a new record', async () => {
      const response = await api.post('/described/bulk-upsert/', [
        { title: 'B1', author: { id: uuid(1) } },
        { title: 'B1', author: { name: 'Cid' } },
      ])
      expectSuccess(response, 200, { data: { created: 1, updated: 1 } })
      expect((await api.rows('people')).map(row => row[1])).toContain('Cid')
    })
  })
})
