import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  ConfigError,
  createRecord,
  DataToDataField,
  findRecords,
  insertMany,
  ManyIdToDataField,
  PermissionDenied,
  type PostWriteOptions,
  postWrite,
  type WriteEvent,
} from 'viewset'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, uuid } from '../support/expect.ts'
import { library } from '../support/library.ts'
import { type Models, models } from '../support/models.ts'
import { authorResources, seedAuthors, storedAuthors, WRITES } from '../support/write-paths.ts'

type Author = Models['authors']
type Told = readonly [kind: string, before: readonly string[] | undefined, after: readonly string[]]

const nameOf = ({ name, isActive }: { name: string; isActive: boolean }) => (isActive ? name : `(${name})`)
const told = ({ kind, before, after }: WriteEvent<Author>): Told => [kind, before?.map(nameOf), after.map(nameOf)]

/** What each way to write is heard as, by who has asked for the rows as they were. */
const EVENTS: Readonly<Record<string, readonly Told[]>> = {
  'a create': [['insert', [], ['New']]],
  'a PUT': [['update', ['Ada'], ['New']]],
  'a PATCH': [['update', ['Ada'], ['New']]],
  'a DELETE': [['delete', ['Ada'], []]],
  'a bulk create': [['insert', [], ['New', 'Newer']]],
  'a bulk update': [['update', ['Ada'], ['New']]],
  'a bulk update that saves': [['update', ['Ada'], ['New']]],
  'a bulk upsert': [['update', ['Ada'], ['New']]],
  'a bulk delete': [['delete', ['Ada', 'Bob'], []]],
  'a bulk soft delete': [['update', ['Ada', 'Bob'], ['(Ada)', '(Bob)']]],
  'a restore': [['update', ['(Cy)'], ['Cy']]],
  'a bulk restore': [['update', ['(Cy)'], ['Cy']]],
  'an import': [
    ['insert', [], ['Newer']],
    ['update', ['Ada'], ['New']],
  ],
  'an import in chunks': [
    ['update', ['Ada'], ['New']],
    ['insert', [], ['Newer']],
  ],
  'a replace': [
    ['delete', ['(Cy)', 'Ada', 'Bob'], []],
    ['insert', [], ['New', 'Newer']],
  ],
}

describeDialects('postWrite', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const api = useApi(dialect, {
    tables,
    resources: authorResources(tables),
    openapi: { errors: { 403: 'A handler refuses the write.' } },
  })
  beforeEach(() => seedAuthors(api, tables))

  const disconnects: (() => void)[] = []
  afterEach(() => {
    for (const disconnect of disconnects.splice(0)) disconnect()
  })
  const listen = (options?: PostWriteOptions): Told[] => {
    const heard: Told[] = []
    disconnects.push(postWrite(authors, event => heard.push(told(event)), options))
    return heard
  }

  test.each(WRITES)(
    '%s is heard once for each statement, with the rows before and after',
    async (label, status, write) => {
      const heard = listen({ before: true })
      const withoutBefore = listen()
      expect((await write(api)).status).toBe(status)
      // The order in which a database deletes all rows of a set is its own.
      const sorted = ([kind, before, after]: Told): Told => [
        kind,
        kind === 'delete' ? before?.toSorted() : before,
        after,
      ]
      const events = EVENTS[label] as readonly Told[]
      expect(heard.map(sorted)).toEqual(events.map(sorted))
      expect(withoutBefore.map(sorted)).toEqual(
        events.map(([kind, before, after]) => sorted([kind, kind === 'update' ? undefined : before, after])),
      )
    },
  )

  test.each(WRITES)('%s sends the same statements once nobody listens any more', async (_, status, write) => {
    const plain = await api.statementsOf(async () => expect((await write(api)).status).toBe(status))
    await api.clear()
    await seedAuthors(api, tables)
    listen({ before: true })
    for (const disconnect of disconnects.splice(0)) disconnect()
    const again = await api.statementsOf(async () => expect((await write(api)).status).toBe(status))
    expect(again.map(masked)).toEqual(plain.map(masked))
  })

  test('rows come in the order of the request, however the database returns them', async () => {
    const heard = listen({ before: true })
    await api.patch('/authors/bulk-update/', [
      { id: uuid(2), name: 'Second' },
      { id: uuid(1), name: 'First' },
    ])
    expect(heard).toEqual([['update', ['Bob', 'Ada'], ['Second', 'First']]])
  })

  test.each([
    [
      'authors',
      [
        ['ada', 'bob'],
        ['bob', 'ada'],
      ],
    ],
    ['saved', [['ada'], ['bob'], ['bob'], ['ada']]],
  ])('values that change hands are heard as they were and as they are: %s', async (resource, expected) => {
    const heard: unknown[] = []
    const namesIn = (rows: readonly { email: string | null }[]) => rows.map(({ email }) => email?.split('@')[0])
    const hear = ({ before = [], after }: WriteEvent<Author>) => heard.push(namesIn(before), namesIn(after))
    disconnects.push(postWrite(authors, hear, { before: true }))
    const items = [
      { id: uuid(1), email: 'bob@example.org' },
      { id: uuid(2), email: 'ada@example.org' },
    ]
    expect((await api.patch(`/${resource}/bulk-update/`, items)).status).toBe(200)
    expect(heard).toEqual(expected)
  })

  test('a write that changes nothing is not heard', async () => {
    const heard = listen()
    await api.database.transaction(async () => {
      expect(await insertMany(authors, [])).toBe(0)
    })
    expect((await api.delete(`/authors/${uuid(9)}/`)).status).toBe(404)
    expect(heard).toEqual([])
  })

  describe('a handler', () => {
    test.each(WRITES)('that throws undoes %s', async (label, _, write) => {
      const stored = await storedAuthors(api)
      disconnects.push(
        postWrite(authors, () => {
          throw new PermissionDenied('Not today.')
        }),
      )
      const response = await write(api)
      if (label.includes('import')) expect(response.status).toBe(207)
      else expectError(response, 403, 'Not today.')
      expect(await storedAuthors(api)).toEqual(stored)
    })

    test('writes in the same transaction, and is heard itself', async () => {
      const heard = listen()
      disconnects.push(
        postWrite(authors, async ({ after: [author] }) => {
          if (author?.name === 'New') await createRecord(authors, { name: 'Shadow' })
        }),
      )
      await api.post('/authors/', { name: 'New' })
      expect(heard.map(([, , after]) => after)).toEqual([['New'], ['Shadow']])
    })

    test('must be a function, and its options known', () => {
      expect(() => postWrite(authors, 'log' as unknown as () => void)).toThrow(ConfigError)
      expect(() => postWrite(authors, () => {}, { befor: true } as PostWriteOptions)).toThrow(/before/)
    })
  })
})

/** Savepoints are numbered through. */
function masked(text: string): string {
  return text.replace(/viewset_\d+/, 'viewset_n')
}

describeDialects('postWrite of related records', dialect => {
  const tables = library(dialect.kit)
  const { people, books, tags, bookTags } = tables
  const Person = BaseModelSerializer(people, { fields: ['name'] })
  const Tag = BaseModelSerializer(tags, { fields: ['id', 'label'] })
  const Book = BaseModelSerializer(books, {
    fields: ['id', 'title', 'author'],
    extra: {
      author: DataToDataField({ queryset: people, serializer: Person }),
      tags: ManyIdToDataField({ queryset: tags, serializer: Tag, through: bookTags }),
    },
  })
  const api = useApi(dialect, {
    tables,
    resources: { books: BaseViewSet({ model: books, serializer: Book, permissionClasses: [AllowAny] }) },
  })

  test('hears of drafts and of links, each with its own model', async () => {
    const heard: unknown[] = []
    const disconnects = [people, books, bookTags].map(table =>
      postWrite(table, ({ kind, model, before, after }) =>
        heard.push([model === table, kind, before?.length, after.length]),
      ),
    )
    await api.database.transaction(() => insertMany(tags, [{ label: 'a' }, { label: 'b' }]))
    const keys = await api.database.use(async () => (await findRecords(tags)).map(({ id }) => id))
    const created = await api.post('/books/', { title: 'One', author: { name: 'Ada' }, tags: keys })
    await api.patch(`/books/${created.data<{ id: string }>().id}/`, { tags: [] })
    for (const disconnect of disconnects) disconnect()
    expect(heard).toEqual([
      [true, 'insert', 0, 1],
      [true, 'insert', 0, 1],
      [true, 'insert', 0, 2],
      [true, 'update', undefined, 1],
      [true, 'delete', 2, 0],
    ])
  })
})
