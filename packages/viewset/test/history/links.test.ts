import {
  AllowAny,
  BaseModelSerializer,
  BulkViewSet,
  HistoryModelMixin,
  insertMany,
  ManyIdOnlyField,
  type ModelRecord,
  type SerializerInput,
  transaction,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'

describeDialects('the links in the history of a record', dialect => {
  const c = dialect.kit
  const tags = c.table('tags', { id: c.integer().primaryKey(), label: c.text(20).notNull() })
  const books = c.table('books', {
    id: c.integer().primaryKey(),
    title: c.text(20).notNull(),
    owner: c.text(20).notNull().default(''),
  })
  const bookTags = c.table('book_tags', {
    id: c.integer().primaryKey(),
    book: c.foreignKey(books, { onDelete: 'cascade' }).notNull(),
    tag: c.foreignKey(tags).notNull(),
  })
  const serializer = BaseModelSerializer(books, {
    fields: ['id', 'title'],
    extra: { tags: ManyIdOnlyField({ queryset: tags, through: bookTags }) },
  })
  const plain = BaseModelSerializer(books, { name: 'Plain', fields: ['id', 'title'] })
  const histories = c.HistoryTable(books)
  const ViewSet = BulkViewSet.add(HistoryModelMixin)
  const config = { model: books, permissionClasses: [AllowAny] } as const
  type Changed = SerializerInput<typeof serializer>
  /** It stores the title, undoes that, and stores the tags. */
  class Retried extends ViewSet({ ...config, serializer }) {
    override async performUpdate(book: ModelRecord<typeof books>, { title = '', tags: sent }: Changed) {
      const undone = transaction(async () => {
        await super.performUpdate(book, { title })
        throw new Error('undone')
      })
      await undone.catch(() => {})
      return super.performUpdate(book, { ...(sent && { tags: sent }) })
    }
  }
  /** It stores the tags twice. */
  class Twice extends ViewSet({ ...config, serializer }) {
    override async performUpdate(book: ModelRecord<typeof books>, { title = '', tags: sent }: Changed) {
      await super.performUpdate(book, { title, ...(sent && { tags: sent }) })
      return super.performUpdate(book, { ...(sent && { tags: sent.with([1, 2]) }) })
    }
  }
  /** It stores the title, stores other tags and undoes that, and stores the tags. */
  class Undoing extends ViewSet({ ...config, serializer }) {
    override async performUpdate(book: ModelRecord<typeof books>, { title = '', tags: sent }: Changed) {
      await super.performUpdate(book, { title })
      const undone = transaction(async () => {
        await super.performUpdate(book, { ...(sent && { tags: sent.with([]) }) })
        throw new Error('undone')
      })
      await undone.catch(() => {})
      return super.performUpdate(book, { ...(sent && { tags: sent }) })
    }
  }
  const api = useApi(dialect, {
    tables: { tags, books, bookTags, ...histories },
    users: { ann: { id: 'ann' } },
    resources: {
      books: ViewSet({ ...config, serializer }),
      retried: Retried,
      twice: Twice,
      undoing: Undoing,
      plain: ViewSet({ ...config, serializer: plain }),
      mine: ViewSet({ ...config, serializer: plain, fixedValues: ({ user }) => ({ owner: String(user?.id ?? '') }) }),
    },
  })
  let path: string
  const entries = async () =>
    (await api.get(`${path}history/`))
      .data<{ id: number; action: string }[]>()
      .map(({ id }) => id)
      .toReversed()
  const changes = async (from: number | undefined, to: number | undefined) =>
    (await api.get(`${path}history/diff/?from=${from}&to=${to}`)).data<{ changes: object[] }>().changes
  beforeEach(async () => {
    await api.database.use(() =>
      insertMany(tags, [
        { id: 1, label: 'a' },
        { id: 2, label: 'b' },
      ]),
    )
    const created = await api.post('/books/', { title: 'one', tags: [1] })
    path = `/books/${created.data<{ id: number }>().id}/`
  })

  test('are no difference between two entries if none was added or removed', async () => {
    await api.patch(path, { title: 'two' })
    const [created, renamed] = await entries()
    expect(await changes(created, renamed)).toEqual([{ field: 'title', before: 'one', after: 'two' }])
  })

  test('are a difference by their ids', async () => {
    await api.patch(path, { tags: [1, 2] })
    await api.patch(path, { tags: [2] })
    const [first, second, third] = await entries()
    expect(await changes(first, second)).toEqual([{ field: 'tags', before: [1], after: [1, 2] }])
    expect(await changes(second, third)).toEqual([{ field: 'tags', before: [1, 2], after: [2] }])
    expect(await changes(first, third)).toEqual([{ field: 'tags', before: [1], after: [2] }])
  })

  const listed = async () =>
    (await api.get(`${path}history/`))
      .data<{ id: number; action: string; before: object; after: object }[]>()
      .map(({ action, before, after }) => [action, before, after])
      .toReversed()

  test('and fields that one request changes are one entry, with ids in the form of their key', async () => {
    const id = Number(path.split('/')[2])
    await api.patch(path, { title: 'two', tags: [2] })
    await api.put(path, { title: 'two', tags: [1, 2] })
    await api.patch('/books/bulk-update/', [{ id, title: 'three', tags: [] }])
    expect(await listed()).toEqual([
      ['create', null, { id, title: 'one', tags: [1] }],
      ['update', { title: 'one', tags: [1] }, { title: 'two', tags: [2] }],
      ['update', { tags: [] }, { tags: [1] }],
      ['update', { title: 'two', tags: expect.arrayContaining([1, 2]) }, { title: 'three', tags: [] }],
    ])
  })

  test('of records that one request creates are in their entries', async () => {
    const created = await api.post('/books/bulk-create/', [{ title: 'a', tags: [1, 2] }, { title: 'b' }])
    const [a, b] = created.data<{ id: number }[]>()
    const entriesOf = async (id?: number) => (await api.get(`/books/${id}/history/`)).data()
    expect(await entriesOf(a?.id)).toMatchObject([{ action: 'create', after: { title: 'a', tags: [1, 2] } }])
    expect(await entriesOf(b?.id)).toEqual([expect.objectContaining({ after: { id: b?.id, title: 'b' } })])
  })

  test('come back by a revert to the creation', async () => {
    await api.patch(path, { title: 'two', tags: [2] })
    const [first] = await entries()
    expect((await api.post(`${path}revert/`, { entry: first })).data()).toMatchObject({ title: 'one', tags: [1] })
  })

  test('of a deleted record are those of its time', async () => {
    await api.patch(path, { tags: [1, 2] })
    await api.patch(path, { title: 'two' })
    await api.delete(path)
    const [first, second, third, deleted] = await entries()
    expect(await changes(first, second)).toEqual([{ field: 'tags', before: [1], after: [1, 2] }])
    expect(await changes(second, third)).toEqual([{ field: 'title', before: 'one', after: 'two' }])
    expect(await changes(third, deleted)).toMatchObject([{ field: 'id' }, { field: 'title' }, { field: 'tags' }])
  })

  test('are an entry of their own if the write of the fields was undone', async () => {
    const [, , id] = path.split('/')
    await api.patch(`/retried/${id}/`, { title: 'never', tags: [2] })
    expect(await listed()).toEqual([
      ['create', null, { id: Number(id), title: 'one', tags: [1] }],
      ['update', { tags: [1] }, { tags: [2] }],
    ])
  })

  test('are an entry of their own for each further change in a request', async () => {
    const [, , id] = path.split('/')
    await api.patch(`/twice/${id}/`, { title: 'two', tags: [2] })
    const changes = (await listed()).slice(1).map(([, before, after]) => [before, after])
    expect(changes).toEqual([
      [
        { title: 'one', tags: [1] },
        { title: 'two', tags: [2] },
      ],
      [{ tags: [] }, { tags: [1] }],
    ])
  })

  test('are in no entry if their change was undone', async () => {
    const [, , id] = path.split('/')
    await api.patch(`/undoing/${id}/`, { title: 'two', tags: [2] })
    const changes = (await listed()).slice(1).map(([, before, after]) => [before, after])
    expect(changes).toEqual([
      [{ title: 'one' }, { title: 'two' }],
      [{ tags: [1] }, { tags: [2] }],
    ])
  })

  test('are not shown by a resource without them', async () => {
    const seen = (await api.get(`/plain/${path.split('/')[2]}/history/`)).text
    expect(seen).not.toContain('tags')
    expect(await (await api.get(`/plain/${path.split('/')[2]}/history/diff/?from=1&to=2`)).text).not.toContain('tags')
  })

  test('and fields have the state of all changes, also of those that the reader does not see', async () => {
    const created = await api.post('/mine/', { title: 'one' }, { as: 'ann' })
    const { id } = created.data<{ id: number }>()
    const [entry] = (await api.get(`/mine/${id}/history/`, { as: 'ann' })).data<{ id: number; at: string }[]>()
    await api.patch(`/books/${id}/`, { title: 'two' })
    expect((await api.get(`/mine/${id}/history/`, { as: 'ann' })).data()).toHaveLength(1)
    expect((await api.get(`/mine/${id}/?at=${entry?.at}`, { as: 'ann' })).data()).toMatchObject({ title: 'one' })
    const reverted = await api.post(`/mine/${id}/revert/`, { entry: entry?.id }, { as: 'ann' })
    expect(reverted.data()).toMatchObject({ title: 'one' })
  })
})
