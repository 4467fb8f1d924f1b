import { eq, ne } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  HistoryModelMixin,
  importModel,
  insertMany,
  ManyDataToDataField,
  ManyIdToDataField,
  RestoreModelMixin,
  scoped,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { type TestResponse, useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { csv } from '../support/imports.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

interface Line {
  readonly id: number
  readonly position: number
  readonly product: string
}

describeDialects('children of a list with softDelete', dialect => {
  const c = dialect.kit
  const orders = c.table('orders', { id: c.integer().primaryKey(), number: c.text(20).notNull().unique() })
  const lines = c.table(
    'lines',
    {
      id: c.integer().primaryKey(),
      order: c.foreignKey(orders, { onDelete: 'cascade' }).notNull(),
      position: c.integer().notNull(),
      product: c.text(20).notNull(),
      code: c.text(20).unique(),
      ...c.SoftDeleteMixin(),
    },
    t => [c.unique([t.order, t.position], { where: eq(t.isActive, true) })],
  )
  const boxes = c.table('boxes', {
    id: c.integer().primaryKey(),
    line: c.foreignKey(lines, { onDelete: 'cascade', onSoftDelete: 'cascade' }).notNull(),
    label: c.text(20).notNull(),
    ...c.SoftDeleteMixin(),
  })
  const Box = BaseModelSerializer(boxes, { fields: ['id', 'label'] })
  const Line = BaseModelSerializer(lines, {
    fields: ['id', 'position', 'product', 'code'],
    extra: { boxes: ManyDataToDataField({ queryset: boxes, serializer: Box, softDelete: true }) },
  })
  const Order = BaseModelSerializer(orders, {
    fields: ['id', 'number'],
    extra: { lines: ManyDataToDataField({ queryset: lines, serializer: Line, softDelete: true }) },
  })
  const plain = c.table('plain', {
    id: c.integer().primaryKey(),
    order: c.foreignKey(orders).notNull(),
    label: c.text(20),
  })
  const Plain = BaseModelSerializer(plain, { fields: ['id', 'label'] })
  const { ordersHistory } = c.HistoryTable(orders)
  const { linesHistory } = c.HistoryTable(lines, { parent: 'order' })
  const { boxesHistory } = c.HistoryTable(boxes, { parent: 'line' })
  const { jobs, jobErrors } = c.JobTables()
  const queue = new ManualQueue()
  const permissionClasses = [AllowAny]
  const ViewSet = BulkImportableViewSet.add(RestoreModelMixin)
  const api = useApi(dialect, {
    tables: { orders, lines, boxes, ordersHistory, linesHistory, boxesHistory, jobs, jobErrors },
    users: { ann: { id: 'ann' } },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
    resources: {
      orders: BulkImportableViewSet.add(HistoryModelMixin)({
        model: orders,
        serializer: Order,
        permissionClasses,
        importFileConfig: {
          fileFormat: 'csv',
          order: ['orders'],
          models: {
            orders: importModel({ model: orders, fields: ['number'], uniqueFields: ['number'], lists: ['lines'] }),
          },
        },
      }),
      scoped: BulkImportableViewSet({
        model: orders,
        serializer: BaseModelSerializer(orders, {
          name: 'Scoped',
          fields: ['id', 'number'],
          extra: {
            lines: ManyDataToDataField({
              queryset: scoped(lines, () => ne(lines.product, 'secret')),
              serializer: Line,
              softDelete: true,
            }),
          },
        }),
        permissionClasses,
        importFileConfig: {
          fileFormat: 'csv',
          order: ['orders'],
          models: { orders: importModel({ model: orders, fields: ['number'], uniqueFields: ['number'] }) },
        },
      }),
      lines: ViewSet({
        model: lines,
        serializer: BaseModelSerializer(lines, { name: 'Own', fields: ['id', 'order', 'position', 'product'] }),
        permissionClasses,
        softDelete: true,
        importFileConfig: {
          fileFormat: 'csv',
          order: ['lines'],
          models: {
            lines: importModel({
              model: lines,
              fields: ['order', 'position', 'product'],
              createOnly: true,
              uniqueFields: [],
            }),
          },
        },
      }),
    },
  })
  beforeEach(() =>
    api.post('/orders/', {
      number: 'A',
      lines: [
        { position: 1, product: 'a', boxes: [{ label: 'x' }] },
        { position: 2, product: 'b', code: 'B' },
      ],
    }),
  )
  const kept: Line = { id: 1, position: 1, product: 'a' }
  const WAYS: Readonly<Record<string, (list: readonly object[]) => Promise<TestResponse>>> = {
    'a PUT': list => api.put('/orders/1/', { number: 'A', lines: list }),
    'a bulk PUT': list => api.put('/orders/bulk-update/', [{ id: 1, number: 'A', lines: list }]),
    'an import': list =>
      api.post(
        '/orders/import-from-file/',
        undefined,
        importForm(csv(['number', 'lines'], ['A', JSON.stringify(list)])),
      ),
  }
  const shown = async () => (await api.get('/orders/1/')).data<{ lines: Line[] }>().lines.map(({ product }) => product)

  describe.each(Object.entries(WAYS))('%s', (_, write) => {
    test('marks those that it leaves out, and theirs; they can be restored', async () => {
      expect((await write([kept])).status).toBeLessThan(300)
      expect(await shown()).toEqual(['a'])
      expect(await api.rows('lines')).toHaveLength(2)
      const restored = await api.post('/lines/2/restore/')
      expect(restored.status, restored.text).toBe(200)
      expect(await shown()).toEqual(['a', 'b'])
      await write([{ id: 2, position: 2, product: 'b', boxes: [] }])
      expect(await api.rows('boxes')).toHaveLength(1)
      await api.post('/lines/1/restore/')
      const { lines: list } = (await api.get('/orders/1/')).data<{ lines: { boxes: object[] }[] }>()
      expect(list[0]?.boxes).toHaveLength(1)
    })

    test('may give the place of one that it leaves out to a new one, but no value that stays unique', async () => {
      const answer = await write([kept, { position: 2, product: 'c' }])
      expect(answer.status, answer.text).toBeLessThan(300)
      expect(await shown()).toEqual(['a', 'c'])
      const taken = await write([kept, { position: 3, product: 'd', code: 'B' }])
      expect(taken.text).toContain('lines.1.code')
      expect(await shown()).toEqual(['a', 'c'])
    })

    test('does not find those that are marked', async () => {
      await write([kept])
      const answer = await write([kept, { id: 2, position: 2, product: 'b' }])
      expect(answer.text).toContain('There is no line with the id \\"2\\".')
    })
  })

  test('are deleted in the history, and marked no second time', async () => {
    await WAYS['a PUT']?.([kept])
    await WAYS['a PUT']?.([kept])
    const entries = (await api.rows('lines_history')).filter(([, record]) => record === '2').map(row => row[2])
    expect(entries).toEqual(['create', 'soft_delete'])
  })

  test('keep their entries in the history of their record', async () => {
    await WAYS['a PUT']?.([kept])
    const entries = (await api.get('/orders/1/history/')).data<{ action: string; path: string | null }[]>()
    const ofChild = entries.filter(({ path }) => path?.startsWith('lines.2'))
    expect(ofChild.map(({ action }) => action)).toEqual(['soft_delete', 'create'])
  })

  test('are hidden, and no others: a list without scopeReads shows what is outside of its queryset', async () => {
    await api.post('/scoped/', { number: 'S', lines: [{ position: 1, product: 'open' }] })
    await api.database.transaction(() => insertMany(lines, [{ order: 2, position: 2, product: 'secret' }]))
    const { lines: list } = (await api.get('/scoped/2/')).data<{ lines: Line[] }>()
    expect(list.map(({ product }) => product)).toEqual(['open', 'secret'])
  })

  test('come back by the undo of an import', async () => {
    const file = csv(['number', 'lines'], ['A', JSON.stringify([kept, { position: 2, product: 'c' }])])
    const answer = await api.post('/orders/import-from-file/', undefined, { as: 'ann', ...importForm(file) })
    expect(await shown()).toEqual(['a', 'c'])
    const undo = await api.post(`/jobs/${answer.data<{ job: string }>().job}/undo/`, undefined, { as: 'ann' })
    await queue.run(undo.data<JobData>().id)
    expect(await shown()).toEqual(['a', 'b'])
  })

  test('are deleted with their record, as its foreign key says', async () => {
    expect((await api.delete('/orders/1/')).status).toBe(204)
    expect(await api.rows('lines')).toEqual([])
  })

  test.each([
    [
      'of a model without soft delete',
      () => {
        const lists = ManyDataToDataField({ queryset: plain, serializer: Plain, softDelete: true })
        return BaseModelSerializer(orders, { fields: ['id'], extra: { lists } })
      },
      /softDelete needs a model with SoftDeleteMixin\(\), and "plain" has none/,
    ],
    [
      'that is read-only',
      () => {
        const lists = ManyDataToDataField({ queryset: lines, serializer: Line, softDelete: true, readOnly: true })
        return BaseModelSerializer(orders, { fields: ['id'], extra: { lists } })
      },
      /softDelete is for children that the list writes/,
    ],
  ])('a list %s is refused at start', (_, make, problem) => {
    expect(make).toThrow(problem)
  })

  test('is no option of a list of identifiers', () => {
    // @ts-expect-error: such a list deletes nothing
    ManyIdToDataField({ queryset: lines, serializer: Line, softDelete: true })
  })
})
