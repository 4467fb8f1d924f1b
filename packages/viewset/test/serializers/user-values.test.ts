import { sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkViewSet,
  ExpressionField,
  insertMany,
  ReadOnlyDataField,
  ReadOnlyViewSet,
  type User,
  userValue,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'

describeDialects('userValue in an expression', dialect => {
  const { kit } = dialect
  const notes = kit.table('notes', {
    id: kit.integer().primaryKey(),
    text: kit.text(20).notNull(),
    above: kit.integer(),
  })
  const stars = kit.table('stars', {
    id: kit.integer().primaryKey(),
    note: kit.foreignKey(notes).notNull(),
    fan: kit.text(10).notNull(),
  })
  const replies = kit.table('replies', { id: kit.integer().primaryKey(), note: kit.foreignKey(notes).notNull() })
  const fan = userValue(user => user?.id ?? null)
  const starred = ExpressionField({
    expression: sql`exists (select 1 from ${stars} where ${stars.note} = ${notes.id} and ${stars.fan} = ${fan})`,
    type: 'boolean',
    notNull: true,
  })
  const Note = BaseModelSerializer(notes, { fields: ['id', 'text'], extra: { starred } })
  const Reply = BaseModelSerializer(replies, {
    fields: ['id'],
    extra: { note: ReadOnlyDataField({ queryset: notes, serializer: Note }) },
  })
  const permissionClasses = [AllowAny]
  const api = useApi(dialect, {
    tables: { notes, stars, replies },
    users: { ann: { id: 'ann' }, ben: { id: 'ben' } },
    resources: {
      notes: BulkViewSet({
        model: notes,
        serializer: Note,
        permissionClasses,
        filterFields: ['starred'],
        computedOrderingFields: { starred: starred.expression },
        exportFieldConfig: { text: 'Text', starred: 'Starred' },
      }),
      replies: ReadOnlyViewSet({ model: replies, serializer: Reply, permissionClasses }),
    },
  })
  beforeEach(() =>
    api.database.transaction(async () => {
      await insertMany(notes, [
        { id: 1, text: 'a' },
        { id: 2, text: 'b' },
      ])
      await insertMany(stars, [
        { note: 1, fan: 'ann' },
        { note: 2, fan: 'ben' },
      ])
      await insertMany(replies, [{ id: 1, note: 1 }])
    }),
  )
  const asked = [
    ['ann', [true, false]],
    ['ben', [false, true]],
    [undefined, [false, false]],
  ] as const

  test('each user gets an own value, also at the same moment', async () => {
    const rounds = Array.from({ length: 20 }, () => asked).flat()
    const answers = await Promise.all(rounds.map(([as]) => api.get('/notes/?ordering=id', as ? { as } : {})))
    answers.forEach((answer, at) => {
      expect(answer.data<{ starred: boolean }[]>().map(note => note.starred)).toEqual(rounds[at]?.[1])
    })
  })

  test.each(asked)('%s: on every path that shows the field', async (name, [first]) => {
    const as = name ? { as: name } : {}
    expect((await api.get('/notes/1/', as)).data()).toMatchObject({ starred: first })
    expect((await api.get('/replies/1/', as)).data()).toMatchObject({ note: { starred: first } })
    expect((await api.get('/replies/', as)).data()).toMatchObject([{ note: { starred: first } }])
    const filtered = await api.get('/notes/?starred=true&ordering=-starred', as)
    expect(filtered.data<{ text: string }[]>().map(({ text }) => text)).toEqual(
      name === undefined ? [] : [name === 'ann' ? 'a' : 'b'],
    )
    const written = await api.patch('/notes/1/', { text: 'x' }, as)
    expect(written.data()).toMatchObject({ text: 'x', starred: first })
    const file = await api.post('/notes/export/', { file_type: 'csv' }, as)
    expect(file.text.split('\r\n')[1]).toMatch(first ? /true/i : /false/i)
  })

  test('types', () => {
    // @ts-expect-error: a value of SQL is no object
    expect(userValue((user: User | null) => user)).toBeTypeOf('object')
  })
})
