import { ne } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkRestoreModelMixin,
  BulkViewSet,
  IdToDataField,
  insertMany,
  type ModelRecord,
  postWrite,
  preSave,
  RestoreModelMixin,
} from 'viewset'
import { createClient } from 'viewset/client'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'
import { seedStock, stockTables } from '../support/stock.ts'

const permissionClasses = [AllowAny]

describeDialects('bulk requests for a key of several columns', dialect => {
  const { kit } = dialect
  const tables = stockTables(kit)
  const { houses, stock } = tables
  const places = kit.table(
    'places',
    { row: kit.integer().notNull(), seat: kit.text(5).notNull(), ...kit.SoftDeleteMixin() },
    t => [kit.primaryKey(t.row, t.seat)],
  )
  const rooms = kit.table('rooms', { id: kit.integer().primaryKey(), ...kit.SoftDeleteMixin() })
  const chairs = kit.table(
    'chairs',
    {
      room: kit.foreignKey(rooms, { onSoftDelete: 'cascade' }).notNull(),
      seat: kit.text(5).notNull(),
      ...kit.SoftDeleteMixin(),
    },
    t => [kit.primaryKey(t.room, t.seat)],
  )
  const serializer = BaseModelSerializer(stock, { fields: ['house', 'code', 'amount', 'mark'] })
  const House = BaseModelSerializer(houses, { fields: ['id', 'name'] })
  const Related = BaseModelSerializer(stock, {
    name: 'Related',
    fields: ['house', 'code', 'amount'],
    extra: { house: IdToDataField({ queryset: houses, serializer: House }) },
  })
  const NotKept = {
    hasPermission: () => true,
    hasObjectPermission: (_: object, item: ModelRecord<typeof stock>) => item.mark !== 'kept',
  }
  const ViewSet = BulkViewSet
  const config = { model: stock, serializer, permissionClasses } as const
  const StockViewSet = ViewSet(config)
  const api = useApi(dialect, {
    tables: { ...tables, places, rooms, chairs },
    resources: {
      stock: StockViewSet,
      related: ViewSet({ ...config, serializer: Related }),
      counted: ViewSet({ ...config, returnDataOnCreate: false }),
      scoped: ViewSet({ ...config, queryset: () => ne(stock.mark, 'secret'), version: 'version', appendEtags: true }),
      rooms: ViewSet.add(RestoreModelMixin)({
        model: rooms,
        serializer: BaseModelSerializer(rooms, { fields: ['id'] }),
        permissionClasses,
        softDelete: true,
      }),
      saving: ViewSet({ ...config, useSaveOnBulkUpdate: true }),
      places: ViewSet.add(
        RestoreModelMixin,
        BulkRestoreModelMixin,
      )({
        model: places,
        serializer: BaseModelSerializer(places, { fields: ['row', 'seat', 'isActive'] }),
        permissionClasses,
        softDelete: true,
      }),
      guarded: ViewSet({ ...config, permissionClasses: [NotKept] }),
    },
  })
  const rows = async () => (await api.rows('stock')).map(row => row.slice(0, 3).join(' ')).toSorted()
  const stops: (() => void)[] = []
  afterEach(() => {
    for (const stop of stops.splice(0)) stop()
  })
  beforeEach(() => seedStock(api.database, tables))

  describe('a create', () => {
    const items = [
      { house: 2, code: 'z', amount: 9 },
      { house: 1, code: 'z', amount: 8 },
      { house: 2, code: 'm', mark: 'm' },
    ]

    test('answers in the order of the request', async () => {
      const shown = items.map(item => ({ amount: 0, mark: null, ...item }))
      const created = await api.post('/stock/bulk-create/', items)
      expect([created.status, created.data()]).toEqual([201, shown])
      const one = await api.post('/stock/bulk-create/', [{ house: 1, code: 'one' }])
      expect(one.data()).toEqual([{ house: 1, code: 'one', amount: 0, mark: null }])
      expect(await rows()).toHaveLength(8)
    })

    test('shows related records, and counts', async () => {
      const related = await api.post('/related/bulk-create/', items)
      expect(related.data<{ house: object; code: string }[]>().map(({ house, code }) => [house, code])).toEqual([
        [{ id: 2, name: 'two' }, 'z'],
        [{ id: 1, name: 'one' }, 'z'],
        [{ id: 2, name: 'two' }, 'm'],
      ])
      const counted = await api.post('/counted/bulk-create/', [
        { house: 1, code: 'p' },
        { house: 1, code: 'q' },
      ])
      expect(counted.data()).toEqual({ count: 2 })
    })

    test('refuses a key that is taken, in the database or by another item, and stores nothing', async () => {
      const taken = await api.post('/stock/bulk-create/', [{ house: 9, code: 'z' }, { house: 1, code: 'a' }, {}])
      expect(taken.envelope().errors).toEqual({
        '0.house': [expect.stringContaining('no house')],
        '1.non_field_errors': [expect.stringContaining('house, code')],
        '2.house': [expect.any(String)],
        '2.code': [expect.any(String)],
      })
      const twice = await api.post('/stock/bulk-create/', [items[0], items[1], items[0]])
      expect([twice.status, Object.keys(twice.envelope().errors ?? {})]).toEqual([
        400,
        expect.arrayContaining(['2.non_field_errors']),
      ])
      expect(await rows()).toHaveLength(4)
    })

    test('refuses a record outside of the queryset, by one statement for all', async () => {
      const outside = await api.post('/scoped/bulk-create/', [
        { house: 1, code: 'p', mark: 'm' },
        { house: 1, code: 'q', mark: 'n' },
        { house: 1, code: 'r' },
      ])
      expect([outside.status, Object.keys(outside.envelope().errors ?? {})]).toEqual([400, ['2.non_field_errors']])
      expect(await rows()).toHaveLength(4)
      const many = (count: number) =>
        Array.from({ length: count }, (_, at) => ({ house: 1, code: `n${count}-${at}`, mark: `${count}-${at}` }))
      const statements = async (count: number) =>
        (await api.statementsOf(() => api.post('/scoped/bulk-create/', many(count)))).length
      await statements(2)
      expect(await statements(40)).toBe(await statements(3))
    })

    test('calls handlers: of preSave for each record, of postWrite with all', async () => {
      const seen: unknown[] = []
      stops.push(postWrite(stock, ({ kind, after }) => void seen.push([kind, after.map(({ code }) => code)])))
      await api.post('/stock/bulk-create/', items)
      expect(seen).toEqual([['insert', ['z', 'z', 'm']]])
      stops.push(preSave(stock, ({ values }) => void Object.assign(values, { amount: 7 })))
      const created = await api.post('/stock/bulk-create/', [
        { house: 2, code: 'p' },
        { house: 1, code: 'p' },
      ])
      expect(created.data()).toMatchObject([
        { house: 2, amount: 7 },
        { house: 1, amount: 7 },
      ])
    })
  })

  describe('a delete', () => {
    test.each(['DELETE', 'POST'] as const)('by the parts, as a path has them or as an object: %s', async method => {
      allowUndescribed(/takes \[/, 'what is no key names no record')
      const body = ['1,b', { house: 2, code: 'x,y~z' }, '2,x~1y~0z', '1,none', '1', 'x,b', 7, null, { house: 1 }]
      const deleted = await api.request(method, '/stock/bulk-delete/', { body })
      expect(deleted.data()).toEqual({ requested_count: 9, count: 2, missing_ids: body.slice(3) })
      expect(await rows()).toEqual(['1 a 1', '2 a 3'])
    })

    test('deletes only the rows with all parts', async () => {
      const deleted = await api.request('DELETE', '/stock/bulk-delete/', { body: ['1,a', '2,x~1y~0z'] })
      expect(deleted.data()).toMatchObject({ count: 2 })
      expect(await rows()).toEqual(['1 b 2', '2 a 3'])
    })

    test('sees the records of the queryset, and asks the permissions about each', async () => {
      const scoped = await api.request('DELETE', '/scoped/bulk-delete/', { body: ['2,a', '2,x~1y~0z'] })
      expect(scoped.data()).toMatchObject({ count: 1, missing_ids: ['2,x~1y~0z'] })
      await api.patch('/stock/1,a/', { mark: 'kept' })
      const refused = await api.request('DELETE', '/guarded/bulk-delete/', { body: ['1,b', '1,a'] })
      expect(refused.status).toBe(401)
      expect(await rows()).toHaveLength(3)
    })

    test('compares the version of each', async () => {
      const [first, second] = (await api.get('/scoped/?ordering=code')).data<{ _etag: string }[]>()
      const item = { house: 2, code: 'a', _etag: 'x' }
      const stale = await api.request('DELETE', '/scoped/bulk-delete/', { body: [item] })
      expect([stale.status, first, second]).toEqual([412, expect.anything(), undefined])
      const fresh = await api.request('DELETE', '/scoped/bulk-delete/', { body: [{ ...item, _etag: first?._etag }] })
      expect(fresh.data()).toMatchObject({ count: 1 })
    })

    test.each(['bulk-delete', 'bulk-soft-delete'])(
      'marks records as deleted, and a restore finds them: %s',
      async path => {
        await api.post('/places/bulk-create/', [
          { row: 1, seat: 'a' },
          { row: 1, seat: 'b' },
          { row: 2, seat: 'a' },
        ])
        const deleted = await api.request('DELETE', `/places/${path}/`, { body: ['1,a', '2,a', '2,b'] })
        expect(deleted.data()).toEqual({ requested_count: 3, count: 2, missing_ids: ['2,b'] })
        expect((await api.get('/places/')).data()).toMatchObject([{ row: 1, seat: 'b' }])
        expect(await api.rows('places')).toHaveLength(3)
        expect((await api.post('/places/1,a/restore/')).status).toBe(200)
        const restored = await api.post('/places/bulk-restore/', [{ row: 2, seat: 'a' }, '2,b', '1,b'])
        expect(restored.data()).toEqual({ requested_count: 3, count: 1, missing_ids: ['2,b'] })
        expect((await api.get('/places/')).data()).toHaveLength(3)
      },
    )

    test('calls postWrite with the deleted records', async () => {
      const seen: unknown[] = []
      stops.push(postWrite(stock, ({ before }) => void seen.push(before?.map(({ house, code }) => `${house} ${code}`))))
      await api.request('DELETE', '/stock/bulk-delete/', { body: ['2,a', '1,a'] })
      expect(seen).toEqual([['2 a', '1 a']])
    })
  })

  describe.each(['stock', 'saving'])('an update: %s', name => {
    const path = `/${name}/bulk-update/`

    test('writes the rows with these parts and no others, and answers in the order of the request', async () => {
      const items = [
        { house: 2, code: 'a', amount: 30 },
        { house: 1, code: 'a', mark: 'm' },
      ]
      const changed = await api.patch(path, items)
      expect([changed.status, changed.data()]).toEqual([
        200,
        [
          { house: 2, code: 'a', amount: 30, mark: 'kept' },
          { house: 1, code: 'a', amount: 1, mark: 'm' },
        ],
      ])
      const put = await api.put(path, [{ house: 1, code: 'b', amount: 20 }])
      expect(put.data()).toEqual([{ house: 1, code: 'b', amount: 20, mark: null }])
      expect(await rows()).toEqual(['1 a 1', '1 b 20', '2 a 30', '2 x,y~z 4'])
    })

    test('refuses an item without a record, with a malformed key, or of the same record', async () => {
      const refused = await api.patch(path, [
        { house: 1, code: 'none', amount: 1 },
        { house: 'x', amount: 1 },
        { house: 1, code: 'a' },
        { house: 1, code: 'a' },
        7,
      ])
      expect([refused.status, refused.envelope().errors]).toEqual([
        400,
        {
          '0.non_field_errors': [expect.stringContaining('no stock with the house, code "1, none"')],
          '1.house': [expect.any(String)],
          '1.code': [expect.any(String)],
          '3.non_field_errors': [expect.any(String)],
          '4.non_field_errors': [expect.any(String)],
        },
      ])
    })

    test('lets two records of the same house exchange a unique value, and refuses one that is taken', async () => {
      await api.patch(path, [
        { house: 1, code: 'a', mark: 'p' },
        { house: 1, code: 'b', mark: 'q' },
      ])
      const exchanged = await api.patch(path, [
        { house: 1, code: 'a', mark: 'q' },
        { house: 1, code: 'b', mark: 'p' },
      ])
      expect(exchanged.data()).toMatchObject([{ mark: 'q' }, { mark: 'p' }])
      const taken = await api.patch(path, [
        { house: 1, code: 'a', mark: 'p' },
        { house: 2, code: 'a', amount: 1 },
      ])
      expect([taken.status, taken.envelope().errors]).toEqual([400, { '0.mark': [expect.any(String)] }])
      const own = await api.patch(path, [{ house: 1, code: 'a', mark: 'q' }])
      expect(own.status).toBe(200)
    })
  })

  test('records with such a key follow a soft delete of another record', async () => {
    await api.database.transaction(async () => {
      await insertMany(rooms, [{ id: 1 }, { id: 2 }])
      await insertMany(chairs, [
        { room: 1, seat: 'a' },
        { room: 1, seat: 'b' },
        { room: 2, seat: 'a' },
      ])
    })
    const active = async () => (await api.rows('chairs')).filter(row => /^(1|t|true)$/.test(String(row[2]))).length
    expect((await api.delete('/rooms/1/')).status).toBe(204)
    expect(await active()).toBe(1)
    expect((await api.post('/rooms/1/restore/')).status).toBe(200)
    expect(await active()).toBe(3)
  })

  test('postWrite gets the records as they were before a bulk update', async () => {
    const seen: unknown[] = []
    const codes = (records: readonly { house: number; amount: number }[] = []) =>
      records.map(({ house, amount }) => `${house} ${amount}`)
    stops.push(postWrite(stock, ({ before, after }) => void seen.push(codes(before), codes(after)), { before: true }))
    await api.patch('/stock/bulk-update/', [
      { house: 2, code: 'a', amount: 30 },
      { house: 1, code: 'a', amount: 10 },
    ])
    expect(seen).toEqual([
      ['2 3', '1 1'],
      ['2 30', '1 10'],
    ])
  })

  test('an update with an outdated version of an item is refused', async () => {
    const [first] = (await api.get('/scoped/?ordering=code')).data<{ _etag: string }[]>()
    const item = { house: 2, code: 'a', amount: 5 }
    const fresh = await api.patch('/scoped/bulk-update/', [{ ...item, _etag: first?._etag }])
    expect(fresh.data()).toMatchObject([{ amount: 5, _etag: expect.any(String) }])
    expect((await api.patch('/scoped/bulk-update/', [{ ...item, _etag: first?._etag }])).status).toBe(412)
    const hidden = await api.patch('/scoped/bulk-update/', [{ house: 2, code: 'x,y~z', amount: 5 }])
    expect(hidden.status).toBe(400)
  })

  test('a client names records by objects or texts', async () => {
    const port = await api.listen()
    const client = createClient<{ stock: typeof StockViewSet }>({ baseUrl: `http://127.0.0.1:${port}/api` })
    const report = await client.stock.bulkDelete([{ house: 1, code: 'a' }, '1,b', { house: 1, code: 'none' }])
    expect(report).toEqual({ requested_count: 3, count: 2, missing_ids: [{ house: 1, code: 'none' }] })
  })

  test('a unique value of another record with an equal part is taken', async () => {
    const taken = await api.patch('/stock/2,a/', { mark: 'secret' })
    expect([taken.status, taken.envelope().errors]).toEqual([400, { mark: [expect.any(String)] }])
  })

  describe('the document', () => {
    const api = useApi(dialect, { tables: { houses, stock }, openapi: true, resources: { stock: ViewSet(config) } })

    test('describes both forms of a key', async () => {
      const { paths } = JSON.parse((await api.get('/openapi.json')).text) as Record<string, object>
      const operation = JSON.stringify(Reflect.get(Reflect.get(paths ?? {}, '/stock/bulk-delete/'), 'delete'))
      expect(operation).toContain('"required":["house","code"]')
      const items = [{ house: 1, code: 'a' }]
      await api.database.transaction(() => insertMany(houses, [{ id: 1, name: 'one' }]))
      expect((await api.post('/stock/bulk-create/', items)).status).toBe(201)
      expect((await api.patch('/stock/bulk-update/', [{ ...items[0], amount: 2 }])).status).toBe(200)
      expect((await api.delete('/stock/bulk-delete/', { body: [...items, '1,a'] })).data()).toMatchObject({ count: 1 })
    })
  })
})
