import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  compose,
  FlexibleField,
  ManyIdToDataField,
  postSave,
  RetrieveModelMixin,
  scoped,
  UpdateModelMixin,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectInvalid, expectSuccess, uuid } from '../support/expect.ts'
import { library, stock } from '../support/library.ts'
import { notAKey } from '../support/texts.ts'

/** Nothing can be created with the few fields that a test shows. */
const ChangingViewSet = compose(RetrieveModelMixin, UpdateModelMixin)

describeDialects('writing relations to many records', dialect => {
  const tables = library(dialect.kit)
  const { books, chapters, notes, tags, bookTags } = tables
  const permissionClasses = [AllowAny]
  const TagReference = BaseModelSerializer(tags, { fields: ['label'] })
  const tagsField = ManyIdToDataField({
    queryset: tags,
    serializer: TagReference,
    through: bookTags,
    ordering: 'label',
  })
  const BookSerializer = BaseModelSerializer(books, {
    fields: ['title', 'author'],
    extra: {
      tags: tagsField,
      notes: ManyIdToDataField({
        queryset: notes,
        serializer: BaseModelSerializer(notes, { fields: ['text'] }),
        ordering: 'text',
      }),
    },
  })
  const api = useApi(dialect, {
    tables,
    users: { ann: { id: uuid(901) } },
    resources: {
      books: BaseViewSet({ model: books, serializer: BookSerializer, permissionClasses }),
      chapters: BaseViewSet({
        model: chapters,
        serializer: BaseModelSerializer(chapters, {
          fields: ['title'],
          extra: { book: FlexibleField({ queryset: books, serializer: BookSerializer }) },
        }),
        permissionClasses,
      }),
      withChapters: ChangingViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['title'],
          extra: {
            chapters: ManyIdToDataField({
              queryset: chapters,
              serializer: BaseModelSerializer(chapters, { fields: ['title'] }),
            }),
          },
        }),
        permissionClasses,
      }),
      readOnly: ChangingViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['title'],
          extra: {
            tags: ManyIdToDataField({ queryset: tags, serializer: TagReference, through: bookTags, readOnly: true }),
          },
        }),
        permissionClasses,
      }),
      scoped: ChangingViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['title'],
          extra: {
            tags: ManyIdToDataField({
              queryset: scoped(tags, () => eq(tags.team, 'red')),
              serializer: TagReference,
              through: bookTags,
              ordering: 'label',
            }),
          },
        }),
        permissionClasses,
      }),
    },
  })
  const path = `/books/${uuid(11)}/`
  const links = async () => (await api.rows('book_tags')).map(row => [row[1], row[2]]).toSorted()
  beforeEach(() =>
    stock(api.database, tables, {
      people: [{ id: uuid(1), name: 'Ada' }],
      books: [
        { id: uuid(11), title: 'A', author: uuid(1) },
        { id: uuid(12), title: 'B', author: uuid(1) },
      ],
      chapters: [
        { id: uuid(21), title: 'one', book: uuid(11) },
        { id: uuid(22), title: 'two', book: uuid(12) },
      ],
      notes: [
        { id: uuid(41), text: 'x', book: uuid(11) },
        { id: uuid(42), text: 'y', book: uuid(12) },
        { id: uuid(43), text: 'z' },
      ],
      tags: [
        { id: uuid(31), label: 'a', team: 'red' },
        { id: uuid(32), label: 'b', team: 'red' },
        { id: uuid(33), label: 'c', team: 'blue' },
      ],
      bookTags: [
        { id: uuid(51), book: uuid(11), tag: uuid(31), weight: 7 },
        { id: uuid(52), book: uuid(12), tag: uuid(31) },
        { id: uuid(53), book: uuid(11), tag: uuid(33) },
      ],
    }),
  )

  test('a create takes a list of identifiers; one that comes twice counts once', async () => {
    const body = { title: 'C', author: uuid(1), tags: [uuid(32), uuid(31), uuid(32).toUpperCase()], notes: [uuid(43)] }
    expectSuccess(await api.post('/books/', body), 201, {
      data: { title: 'C', author: uuid(1), tags: [{ label: 'a' }, { label: 'b' }], notes: [{ text: 'z' }] },
    })
    expectSuccess(await api.post('/books/', { title: 'D', author: uuid(1) }), 201, {
      data: { title: 'D', author: uuid(1), tags: [], notes: [] },
    })
  })

  test('an update replaces the set, and leaves rows of the join table that stay as they are', async () => {
    expectSuccess(await api.patch(path, { tags: [uuid(32), uuid(31)] }), 200, {
      data: { title: 'A', author: uuid(1), tags: [{ label: 'a' }, { label: 'b' }], notes: [{ text: 'x' }] },
    })
    expect(await links()).toEqual([
      [uuid(11), uuid(31)],
      [uuid(11), uuid(32)],
      [uuid(12), uuid(31)],
    ])
    expect(await api.rows('book_tags')).toContainEqual([uuid(51), uuid(11), uuid(31), dialect.name === 'pg' ? '7' : 7n])
    expect((await api.patch(path, { tags: [] })).data().tags).toEqual([])
    expect(await links()).toEqual([[uuid(12), uuid(31)]])
  })

  test('what is not sent stays, on PUT as well', async () => {
    expectSuccess(await api.put(path, { title: 'A2', author: uuid(1) }), 200, {
      data: { title: 'A2', author: uuid(1), tags: [{ label: 'a' }, { label: 'c' }], notes: [{ text: 'x' }] },
    })
  })

  test('a foreign key is moved to the new owner and taken from those that are left out', async () => {
    expect((await api.patch(path, { notes: [uuid(42), uuid(43)] }, { as: 'ann' })).data().notes).toEqual([
      { text: 'y' },
      { text: 'z' },
    ])
    expect((await api.get(`/books/${uuid(12)}/`)).data().notes).toEqual([])
    const rows = await api.rows('notes')
    expect(rows.map(row => row.at(-1)).toSorted()).toEqual([uuid(11), uuid(11), null].toSorted())
    // The audit fields of all three are filled.
    expect(rows.filter(row => row.includes(uuid(901)))).toHaveLength(3)
  })

  test('the number of statements does not grow with the set', async () => {
    const count = async (body: object) => (await api.statementsOf(() => api.patch(path, body))).length
    const base = await count({})
    // Whether all exist, the links that there are, those that go and those that come.
    expect(await count({ tags: [uuid(32)] })).toBe(base + 4)
    expect(await count({ tags: [uuid(31), uuid(32), uuid(33)] })).toBe(base + 3)
    // One update for those that come and those that go, and one question whether the owner that loses one may be changed.
    expect(await count({ notes: [uuid(42), uuid(43)] })).toBe(base + 4)
    expect(await count({ notes: [uuid(42), uuid(43)] })).toBe(base + 2)
  })

  test('belongs to the records of nested writes', async () => {
    const book = { title: 'N', author: uuid(1), tags: [uuid(32)] }
    expectSuccess(await api.post('/chapters/', { title: 'one', book }), 201, {
      data: { title: 'one', book: { title: 'N', author: uuid(1), tags: [{ label: 'b' }], notes: [] } },
    })
    expectInvalid(await api.post('/chapters/', { title: 'one', book: { ...book, title: 'M', tags: [uuid(98)] } }), {
      'book.tags': [`There is no tag with the id "${uuid(98)}".`],
    })
  })

  test('what cannot be without an owner is not taken away', async () => {
    const chapter = `/withChapters/${uuid(11)}/`
    expectInvalid(await api.patch(chapter, { chapters: [uuid(22)] }), {
      chapters: [`"${uuid(21)}" cannot be taken away: each must always belong to a record.`],
    })
    expectSuccess(await api.patch(chapter, { chapters: [uuid(21), uuid(22)] }), 200, {
      data: { title: 'A', chapters: [{ title: 'one' }, { title: 'two' }] },
    })
  })

  test('a read-only relation is ignored', async () => {
    expect((await api.patch(`/readOnly/${uuid(11)}/`, { tags: [uuid(99)] })).status).toBe(200)
    expect(await links()).toHaveLength(3)
  })

  test('a scope bounds what can be linked and unlinked, not what is shown', async () => {
    const place = `/scoped/${uuid(11)}/`
    expectInvalid(await api.patch(place, { tags: [uuid(33), uuid(99)] }), {
      tags: [`There are no tags with the id "${uuid(33)}", "${uuid(99)}".`],
    })
    expectSuccess(await api.patch(place, { tags: [uuid(32)] }), 200, {
      data: { title: 'A', tags: [{ label: 'b' }, { label: 'c' }] },
    })
  })

  describe('refuses', () => {
    test.each([
      ['null', null, { tags: ['This field needs a value: null is not allowed.'] }],
      ['an identifier', uuid(31), { tags: ['Send a list of identifiers.'] }],
      ['an object', { 0: uuid(31) }, { tags: ['Send a list of identifiers.'] }],
      [
        'what is no identifier',
        [uuid(31), 'x', 5, null],
        {
          'tags.1': [notAKey('x')],
          'tags.2': [notAKey(5)],
          'tags.3': ['This field needs a value: null is not allowed.'],
        },
      ],
      [
        'records that do not exist, in one message',
        [uuid(98), uuid(31), uuid(99)],
        {
          tags: [`There are no tags with the id "${uuid(98)}", "${uuid(99)}".`],
        },
      ],
    ])('%s', async (_, sent, errors) => {
      expectInvalid(await api.patch(path, { tags: sent }), errors)
      expect(await links()).toHaveLength(3)
    })
  })

  test('is undone with the write that it belongs to', async () => {
    const stop = postSave(books, () => {
      throw new Error('no')
    })
    try {
      expect((await api.patch(path, { tags: [] })).status).toBe(500)
      expect((await api.post('/books/', { title: 'C', author: uuid(1), notes: [uuid(43)] })).status).toBe(500)
    } finally {
      stop()
    }
    expect(await links()).toHaveLength(3)
    expect(await api.rows('books')).toHaveLength(2)
  })
})
