import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import {
  AllowAny,
  allRecords,
  BaseModelSerializer,
  BulkRestoreModelMixin,
  BulkViewSet,
  currentDb,
  IdToDataField,
  postWrite,
  scoped,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { type TestResponse, useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'

const [north, south, closed, absent] = [uuid(1), uuid(2), uuid(3), uuid(99)]
const [first, second, hidden] = [uuid(11), uuid(12), uuid(13)]

const STORED = [
  { id: first, label: 'first', ward: north, price: '1.00', remark: 'kept' },
  { id: second, label: 'second', ward: south, other: north },
  { id: hidden, label: 'hidden', ward: south, isActive: false },
]

/** Mostly right, so that whole requests are: `wrong` has one chance in twelve. */
const rarely = <T, U>(right: fc.Arbitrary<T>, wrong: fc.Arbitrary<U>) =>
  fc.oneof({ arbitrary: right, weight: 11 }, { arbitrary: wrong, weight: 1 })

const fields = {
  label: rarely(fc.constantFrom('a', 'é "b" \\', '{c,null}'), fc.constantFrom('x'.repeat(21), null, 7)),
  ward: rarely(fc.constantFrom(north, south), fc.constantFrom(closed, absent, 'ward', null)),
  other: rarely(fc.constantFrom(north, null), fc.constantFrom(absent, {})),
  price: rarely(fc.constantFrom('12.5', 3, null), fc.constant('1.234')),
  remark: fc.constantFrom('some', '', null),
  createdBy: fc.constant('somebody'),
}
const needed = fc.record({ label: fields.label, ward: fields.ward })
const whole = fc.tuple(needed, fc.record(fields, { requiredKeys: [] })).map(([own, more]) => ({ ...more, ...own }))
const id = rarely(fc.constantFrom(first, second), fc.constantFrom(hidden, absent, 'no-key', 5, undefined))
const lists = <T>(item: fc.Arbitrary<T>) =>
  fc.array(rarely(item, fc.constantFrom(null, 'item')), { minLength: 1, maxLength: 4 })
/** As many as there are to be changed: one that names a record twice is wrong. */
const changes = (body: fc.Arbitrary<object>) =>
  fc.uniqueArray(
    fc.tuple(id, body).map(([id, given]) => ({ id, ...given })),
    {
      minLength: 1,
      maxLength: 3,
      comparator: (one, another) => one.id === another.id && one.id !== first,
    },
  )

describeDialects('a bulk write that is one statement', dialect => {
  const c = dialect.kit
  const wards = c.table('wards', { id: c.uuid().primaryKey(), name: c.text(20).notNull(), open: c.boolean().notNull() })
  const beds = c.table('beds', {
    ...c.BaseModelMixin(),
    label: c.text(20).notNull(),
    ward: c.foreignKey(wards).notNull(),
    other: c.foreignKey(wards),
    price: c.decimal(8, 2).default('9.99'),
    remark: c.text(),
  })
  const tables = { wards, beds }
  const config = {
    model: beds,
    serializer: BaseModelSerializer(beds, {
      fields: ['id', 'label', 'ward', 'other', 'price', 'remark', 'createdBy'],
      extra: {
        ward: IdToDataField({
          queryset: scoped(wards, () => eq(wards.open, true)),
          serializer: BaseModelSerializer(wards, { fields: ['id', 'name'] }),
        }),
      },
    }),
    permissionClasses: [AllowAny],
    queryset: () => eq(beds.isActive, true),
    checkScope: 'never',
  } as const
  const Kind = BulkViewSet.add(BulkRestoreModelMixin)
  class Direct extends Kind({ ...config, restoreQueryset: () => allRecords }) {}
  type Hooks = InstanceType<typeof Direct>
  /** Hooks of its own, though they change nothing, are asked: in a transaction, behind checks of their own. */
  class Watched extends Kind({ ...config, restoreQueryset: () => allRecords }) {
    override performBulkCreate(...given: Parameters<Hooks['performBulkCreate']>) {
      return super.performBulkCreate(...given)
    }
    override performBulkUpdate(...given: Parameters<Hooks['performBulkUpdate']>) {
      return super.performBulkUpdate(...given)
    }
    override performBulkDelete(...given: Parameters<Hooks['performBulkDelete']>) {
      return super.performBulkDelete(...given)
    }
    override performBulkSoftDelete(...given: Parameters<Hooks['performBulkSoftDelete']>) {
      return super.performBulkSoftDelete(...given)
    }
    override performBulkRestore(...given: Parameters<Hooks['performBulkRestore']>) {
      return super.performBulkRestore(...given)
    }
  }
  const silent = { returnDataOnCreate: false, returnDataOnUpdate: false } as const
  const api = useApi(dialect, {
    tables,
    resources: { direct: Direct, watched: Watched, silent: BulkViewSet({ ...config, ...silent }) },
  })

  const store = () =>
    api.database.transaction(async () => {
      await currentDb().delete(beds)
      await currentDb().insert(beds).values(STORED)
    })

  beforeEach(async () => {
    await api.database.use(() =>
      currentDb()
        .insert(wards)
        .values([
          { id: north, name: 'North', open: true },
          { id: south, name: 'South', open: true },
          { id: closed, name: 'Closed', open: false },
        ]),
    )
    await store()
  })

  const stored = () => {
    const { label, ward, other, price, remark, isActive } = beds
    const shown = { label, ward, other, price, remark, isActive }
    return api.database.use(() => currentDb().select(shown).from(beds).orderBy(label, ward, price, remark, other))
  }

  /** What a request comes to, without what no two requests have in common; all is put back where it has written. */
  async function outcome(ask: () => Promise<TestResponse>, isNew: boolean) {
    const response = await ask()
    const rows = await stored()
    if (response.status < 300) await store()
    const text = response.text.replace(/"timestamp":"[^"]*"/, '')
    return [response.status, isNew ? text.replace(/"id":"[^"]*"(?=,"label")/g, '') : text, rows]
  }

  /** The same of both resources; how many statements the quick one took where all was well. */
  async function compare(ask: (resource: string) => Promise<TestResponse>, isNew: boolean, isWhole = true) {
    const watched = await outcome(() => ask('watched'), isNew)
    let sent: readonly string[] = []
    const direct = await outcome(async () => {
      const { promise, resolve } = Promise.withResolvers<TestResponse>()
      sent = await api.statementsOf(async () => resolve(await ask('direct')))
      return promise
    }, isNew)
    expect(direct).toEqual(watched)
    if (isWhole && Number(direct[0]) < 300) expect(sent).toHaveLength(1)
    return Number(direct[0])
  }

  test.each([
    ['POST', 'bulk-create', lists(whole)],
    ['PUT', 'bulk-update', changes(whole)],
    ['PATCH', 'bulk-update', changes(fc.record(fields, { requiredKeys: [] }))],
  ] as const)(
    '%s %s answers and stores what hooks would have, whatever is sent',
    async (method, action, bodies) => {
      const met = new Map<number, number>()
      await fc.assert(
        fc.asyncProperty(bodies, async body => {
          const status = await compare(at => api.request(method, `/${at}/${action}/`, { body }), method === 'POST')
          met.set(status, (met.get(status) ?? 0) + 1)
        }),
        { numRuns: cases(150) },
      )
      expect([...met.keys()].sort()).toEqual([method === 'POST' ? 201 : 200, 400])
    },
    60_000,
  )

  test.each([
    ['DELETE', 'bulk-delete', [first, second], [hidden, absent]],
    ['DELETE', 'bulk-soft-delete', [first, second], [hidden, absent]],
    ['POST', 'bulk-restore', [hidden], [first, absent]],
  ] as const)(
    '%s %s stores and reports the same as with hooks, for random items',
    async (method, action, some, others) => {
      const ids = fc.array(rarely(fc.constantFrom(...some), fc.constantFrom(...others)), { minLength: 1, maxLength: 4 })
      await fc.assert(
        fc.asyncProperty(ids, async body => {
          const isWhole = body.every(id => (some as readonly string[]).includes(id))
          expect(await compare(at => api.request(method, `/${at}/${action}/`, { body }), false, isWhole)).toBe(200)
        }),
        { numRuns: cases(100) },
      )
    },
  )

  test('writes all of a thousand records, or none', async () => {
    const items = Array.from({ length: 1_000 }, (_, n) => ({ label: `${n}`, ward: n % 2 ? north : south }))
    const created = await api.post('/direct/bulk-create/', items)
    const ids = created.data<{ id: string }[]>().map(({ id }) => id)
    const changed = (n: number) => ({ id: ids[n] ?? absent, remark: `${n}` })
    const all = ids.map((_, n) => changed(999 - n))
    const before = await stored()
    expect((await api.patch('/direct/bulk-update/', [...all.slice(1), changed(1_000)])).status).toBe(400)
    expect(await stored()).toEqual(before)
    const answered = (await api.patch('/direct/bulk-update/', all)).data<{ id: string; remark: string }[]>()
    expect(answered.map(({ id, remark }) => ({ id, remark }))).toEqual(all)
  })

  test('tells how many there were, where no records are asked for', async () => {
    const items = [
      { label: 'a', ward: north },
      { label: 'b', ward: south, remark: 'more' },
    ]
    expect((await api.post('/silent/bulk-create/', items)).data()).toEqual({ count: 2 })
    const changes = [{ id: second, remark: 'x' }, { id: first }]
    expect((await api.patch('/silent/bulk-update/', changes)).data()).toEqual({ count: 2 })
    expect(new Set((await stored()).map(({ remark }) => remark))).toEqual(new Set(['kept', 'more', 'x', null]))
  })

  test('gives way to whoever listens to the model', async () => {
    const seen: unknown[] = []
    const stop = postWrite(beds, ({ kind, after }) => void seen.push([kind, after.length]))
    await api.post('/direct/bulk-create/', [{ label: 'a', ward: north }])
    await api.patch('/direct/bulk-update/', [{ id: first, label: 'b' }, { id: second }])
    stop()
    await api.patch('/direct/bulk-update/', [{ id: first, label: 'c' }])
    expect(seen).toEqual([
      ['insert', 1],
      ['update', 2],
    ])
  })

  // A rule makes two statements of one, behind which PostgreSQL does not take a WITH.
  if (dialect.name === 'pg') {
    test('gives way where the database cannot do it, and asks once', async () => {
      await api.database.driver.run({ text: 'create table changed (at timestamptz)' }, [])
      const rule = 'create rule told as on update to beds do also insert into changed values (now())'
      await api.database.driver.run({ text: rule }, [])
      const change = { id: first, remark: 'changed' }
      const verbs = async () =>
        (await api.statementsOf(() => api.patch('/direct/bulk-update/', [change]))).map(text => text.split(' ')[0])
      expect(await verbs()).toEqual(['with', 'select', 'update', 'select'])
      expect(await verbs()).toEqual(['select', 'update', 'select'])
      expect(await api.rows('changed')).toHaveLength(2)
      await api.database.driver.run({ text: 'drop rule told on beds' }, [])
      await api.database.driver.run({ text: 'drop table changed' }, [])
    })
  }
})

describeDialects('a bulk write of tables that others have made', dialect => {
  const c = dialect.kit
  // Named as a statement could name what travels with it.
  const sites = c.table('_rows', { id: c.uuid().primaryKey(), name: c.text(20).notNull() })
  const held = c.table('held', { id: c.uuid().primaryKey(), name: c.text(20).notNull() })
  const notes = c.table('_written', {
    ...c.BaseModelMixin(),
    text: c.text(20).notNull(),
    written: c.foreignKey(sites),
    locked: c.foreignKey(sites),
  })
  const permissionClasses = [AllowAny]
  const site = IdToDataField({ queryset: sites, serializer: BaseModelSerializer(sites, { fields: ['id', 'name'] }) })
  const serializer = BaseModelSerializer(notes, {
    fields: ['id', 'text', 'written', 'locked'],
    extra: { written: site, locked: site },
  })
  const api = useApi(dialect, {
    tables: { sites, notes, held },
    resources: {
      sites: BulkViewSet({
        model: sites,
        serializer: BaseModelSerializer(sites, { fields: ['id', 'name'] }),
        permissionClasses,
      }),
      notes: BulkViewSet({ model: notes, serializer, permissionClasses }),
      held: BulkViewSet({
        model: held,
        serializer: BaseModelSerializer(held, { fields: ['id', 'name'] }),
        permissionClasses,
      }),
    },
  })
  const add = () =>
    api.database.use(() =>
      currentDb()
        .insert(sites)
        .values([
          { id: north, name: 'North' },
          { id: south, name: 'South' },
        ]),
    )

  test('is about its own rows, whatever tables and fields are called', async () => {
    await add()
    const one = { id: north, name: 'North' }
    const created = await api.post('/notes/bulk-create/', [{ text: 'a', written: north, locked: north }, { text: 'b' }])
    expect(created.data()).toMatchObject([{ written: one, locked: one }, { written: null }])
    const [{ id } = { id: '' }] = created.data<{ id: string }[]>()
    const changed = await api.patch('/notes/bulk-update/', [{ id, locked: south }])
    expect(changed.data()).toMatchObject([{ written: one, locked: { id: south, name: 'South' } }])
    expect((await api.patch('/notes/bulk-update/', [{ id, locked: absent }])).status).toBe(400)
    const renamed = await api.patch('/sites/bulk-update/', [{ id: south, name: 'S' }])
    expect(renamed.data()).toEqual([{ id: south, name: 'S' }])
    expect((await api.request('DELETE', '/notes/bulk-delete/', { body: [id] })).data()).toMatchObject({ count: 1 })
  })

  test('misses what is missing, also where another key stands in the table twice', async () => {
    const statements = [
      'drop table held',
      `create table held (id ${dialect.name === 'pg' ? 'uuid' : 'text'}, name text)`,
      `insert into held values ('${first}', 'a'), ('${first}', 'b')`,
    ]
    for (const text of statements) await api.database.driver.run({ text }, [])
    const twice = [
      { id: first, name: 'x' },
      { id: first, name: 'y' },
    ]
    const missing = [
      { id: first, name: 'x' },
      { id: second, name: 'y' },
    ]
    for (const body of [twice, missing]) expect((await api.patch('/held/bulk-update/', body)).status).toBe(400)
    expect((await api.rows('held')).map(row => row[1])).toEqual(['a', 'b'])
    const report = await api.request('DELETE', '/held/bulk-delete/', { body: [first, second] })
    expect(report.data()).toMatchObject({ missing_ids: [second] })
  })
})
