import {
  AllowAny,
  BaseModelSerializer,
  BulkViewSet,
  HistoryModelMixin,
  insertMany,
  ManyIdOnlyField,
  type User,
} from 'viewset'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { LaterApi } from '../support/later-api.ts'

interface Entry {
  readonly id: number
  readonly action: string
  readonly at: string
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>> | null
  readonly redacted?: readonly string[]
}

const isBoss = (user: User | null) => user?.id === 'boss'
const USERS = { boss: { id: 'boss' }, ann: { id: 'ann' } }
const ViewSet = BulkViewSet.add(HistoryModelMixin)
const permissionClasses = [AllowAny]

describeDialects('after a migration, the history of a record', dialect => {
  const c = dialect.kit
  const tags = c.table('tags', { id: c.integer().primaryKey(), label: c.text(20).notNull() })
  // The first release.
  const earlier = (() => {
    const prices = c.table('prices', {
      id: c.integer().primaryKey(),
      code: c.text(20).notNull(),
      price: c.decimal(8, 2),
      note: c.text(20),
      size: c.text(20),
      pin: c.text(20),
      firm: c.text(20).notNull().default(''),
    })
    const priceTags = c.table('price_tags', {
      id: c.integer().primaryKey(),
      price: c.foreignKey(prices, { onDelete: 'cascade' }).notNull(),
      tag: c.foreignKey(tags).notNull(),
    })
    const serializer = BaseModelSerializer(prices, {
      fields: ['id', 'code', 'price', 'note', 'size', 'pin'],
      extra: { tags: ManyIdOnlyField({ queryset: tags, through: priceTags }) },
    })
    const fixedValues = ({ user }: { readonly user: User | null }) => ({ firm: user ? 'north' : '' })
    return {
      tables: { tags, prices, priceTags, ...c.HistoryTable(prices, { redact: ['pin'] }) },
      resources: { prices: ViewSet({ model: prices, serializer, permissionClasses, fixedValues }) },
    }
  })()
  // Of the second release: price is called amount, note is gone, size is a number, pin is secret, tags are labels.
  const MIGRATION = [
    'alter table prices rename column price to amount',
    ...(dialect.name === 'pg' ? ['alter table prices alter column amount type numeric(8, 3)'] : []),
    'alter table prices drop column note',
    'alter table prices add column size_number integer',
    "update prices set size_number = case when size in ('1', '2', '3') then cast(size as integer) end",
    'alter table prices drop column size',
    'alter table prices rename column size_number to size',
    'alter table prices rename column pin to secret',
    'alter table prices rename column firm to tenant',
  ]
  const later = (options: object) => {
    const prices = c.table('prices', {
      id: c.integer().primaryKey(),
      code: c.text(20).notNull(),
      amount: c.decimal(8, 3),
      size: c.integer(),
      secret: c.text(20),
      tenant: c.text(20).notNull().default(''),
    })
    const priceTags = c.table('price_tags', {
      id: c.integer().primaryKey(),
      price: c.foreignKey(prices, { onDelete: 'cascade' }).notNull(),
      tag: c.foreignKey(tags).notNull(),
    })
    c.HistoryTable(prices, options)
    const serializer = BaseModelSerializer(prices, {
      fields: ['id', 'code', 'amount', 'size', 'secret'],
      extra: { labels: ManyIdOnlyField({ queryset: tags, through: priceTags }) },
      readableBy: { amount: isBoss },
    })
    const config = { model: prices, serializer, permissionClasses, sparseFields: true } as const
    return {
      users: USERS,
      resources: {
        prices: ViewSet(config),
        firms: ViewSet({ ...config, fixedValues: ({ user }) => ({ tenant: user ? 'north' : '' }) }),
      },
    }
  }
  const DECLARED = {
    redact: ['secret'],
    renamed: { price: 'amount', pin: 'secret', firm: 'tenant' },
    renamedRelations: { tags: 'labels' },
    dropped: { note: { readableBy: isBoss } },
  }

  let first: TestApi
  let declared: LaterApi
  let silent: LaterApi
  let path: string
  beforeAll(async () => {
    first = await TestApi.start(dialect, { ...earlier, users: USERS })
    await first.database.use(() => insertMany(tags, [{ label: 'a' }, { label: 'b' }]))
    const sent = { code: 'A', price: '5.00', note: 'old', size: '1', pin: 'x', tags: [1] }
    const created = await first.post('/prices/', sent, { as: 'boss' })
    expect(created.status, created.text).toBe(201)
    const { id } = created.data<{ id: number }>()
    path = `/prices/${id}/`
    for (const change of [
      { price: '6.00', note: 'new', tags: [2] },
      { size: 'large' },
      { size: '2', pin: 'y' },
      { price: '7.00' },
      { note: 'last' },
    ]) {
      expect((await first.patch(path, change, { as: 'boss' })).status).toBe(200)
    }
    for (const text of MIGRATION) await first.database.driver.run({ text }, [])
    declared = new LaterApi(first.database, later(DECLARED))
    silent = new LaterApi(first.database, later({ redact: ['secret'] }))
    await Promise.all([declared.ready(), silent.ready()])
    expect((await declared.patch(path, { code: 'B' }, 'boss')).status).toBe(200)
  })
  afterAll(async () => {
    await declared?.close()
    await silent?.close()
    await first?.close()
  })
  const history = async (api: LaterApi, as: string, where = path) =>
    (await api.get<Entry[]>(`${where}history/`, as)).data.toReversed()
  const changesOf = (entries: readonly Entry[]) => entries.map(({ before, after }) => [before, after])

  describe('that its options explain', () => {
    test('has the names of today, and dropped columns for those who may read them', async () => {
      expect(changesOf(await history(declared, 'boss'))).toEqual([
        [null, { id: 1, code: 'A', amount: '5.000', size: 1, labels: [1], note: 'old' }],
        [
          { amount: '5.000', note: 'old', labels: [1] },
          { amount: '6.000', note: 'new', labels: [2] },
        ],
        // A value that the type of today cannot hold is shown as it was.
        [{ size: 1 }, { size: 'large' }],
        [{ size: 'large' }, { size: 2 }],
        [{ amount: '6.000' }, { amount: '7.000' }],
        [{ note: 'new' }, { note: 'last' }],
        [{ code: 'A' }, { code: 'B' }],
      ])
      expect((await history(declared, 'boss'))[3]?.redacted).toEqual(['secret'])
    })

    test('has no entry and no value of a field that the reader may not read', async () => {
      expect(changesOf(await history(declared, 'ann'))).toEqual([
        [null, { id: 1, code: 'A', size: 1, labels: [1] }],
        [{ labels: [1] }, { labels: [2] }],
        [{ size: 1 }, { size: 'large' }],
        [{ size: 'large' }, { size: 2 }],
        [{ code: 'A' }, { code: 'B' }],
      ])
    })

    test('shows differences by the names of today', async () => {
      const entries = await history(declared, 'boss')
      const between = async (from: number, to: number, as: string) => {
        const query = `from=${entries[from]?.id}&to=${entries[to]?.id}`
        return (await declared.get<{ changes: object[] }>(`${path}history/diff/?${query}`, as)).data.changes
      }
      expect(await between(0, 4, 'boss')).toEqual([
        { field: 'amount', before: '5.000', after: '7.000' },
        { field: 'size', before: 1, after: 2 },
        { field: 'labels', before: [1], after: [2] },
        { field: 'note', before: 'old', after: 'new' },
      ])
      expect(await between(1, 6, 'boss')).toEqual([
        { field: 'code', before: 'A', after: 'B' },
        { field: 'amount', before: '6.000', after: '7.000' },
        { field: 'size', before: 1, after: 2 },
        { field: 'note', before: 'new', after: 'last' },
      ])
      expect(await between(0, 3, 'ann')).toEqual([
        { field: 'size', before: 1, after: 2 },
        { field: 'labels', before: [1], after: [2] },
      ])
    })

    test('shows the record as it was, by the names and types of today', async () => {
      const entries = await history(declared, 'boss')
      const at = async (index: number, query = '', as = 'boss') =>
        declared.get(`${path}?at=${entries[index]?.at}${query}`, as)
      expect((await at(0)).data).toEqual({ id: 1, code: 'A', amount: '5.000', size: 1 })
      expect((await at(1)).data).toEqual({ id: 1, code: 'A', amount: '6.000', size: 1 })
      expect((await at(6)).data).toEqual({ id: 1, code: 'B', amount: '7.000', size: 2 })
      expect((await at(0, '', 'ann')).data).toEqual({ id: 1, code: 'A', size: 1 })
      const refused = await at(2)
      expect([refused.status, refused.errors]).toEqual([
        409,
        { size: ['The value of that time does not fit the type that the field has today.'] },
      ])
      expect((await at(2, '&fields=code,amount')).data).toEqual({ code: 'A', amount: '6.000' })
    })

    test('reverts to the values of that time, by the names and types of today', async () => {
      const entries = await history(declared, 'boss')
      const revert = (index: number, fields?: readonly string[]) =>
        declared.post(`${path}revert/`, { entry: entries[index]?.id, fields }, 'boss')
      expect((await revert(2)).errors).toEqual({
        size: ['The value of that time does not fit the type that the field has today.'],
      })
      expect((await revert(0)).data).toEqual({ id: 1, code: 'A', amount: '5.000', size: 1, secret: 'y', labels: [1] })
      expect((await revert(6)).data).toEqual({ id: 1, code: 'B', amount: '7.000', size: 2, secret: 'y', labels: [2] })
    })

    test('is that of the tenant, also after its column was renamed', async () => {
      const seen = await history(declared, 'boss', path.replace('prices', 'firms'))
      expect(seen.slice(0, 2).map(({ action }) => action)).toEqual(['create', 'update'])
      expect((await declared.get(`${path.replace('prices', 'firms')}history/`)).data).toEqual([])
    })

    test('gives the start no reason for a warning', () => {
      expect(declared.warnings).toEqual([])
    })
  })

  describe('that its options do not explain', () => {
    test('shows no value under a name that the model does not have, to no reader', async () => {
      for (const as of ['boss', 'ann']) {
        const { text } = await silent.get(`${path}history/`, as)
        for (const old of ['price', 'note', 'tags', '"5.00"', 'old', 'new', 'last']) expect(text).not.toContain(old)
      }
    })

    test('refuses states and reverts that the unknown names make uncertain', async () => {
      const entries = await history(declared, 'boss')
      const why = 'The history has fields that this resource no longer has, so the state of that time is not known.'
      const refused = { status: 409, message: why, errors: { non_field_errors: [why] } }
      expect(await silent.get(`${path}?at=${entries[0]?.at}`, 'boss')).toMatchObject(refused)
      const [from, to] = [entries[0]?.id, entries[6]?.id]
      expect(await silent.get(`${path}history/diff/?from=${from}&to=${to}`, 'boss')).toMatchObject(refused)
      expect(await silent.post(`${path}revert/`, { entry: from }, 'boss')).toMatchObject(refused)
    })

    test('is named in the log at the start', () => {
      expect(silent.warnings).toEqual([
        'The history of "prices" has the names "firm", "note", "pin", "price", "tags", which the model does not have. ' +
          'Declare each in HistoryTable(prices, { renamed, renamedRelations, dropped }); until then, no reader sees ' +
          'their values, and states before them are refused.',
      ])
    })
  })

  test('does not show entries that the list hides through their ids', async () => {
    const hidden = (await history(declared, 'boss')).map(({ id }) => id)
    const seen = (await history(declared, 'ann')).map(({ id }) => id)
    const [secret] = hidden.filter(id => !seen.includes(id))
    const diff = await declared.get(`${path}history/diff/?from=${secret}&to=${secret}`, 'ann')
    expect([diff.status, Object.keys(diff.errors ?? {})]).toEqual([400, ['from', 'to']])
    const reverted = await declared.post(`${path}revert/`, { entry: secret }, 'ann')
    expect([reverted.status, Object.keys(reverted.errors ?? {})]).toEqual([400, ['entry']])
  })
})

describeDialects('the options of a history', dialect => {
  const c = dialect.kit
  const refusalOf = (options: object) => {
    const table = c.table('goods', { id: c.integer().primaryKey(), amount: c.integer() })
    c.HistoryTable(table, options)
    const serializer = BaseModelSerializer(table, { fields: ['id', 'amount'] })
    return () => ViewSet({ model: table, serializer, permissionClasses })
  }

  test.each([
    [{ renamed: { price: 'amuont' } }, 'did you mean "amount"?'],
    [{ renamed: { amount: 'id' } }, '"amount" is a column of the table'],
    [{ dropped: { amount: {} } }, '"amount" is a column of the table'],
    [{ renamed: { price: 'amount' }, dropped: { price: {} } }, '"price" is named twice'],
  ])('refuse %j', (options, problem) => {
    expect(refusalOf(options)).toThrow(problem)
  })

  test.each([
    [{ dropped: ['price'] }],
    [{ dropped: { price: true } }],
    [{ dropped: { price: { readableBy: 'boss' } } }],
    [{ dropped: { price: { readable: () => true } } }],
  ])('refuse %j at once', options => {
    expect(() => refusalOf(options)).toThrow('HistoryTable')
  })
})
