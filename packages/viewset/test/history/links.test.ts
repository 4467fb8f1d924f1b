import { AllowAny, BaseModelSerializer, BulkViewSet, HistoryModelMixin, insertMany, ManyIdOnlyField } from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'

describeDialects('the links in the history of a record', dialect => {
  const c = dialect.kit
  const tags = c.table('tags', { id: c.integer().primaryKey(), label: c.text(20).notNull() })
  const books = c.table('books', { id: c.integer().primaryKey(), title: c.text(20).notNull() })
  const bookTags = c.table('book_tags', {
    id: c.integer().primaryKey(),
    book: c.foreignKey(books, { onDelete: 'cascade' }).notNull(),
    tag: c.foreignKey(tags).notNull(),
  })
  const serializer = BaseModelSerializer(books, {
    fields: ['id', 'title'],
    extra: { tags: ManyIdOnlyField({ queryset: tags, through: bookTags }) },
  })
  const api = useApi(dialect, {
    tables: { tags, books, bookTags, ...c.HistoryTable(books) },
    resources: {
      books: BulkViewSet.add(HistoryModelMixin)({ model: books, serializer, permissionClasses: [AllowAny] }),
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
})
