import { ne } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  type ColumnKit,
  HistoryModelMixin,
  importModel,
  insertMany,
  ManyDataToDataField,
  scoped,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { csv } from '../support/imports.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

/** Orders with lines, boxes and seals below one another. No foreign key deletes or changes rows by itself. */
function family(c: ColumnKit) {
  const orders = c.table('orders', { id: c.integer().primaryKey(), number: c.text(5).notNull().unique() })
  const lines = c.table('lines', {
    id: c.integer().primaryKey(),
    order: c.foreignKey(orders).notNull(),
    name: c.text(10).notNull(),
  })
  const boxes = c.table('boxes', {
    id: c.integer().primaryKey(),
    line: c.foreignKey(lines).notNull(),
    label: c.text(10).notNull(),
  })
  const seals = c.table('seals', {
    id: c.integer().primaryKey(),
    box: c.foreignKey(boxes).notNull(),
    code: c.text(10).notNull().unique(),
  })
  const parcels = c.table('parcels', { id: c.integer().primaryKey(), seal: c.foreignKey(seals) })
  const histories = {
    ...c.HistoryTable(orders),
    ...c.HistoryTable(lines, { parent: 'order' }),
    ...c.HistoryTable(boxes, { parent: 'line' }),
    ...c.HistoryTable(seals, { parent: 'box' }),
  }
  return { orders, lines, boxes, seals, parcels, ...histories, ...c.JobTables() }
}

describeDialects('a child that a list leaves out', dialect => {
  const tables = family(dialect.kit)
  const { orders, lines, boxes, seals, parcels } = tables
  const Seal = BaseModelSerializer(seals, { fields: ['id', 'code'] })
  const Box = BaseModelSerializer(boxes, {
    fields: ['id', 'label'],
    extra: { seals: ManyDataToDataField({ queryset: seals, serializer: Seal, ordering: 'id' }) },
  })
  const Line = BaseModelSerializer(lines, {
    fields: ['id', 'name'],
    extra: { boxes: ManyDataToDataField({ queryset: boxes, serializer: Box, ordering: 'id' }) },
  })
  const PlainLine = BaseModelSerializer(lines, { name: 'PlainLine', fields: ['id', 'name'] })
  const ScopedLine = BaseModelSerializer(lines, {
    name: 'ScopedLine',
    fields: ['id', 'name'],
    extra: {
      boxes: ManyDataToDataField({ queryset: scoped(boxes, () => ne(boxes.label, 'hidden')), serializer: Box }),
    },
  })
  const orderWith = (name: string, line: typeof Line | typeof PlainLine | typeof ScopedLine) =>
    BaseModelSerializer(orders, {
      name,
      fields: ['id', 'number'],
      extra: { lines: ManyDataToDataField({ queryset: lines, serializer: line, ordering: 'id' }) },
    })
  const ViewSet = BulkImportableViewSet.add(HistoryModelMixin)
  const config = {
    model: orders,
    permissionClasses: [AllowAny],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['orders'],
      models: {
        orders: importModel({ model: orders, fields: ['number'], lists: ['lines'], uniqueFields: ['number'] }),
      },
    },
  } as const
  const queue = new ManualQueue()
  const api = useApi(dialect, {
    tables,
    users: { ann: { id: 'ann' } },
    jobs: { tables, queue, files: new MemoryJobFiles() },
    resources: {
      orders: ViewSet({ ...config, serializer: orderWith('Order', Line) }),
      plain: ViewSet({ ...config, serializer: orderWith('PlainOrder', PlainLine) }),
      scoped: ViewSet({ ...config, serializer: orderWith('ScopedOrder', ScopedLine) }),
    },
  })
  beforeEach(() =>
    api.database.transaction(async () => {
      await insertMany(orders, [
        { id: 1, number: 'A' },
        { id: 2, number: 'B' },
      ])
      await insertMany(lines, [
        { id: 11, order: 1, name: 'a' },
        { id: 12, order: 1, name: 'b' },
        { id: 13, order: 2, name: 'c' },
      ])
      await insertMany(boxes, [
        { id: 21, line: 11, label: 'x' },
        { id: 22, line: 12, label: 'y' },
        { id: 23, line: 13, label: 'z' },
      ])
      await insertMany(seals, [
        { id: 31, box: 21, code: 's' },
        { id: 32, box: 22, code: 't' },
        { id: 33, box: 23, code: 'u' },
      ])
    }),
  )
  const keys = async () =>
    Promise.all(
      ['lines', 'boxes', 'seals'].map(async name => (await api.rows(name)).map(([id]) => Number(id)).toSorted()),
    )
  const ALL = [
    [11, 12, 13],
    [21, 22, 23],
    [31, 32, 33],
  ]
  const FIRST = [
    [11, 13],
    [21, 23],
    [31, 33],
  ]
  const kept = { id: 11, name: 'a' }

  test('is deleted with what the same serializer writes below it, at all levels', async () => {
    const { status, text } = await api.put('/orders/1/', { number: 'A', lines: [kept] })
    expect(status, text).toBe(200)
    expect(await keys()).toEqual(FIRST)
    const history = (await api.get('/orders/1/history/')).data<{ path: string | null; action: string }[]>()
    const deleted = history.filter(({ action }) => action !== 'create')
    expect(deleted.map(({ path, action }) => `${path} ${action}`).toSorted()).toEqual([
      'lines.12 delete',
      'lines.12.boxes.22 delete',
      'lines.12.boxes.22.seals.32 delete',
    ])
  })

  test('is deleted so at each level', async () => {
    const { status, text } = await api.put('/orders/1/', { number: 'A', lines: [{ ...kept, boxes: [] }] })
    expect(status, text).toBe(200)
    expect(await keys()).toEqual([[11, 13], [23], [33]])
  })

  test('is deleted so in bulk, and frees its unique values', async () => {
    const { status, text } = await api.put('/orders/bulk-update/', [
      { id: 1, number: 'A', lines: [] },
      { id: 2, number: 'B', lines: [{ name: 'new', boxes: [{ label: 'n', seals: [{ code: 's' }] }] }] },
    ])
    expect(status, text).toBe(200)
    expect((await api.get('/orders/')).data()).toMatchObject([
      { lines: [] },
      { lines: [{ name: 'new', boxes: [{ label: 'n', seals: [{ code: 's' }] }] }] },
    ])
    expect((await keys()).map(({ length }) => length)).toEqual([1, 1, 1])
  })

  test('is deleted so by an import, whose undo brings all back', async () => {
    const file = csv(['number', 'lines'], ['A', JSON.stringify([kept])])
    const sent = { ...importForm(file, { append: true }), as: 'ann' }
    const imported = await api.request('POST', '/orders/import-from-file/', sent)
    expect(imported.data(), imported.text).toMatchObject({ failed: 0, updated: 1 })
    expect(await keys()).toEqual(FIRST)
    const { job } = imported.data<{ job: string }>()
    const { id } = (await api.post(`/jobs/${job}/undo/`, undefined, { as: 'ann' })).data<JobData>()
    await queue.run(id)
    expect((await api.get(`/jobs/${id}/`, { as: 'ann' })).data()).toMatchObject({ result: { kept: 0, failed: 0 } })
    expect(await keys()).toEqual(ALL)
  })

  test.each([
    ['a record of no list refers to what is below it', '/orders/1/', 'parcels', '32'],
    ['its serializer does not write what is below it', '/plain/1/', 'boxes', '12'],
    ['the list below it does not reach all of its records', '/scoped/1/', 'boxes', '12'],
  ])('stays, and the answer is a 409 at its list, if %s', async (_, path, table, key) => {
    await api.database.transaction(async () => {
      if (table === 'parcels') await insertMany(parcels, [{ seal: 32 }])
      else await insertMany(boxes, [{ id: 24, line: 12, label: 'hidden' }])
    })
    const before = await keys()
    const refused = await api.put(path, { number: 'A', lines: [kept] })
    expect([refused.status, refused.envelope().errors]).toEqual([
      409,
      {
        lines: [
          `Records of "${table}" refer to the record ${key}. Delete them first, or let them refer to other records.`,
        ],
      },
    ])
    expect(await keys()).toEqual(before)
  })
})
