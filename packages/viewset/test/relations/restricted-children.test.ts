import { AllowAny, BaseModelSerializer, BulkViewSet, insertMany, ManyDataToDataField, preSave } from 'viewset'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'

describeDialects('a child that other records refer to cannot be left out', dialect => {
  const { kit } = dialect
  const orders = kit.table('orders', { id: kit.integer().primaryKey(), number: kit.text(5).notNull() })
  const lines = kit.table('lines', {
    id: kit.integer().primaryKey(),
    order: kit.foreignKey(orders).notNull(),
    name: kit.text(10).notNull(),
  })
  const parts = kit.table('parts', {
    id: kit.integer().primaryKey(),
    line: kit.foreignKey(lines, { onDelete: 'cascade' }).notNull(),
    name: kit.text(10).notNull(),
  })
  const parcels = kit.table('parcels', {
    id: kit.integer().primaryKey(),
    line: kit.foreignKey(lines),
    part: kit.foreignKey(parts),
  })
  const Part = BaseModelSerializer(parts, { fields: ['id', 'name'] })
  const Line = BaseModelSerializer(lines, {
    fields: ['id', 'name'],
    extra: { parts: ManyDataToDataField({ queryset: parts, serializer: Part }) },
  })
  const Order = BaseModelSerializer(orders, {
    fields: ['id', 'number'],
    extra: { lines: ManyDataToDataField({ queryset: lines, serializer: Line }) },
  })
  const config = { model: orders, serializer: Order, permissionClasses: [AllowAny] } as const
  const api = useApi(dialect, {
    tables: { orders, lines, parts, parcels },
    resources: { orders: BulkViewSet(config), saving: BulkViewSet({ ...config, useSaveOnBulkUpdate: true }) },
  })
  const stops: (() => void)[] = []
  afterEach(() => {
    for (const stop of stops.splice(0)) stop()
  })
  beforeEach(() =>
    api.database.transaction(async () => {
      await insertMany(
        orders,
        [101, 102, 103].map(id => ({ id, number: String(id) })),
      )
      await insertMany(lines, [
        { id: 201, order: 101, name: 'a' },
        { id: 202, order: 101, name: 'b' },
        { id: 203, order: 102, name: 'c' },
        { id: 204, order: 103, name: 'd' },
      ])
      await insertMany(parts, [
        { id: 301, line: 201, name: 'x' },
        { id: 302, line: 201, name: 'y' },
      ])
      await insertMany(parcels, [{ line: 202 }, { line: 203 }, { part: 302 }])
    }),
  )
  const rows = async () => Promise.all(['lines', 'parts', 'parcels'].map(async name => (await api.rows(name)).length))
  const refused = (...keys: number[]) => [
    `Records of "parcels" refer to the ${keys.length === 1 ? 'record' : 'records'} ${keys.join(', ')}. Delete them first, or let them refer to other records.`,
  ]

  test('the answer names the list and the child', async () => {
    const one = await api.put('/orders/101/', {
      number: 'x',
      lines: [{ id: 201, name: 'a', parts: [{ id: 302, name: 'y' }] }],
    })
    expect([one.status, one.envelope().errors]).toEqual([409, { lines: refused(202) }])
    expect(one.envelope().message).toBe(refused(202)[0])
    expect(await rows()).toEqual([4, 2, 3])
  })

  test('at any depth', async () => {
    const lines = [
      { id: 202, name: 'b' },
      { id: 201, name: 'a', parts: [{ id: 301, name: 'x' }] },
    ]
    const deep = await api.put('/orders/101/', { number: 'x', lines })
    expect([deep.status, deep.envelope().errors]).toEqual([409, { 'lines.1.parts': refused(302) }])
    expect(await rows()).toEqual([4, 2, 3])
  })

  test.each(['orders', 'saving'])('in bulk, by the item whose list it is: %s', async name => {
    const items = [103, 102, 101].map(id => ({ id, number: 'x', lines: [] }))
    const bulk = await api.put(`/${name}/bulk-update/`, items.slice(0, 2))
    expect([bulk.status, bulk.envelope().errors]).toEqual([409, { '1.lines': refused(203) }])
    const both = await api.put(`/${name}/bulk-update/`, items)
    const expected = { '1.lines': refused(203), '2.lines': refused(202) }
    expect([both.status, both.envelope().errors]).toEqual([409, expected])
    expect(await rows()).toEqual([4, 2, 3])
  })

  test('also with a handler of preSave', async () => {
    stops.push(preSave(orders, () => undefined))
    const one = await api.patch('/orders/102/', { lines: [] })
    expect(one.status).toBe(200)
    const put = await api.put('/orders/102/', { number: 'x', lines: [] })
    expect([put.status, put.envelope().errors]).toEqual([409, { lines: refused(203) }])
  })
})
