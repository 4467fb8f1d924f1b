import { AllowAny, BaseModelSerializer, BulkViewSet, HistoryModelMixin, insertMany, ManyIdOnlyField } from 'viewset'
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
  const ViewSet = BulkViewSet.add(HistoryModelMixin)
  const config = { model: books, permissionClasses: [AllowAny] } as const
  const api = useApi(dialect, {
    tables: { tags, books, bookTags, ...c.HistoryTable(books) },
    users: { ann: { id: 'ann' } },
    resources: {
      books: ViewSet({ ...config, serializer }),
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
    const [, linked, renamed] = await entries()
    expect(await changes(linked, renamed)).toEqual([{ field: 'title', before: 'one', after: 'two' }])
  })

  test('are a difference by their ids', async () => {
    await api.patch(path, { tags: [1, 2] })
    await api.patch(path, { tags: [2] })
    const [created, first, second, third] = await entries()
    expect(await changes(first, second)).toEqual([{ field: 'tags', before: ['1'], after: ['1', '2'] }])
    expect(await changes(second, third)).toEqual([{ field: 'tags', before: ['1', '2'], after: ['2'] }])
    expect(await changes(created, third)).toEqual([{ field: 'tags', before: [], after: ['2'] }])
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
