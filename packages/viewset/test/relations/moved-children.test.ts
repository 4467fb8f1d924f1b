import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkUpsertModelMixin,
  currentDb,
  IdOnlyField,
  IdToDataField,
  importForeignKey,
  importModel,
  insertMany,
  ManyDataToDataField,
  StrOnlyField,
  scoped,
  type User,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { type TestResponse, useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { csv } from '../support/imports.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

const REFUSED = 'This record belongs to another one that you may not change, so it cannot move.'

describeDialects('a child that moves to another parent', dialect => {
  const c = dialect.kit
  const orders = c.table('orders', {
    id: c.integer().primaryKey(),
    number: c.text(10).notNull().unique(),
    owner: c.text(10).notNull(),
    ...c.VersionMixin(),
  })
  const lines = c.table('lines', {
    id: c.integer().primaryKey(),
    order: c.foreignKey(orders),
    product: c.text(10).notNull().unique(),
  })
  const own = ({ user }: { readonly user: User | null }) => eq(orders.owner, String(user?.id))
  const Order = BaseModelSerializer(orders, { fields: ['id', 'number'] })
  const ownOrders = scoped(orders, own)
  const config = { model: lines, permissionClasses: [AllowAny], upsertFields: ['product'] } as const
  const imported = importModel({
    model: lines,
    fields: ['product'],
    uniqueFields: ['product'],
    foreignKeys: { order: importForeignKey({ model: ownOrders, lookupField: 'number', sourceField: 'order_number' }) },
  })
  const importFileConfig = (more: object = {}) =>
    ({ fileFormat: 'csv', order: ['lines'], models: { lines: { ...imported, ...more } } }) as const
  const ViewSet = BulkImportableViewSet.add(BulkUpsertModelMixin)
  const ById = BaseModelSerializer(lines, {
    name: 'ById',
    fields: ['id', 'product'],
    extra: { order: IdOnlyField({ queryset: ownOrders }) },
  })
  const { jobs, jobErrors } = c.JobTables()
  const queue = new ManualQueue()
  const api = useApi(dialect, {
    tables: { orders, lines, ...c.HistoryTable(lines), jobs, jobErrors },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
    users: { ann: { id: 'ann' }, ben: { id: 'ben' } },
    resources: {
      orders: ViewSet({
        model: orders,
        serializer: BaseModelSerializer(orders, {
          fields: ['id', 'number'],
          extra: {
            lines: ManyDataToDataField({
              queryset: lines,
              serializer: BaseModelSerializer(lines, { name: 'Nested', fields: ['id', 'product'] }),
            }),
          },
        }),
        permissionClasses: [AllowAny],
        queryset: own,
        fixedValues: ({ user }) => ({ owner: String(user?.id) }),
        upsertFields: ['number'],
        importFileConfig: {
          fileFormat: 'csv',
          order: ['orders'],
          models: { orders: importModel({ model: orders, fields: ['number'], uniqueFields: ['number'] }) },
        },
      }),
      lines: ViewSet({ ...config, serializer: ById, importFileConfig: importFileConfig() }),
      unchanged: ViewSet({ ...config, serializer: ById, importFileConfig: importFileConfig({ skipUnchanged: true }) }),
      shown: ViewSet({
        ...config,
        serializer: BaseModelSerializer(lines, {
          name: 'Shown',
          fields: ['id', 'product'],
          extra: { order: IdToDataField({ queryset: ownOrders, serializer: Order }) },
        }),
        importFileConfig: importFileConfig(),
      }),
      named: ViewSet({
        ...config,
        serializer: BaseModelSerializer(lines, {
          name: 'Named',
          fields: ['id', 'product'],
          extra: { order: StrOnlyField({ queryset: ownOrders, str: 'number' }) },
        }),
        importFileConfig: importFileConfig(),
      }),
    },
  })
  beforeEach(() =>
    api.database.transaction(async () => {
      await insertMany(orders, [
        { number: 'A1', owner: 'ann' },
        { number: 'A2', owner: 'ann' },
        { number: 'B1', owner: 'ben' },
      ])
      await insertMany(lines, [{ order: 1, product: 'own' }, { order: 3, product: 'foreign' }, { product: 'free' }])
    }),
  )
  const ann = { as: 'ann' } as const
  const stored = async () =>
    Object.fromEntries(
      (await api.rows('lines')).map(([, order, product]) => [product, order === null ? null : Number(order)]),
    )
  const versions = async () => (await api.rows('orders')).map(row => row.at(-1))

  /** Moves a line to an order of Ann, or away from any. */
  type Move = (resource: string, line: { id: number; product: string }, to: 'A2' | null) => Promise<TestResponse>
  const value = (resource: string, to: 'A2' | null) => (to === null ? null : resource === 'named' ? to : 2)
  const WAYS: Readonly<Record<string, Move>> = {
    'a PATCH': (resource, { id }, to) => api.patch(`/${resource}/${id}/`, { order: value(resource, to) }, ann),
    'a PUT': (resource, { id, product }, to) =>
      api.put(`/${resource}/${id}/`, { product, order: value(resource, to) }, ann),
    'a bulk update': (resource, { id }, to) =>
      api.patch(`/${resource}/bulk-update/`, [{ id, order: value(resource, to) }], ann),
    'a bulk upsert': (resource, { product }, to) =>
      api.post(`/${resource}/bulk-upsert/`, [{ product, order: value(resource, to) }], ann),
    'an import': (resource, { product }, to) => {
      const file = csv(['product', 'order_number'], [product, to])
      return api.post(`/${resource}/import-from-file/`, undefined, { ...ann, ...importForm(file) })
    },
  }
  const messages = (answer: TestResponse) => answer.text.split(REFUSED).length - 1

  describe.each(['lines', 'unchanged', 'shown', 'named'])('through %s', resource => {
    test.each(Object.entries(WAYS))('leaves only a parent that the request may change: %s', async (_, move) => {
      for (const to of ['A2', null] as const) {
        const before = [await stored(), await versions()]
        const refused = await move(resource, { id: 2, product: 'foreign' }, to)
        expect(messages(refused), refused.text).toBeGreaterThan(0)
        expect([await stored(), await versions()]).toEqual(before)
      }
      await move(resource, { id: 1, product: 'own' }, 'A2')
      await move(resource, { id: 3, product: 'free' }, 'A2')
      expect(await stored()).toEqual({ own: 2, foreign: 3, free: 2 })
    })

    test.each(Object.entries(WAYS))('may stay where it is: %s', async (_, move) => {
      const own = await move(resource, { id: 1, product: 'own' }, 'A2')
      const again = await move(resource, { id: 1, product: 'own' }, 'A2')
      expect([messages(own), messages(again)]).toEqual([0, 0])
    })
  })

  test.each([
    ['leaves', 1],
    ['gets', 2],
  ])('by an undo %s only a parent that the user may change', async (_, foreign) => {
    const moved = await WAYS['an import']?.('lines', { id: 1, product: 'own' }, 'A2')
    const job = moved?.data<{ job: string }>().job
    const now = foreign === 1 ? 2 : 1
    await api.database.transaction(() => currentDb().update(orders).set({ owner: 'ben' }).where(eq(orders.id, now)))
    const { id } = (await api.post(`/jobs/${job}/undo/`, undefined, ann)).data<JobData>()
    await queue.run(id)
    const undone = (await api.get(`/jobs/${id}/`, ann)).data<JobData>()
    expect(undone.result).toMatchObject({ reversed: 0, failed: 1 })
    expect(await stored()).toMatchObject({ own: 2 })
  })

  test('keeps other changes of a child of a hidden parent as they are', async () => {
    expect((await api.patch('/lines/2/', { product: 'new' }, ann)).status).toBe(200)
    expect(await stored()).toMatchObject({ new: 3 })
  })
})
