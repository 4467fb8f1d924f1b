import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  DataToDataField,
  DataToIdField,
  FlexibleField,
  IdToDataField,
  NestedDraft,
  postSave,
  preSave,
  StrOnlyField,
  StrToDataField,
} from 'viewset'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectInvalid, expectSuccess, ID, uuid } from '../support/expect.ts'
import { library, stock } from '../support/library.ts'
import { notAUuid } from '../support/texts.ts'

describeDialects('nested writes', dialect => {
  const tables = library(dialect.kit)
  const { people, books, chapters } = tables
  const permissionClasses = [AllowAny]
  const PersonReference = BaseModelSerializer(people, { fields: ['id', 'name'] })
  const PersonSerializer = BaseModelSerializer(people, {
    fields: ['id', 'name', 'email'],
    refine: { name: z.string().min(2) },
    extra: { mentor: FlexibleField({ queryset: people, serializer: PersonReference }) },
    validate: ({ name, email }) =>
      email && name && !email.startsWith(name) ? { email: 'Is not of that name.' } : undefined,
  })
  const BookSerializer = BaseModelSerializer(books, {
    fields: ['id', 'title', 'author', 'editor'],
    extra: {
      author: DataToDataField({ queryset: people, serializer: PersonSerializer }),
      editor: FlexibleField({ queryset: people, serializer: PersonSerializer }),
    },
  })
  const api = useApi(dialect, {
    tables,
    resources: {
      books: BaseViewSet({ model: books, serializer: BookSerializer, permissionClasses }),
      toId: BaseViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['title', 'author'],
          extra: { author: DataToIdField({ queryset: people, serializer: PersonSerializer }) },
        }),
        permissionClasses,
      }),
      byText: BaseViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['title', 'author', 'editor'],
          extra: {
            author: StrToDataField({ queryset: people, str: 'name', serializer: PersonReference }),
            editor: StrOnlyField({ queryset: people, str: 'email' }),
          },
        }),
        permissionClasses,
      }),
      chapters: BaseViewSet({
        model: chapters,
        serializer: BaseModelSerializer(chapters, {
          fields: ['title'],
          extra: { book: DataToDataField({ queryset: books, serializer: BookSerializer }) },
        }),
        permissionClasses,
      }),
      hooked: class extends BaseViewSet({ model: books, serializer: BookSerializer, permissionClasses }) {
        override async performCreate(values: Parameters<InstanceType<typeof Books>['performCreate']>[0]) {
          const { author } = values
          if (author instanceof NestedDraft) author.values.name = 'Hook'
          return super.performCreate(values)
        }
      },
    },
  })
  const Books = BaseViewSet({ model: books, serializer: BookSerializer, permissionClasses })
  const ada = { id: uuid(1), name: 'Ada', email: null, mentor: null }
  const names = async () => (await api.rows('people')).map(row => row[1]).toSorted()
  beforeEach(() => stock(api.database, tables, { people: [{ id: uuid(1), name: 'Ada' }] }))
  const stops: (() => void)[] = []
  afterEach(() => {
    for (const stop of stops.splice(0)) stop()
  })

  test('an object becomes a record, before the one that refers to it', async () => {
    const author = { name: 'Bob', email: 'Bob@example.org' }
    expectSuccess(await api.post('/books/', { title: 'A', author, editor: { name: 'Cid' } }), 201, {
      data: {
        id: ID,
        title: 'A',
        author: { id: ID, ...author, mentor: null },
        editor: { id: ID, name: 'Cid', email: null, mentor: null },
      },
    })
    expect(await names()).toEqual(['Ada', 'Bob', 'Cid'])
    const created = (await api.post('/toId/', { title: 'B', author: { name: 'Dan' } })).data()
    expect(created).toEqual({ title: 'B', author: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  })

  test('a text names a record in the case that it is stored in', async () => {
    await stock(api.database, tables, { people: [{ id: uuid(2), name: 'Bob', email: 'bob@example.org' }] })
    const book = { title: 'A', author: 'Ada', editor: 'bob@example.org' }
    expect((await api.post('/byText/', book)).status).toBe(201)
    for (const [field, named, value] of [
      ['author', 'name', 'ADA'],
      ['editor', 'email', 'BOB@example.org'],
    ] as const) {
      const response = await api.post('/byText/', { ...book, title: 'B', [field]: value })
      expectInvalid(response, { [field]: [`There is no person with the ${named} "${value}".`] })
    }
  })

  test('an object with an identifier is the record that exists, which stays as it is', async () => {
    const response = await api.post('/books/', { title: 'A', author: { id: uuid(1), name: 'Other' }, editor: uuid(1) })
    expectSuccess(response, 201, { data: { id: ID, title: 'A', author: ada, editor: ada } })
    expect(await names()).toEqual(['Ada'])
  })

  test('an identifier of null is none', async () => {
    expect((await api.post('/books/', { title: 'A', author: { id: null, name: 'Bob' } })).status).toBe(201)
    expect(await names()).toEqual(['Ada', 'Bob'])
  })

  test('to any depth', async () => {
    const book = {
      title: 'A',
      author: { name: 'Bob', mentor: { name: 'Cid' } },
      editor: { name: 'Dan', mentor: uuid(1) },
    }
    expectSuccess(await api.post('/chapters/', { title: 'one', book }), 201, {
      data: {
        title: 'one',
        book: {
          id: ID,
          title: 'A',
          author: { id: ID, name: 'Bob', email: null, mentor: { id: ID, name: 'Cid' } },
          editor: { id: ID, name: 'Dan', email: null, mentor: { id: uuid(1), name: 'Ada' } },
        },
      },
    })
  })

  test('an update creates, refers and takes away', async () => {
    await stock(api.database, tables, { books: [{ id: uuid(11), title: 'A', author: uuid(1) }] })
    const path = `/books/${uuid(11)}/`
    const cid = { id: ID, name: 'Cid', email: null, mentor: null }
    const data = { id: uuid(11), title: 'A', author: ada }
    expectSuccess(await api.patch(path, { editor: { name: 'Cid' } }), 200, { data: { ...data, editor: cid } })
    expectSuccess(await api.patch(path, { editor: uuid(1) }), 200, { data: { ...data, editor: ada } })
    expectSuccess(await api.patch(path, { editor: null }), 200, { data: { ...data, editor: null } })
    // What is shown can be sent back.
    const shown = (await api.get(path)).data()
    expectSuccess(await api.put(path, shown), 200, { data: shown })
    expect(await names()).toEqual(['Ada', 'Cid'])
  })

  test('a hook sees the draft and may change it', async () => {
    const response = await api.post('/hooked/', { title: 'A', author: { name: 'Bob' } })
    expect(response.data().author).toMatchObject({ name: 'Hook' })
  })

  test('signals are sent for each record, dependency first', async () => {
    const sent: string[] = []
    stops.push(
      preSave(people, ({ values }) => sent.push(`person ${values.name}`)),
      postSave(people, ({ record }) => sent.push(`stored ${record.name}`)),
      preSave(books, ({ values }) => sent.push(`book by ${typeof values.author}`)),
    )
    await api.post('/books/', { title: 'A', author: { name: 'Bob', mentor: { name: 'Cid' } } })
    expect(sent).toEqual(['person Cid', 'stored Cid', 'person Bob', 'stored Bob', 'book by string'])
  })

  test('is undone with the write that it belongs to', async () => {
    stops.push(
      preSave(books, () => {
        throw new Error('no')
      }),
    )
    expect((await api.post('/books/', { title: 'A', author: { name: 'Bob' } })).status).toBe(500)
    expect(await names()).toEqual(['Ada'])
  })

  describe('refuses', () => {
    test('what the nested serializer refuses, by dotted paths, and writes nothing', async () => {
      const response = await api.post('/books/', {
        title: 'x'.repeat(51),
        author: { name: 'B', mentor: { name: 5 } },
        editor: { name: 'Bob', email: 'ada@example.org' },
      })
      expectInvalid(response, {
        title: ['Ensure this field has no more than 50 characters.'],
        'author.name': ['Ensure this field has at least 2 characters.'],
        'author.mentor.name': ['5 is not a text. Send a text in quotes.'],
        'editor.email': ['Is not of that name.'],
      })
      expect(await api.statementsOf(() => api.post('/books/', { title: 'A', author: {} }))).toEqual([])
      expect(await names()).toEqual(['Ada'])
    })

    test('a value that is taken behind the validation, by its path', async () => {
      await stock(api.database, tables, { people: [{ id: uuid(2), name: 'Eve', email: 'Eve1' }] })
      stops.push(
        preSave(people, ({ values }) => {
          values.email = 'Eve1'
        }),
      )
      expectError(
        await api.post('/books/', { title: 'A', author: { name: 'Bob' } }),
        409,
        'Another record already has this value.',
        { 'author.email': ['Another record already has this value.'] },
      )
      expect(await names()).toEqual(['Ada', 'Eve'])
    })

    test('two new records that claim one unique value, and one that is taken', async () => {
      await stock(api.database, tables, { people: [{ id: uuid(2), name: 'Eve', email: 'Eve1' }] })
      const twin = { name: 'Bob', email: 'Bob1' }
      expectInvalid(await api.post('/books/', { title: 'A', author: twin, editor: twin }), {
        'editor.email': ['Another item of this request has the same value.'],
      })
      expectInvalid(await api.post('/books/', { title: 'A', author: { name: 'Eve', email: 'Eve1' } }), {
        'author.email': ['Another record already has this value.'],
      })
      expectInvalid(await api.post('/books/', { title: 'A', author: { name: 'Bob', mentor: uuid(99) } }), {
        'author.mentor': [`There is no person with the id "${uuid(99)}".`],
      })
    })

    test.each([
      ['text', 'abc', { author: ['Send a JSON object.'] }],
      ['an identifier where an object is asked for', uuid(1), { author: ['Send a JSON object.'] }],
      ['a list', [], { author: ['Send a JSON object.'] }],
      ['null', null, { author: ['This field needs a value: null is not allowed.'] }],
      ['nothing', undefined, { author: ['This field is required.'] }],
      ['an empty object', {}, { 'author.name': ['This field is required.'] }],
      ['a malformed identifier', { id: 'abc' }, { 'author.id': [notAUuid('abc')] }],
      [
        'an identifier of nobody',
        { id: uuid(99), name: 'Bob' },
        { 'author.id': [`There is no person with the id "${uuid(99)}".`] },
      ],
      [
        'a name that is inherited',
        JSON.parse('{"__proto__": {"name": "Bob"}}'),
        { 'author.name': ['This field is required.'] },
      ],
    ])('%s', async (_, author, errors) => {
      const response = await api.post('/books/', { title: 'A', author })
      if (response.text.includes('__proto__')) expect(response.status).toBe(400)
      else expectInvalid(response, errors)
      expect(await names()).toEqual(['Ada'])
    })

    test.each([
      ['an identifier of nobody', uuid(99), [`There is no person with the id "${uuid(99)}".`]],
      ['a malformed one', 'abc', [notAUuid('abc')]],
      ['a list', [uuid(1)], [notAUuid([uuid(1)])]],
    ])('%s in a flexible field', async (_, editor, messages) => {
      expectInvalid(await api.post('/books/', { title: 'A', author: { id: uuid(1) }, editor }), { editor: messages })
    })
  })

  test('a write without nested records has the statements that it always had', async () => {
    const count = async (body: object) => (await api.statementsOf(() => api.post('/books/', body))).length
    // Whether the author exists, that author and title are free, the insert, and the answer with its joins.
    expect(await count({ title: 'A', author: { id: uuid(1) } })).toBe(4)
    // That the identifier of neither is taken: none is sent. Two inserts, and the answer.
    expect(await count({ title: 'B', author: { name: 'Bob' } })).toBe(3)
  })

  describe('text that stands for a record', () => {
    beforeEach(() =>
      stock(api.database, tables, {
        people: [
          { id: uuid(2), name: 'Bob', email: 'bob@example.org' },
          { id: uuid(3), name: 'Twin' },
          { id: uuid(4), name: 'Twin' },
        ],
      }),
    )

    test('names it in writing', async () => {
      expectSuccess(await api.post('/byText/', { title: 'A', author: 'Ada', editor: 'bob@example.org' }), 201, {
        data: { title: 'A', author: { id: uuid(1), name: 'Ada' }, editor: 'bob@example.org' },
      })
      expectSuccess(await api.post('/byText/', { title: 'B', author: 'Bob', editor: null }), 201, {
        data: { title: 'B', author: { id: uuid(2), name: 'Bob' }, editor: null },
      })
    })

    test.each([
      ['of nobody', 'ada', ['There is no person with the name "ada".']],
      ['of several', 'Twin', ['Several people have the name "Twin". Use a value that only one has.']],
      ['too long', 'x'.repeat(21), ['Ensure this field has no more than 20 characters.']],
      ['that is none', 5, ['5 is not a text. Send a text in quotes.']],
      ['that is null', null, ['This field needs a value: null is not allowed.']],
    ])('refuses text %s', async (_, author, messages) => {
      expectInvalid(await api.post('/byText/', { title: 'A', author }), { author: messages })
    })
  })
})

describeDialects('an identifier beside an object', dialect => {
  const tables = library(dialect.kit)
  const { people, books } = tables
  const PersonReference = BaseModelSerializer(people, { fields: ['id', 'name'] })
  const api = useApi(dialect, {
    tables,
    resources: {
      books: BaseViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['title', 'author', 'editor'],
          extra: {
            author: IdToDataField({ queryset: people, serializer: PersonReference }),
            editor: FlexibleField({ queryset: people, serializer: PersonReference }),
          },
        }),
        permissionClasses: [AllowAny],
      }),
    },
  })

  test('errors of both come together', async () => {
    expectInvalid(await api.post('/books/', { title: 'A', author: uuid(9), editor: { id: uuid(8) } }), {
      author: [`There is no person with the id "${uuid(9)}".`],
      'editor.id': [`There is no person with the id "${uuid(8)}".`],
    })
  })
})
