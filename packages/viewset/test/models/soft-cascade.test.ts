import { eq } from 'drizzle-orm'
import {
  AllowAny,
  allRecords,
  BaseModelSerializer,
  BulkRestoreModelMixin,
  BulkViewSet,
  type ColumnKit,
  ConfigError,
  findRecords,
  insertMany,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { softCascadesOf } from '../../src/model/soft-cascades.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'

function shopTables(c: ColumnKit) {
  const id = () => c.integer().primaryKey()
  const orders = c.table('orders', { id: id(), ...c.SoftDeleteMixin() })
  const lines = c.table('lines', {
    id: id(),
    ...c.SoftDeleteMixin(),
    order: c.foreignKey(orders, { onSoftDelete: 'cascade' }).notNull(),
    replaces: c.foreignKey(orders),
  })
  const boxes = c.table('boxes', {
    id: id(),
    ...c.SoftDeleteMixin(),
    line: c.foreignKey(lines, { onSoftDelete: 'cascade', onDelete: 'cascade' }),
  })
  return { orders, lines, boxes, ...c.HistoryTable(lines) }
}

describeDialects('onSoftDelete', dialect => {
  const tables = shopTables(dialect.kit)
  const { orders, lines, boxes, linesHistory } = tables
  const api = useApi(dialect, {
    tables,
    resources: {
      orders: BulkViewSet.add(BulkRestoreModelMixin)({
        model: orders,
        serializer: BaseModelSerializer(orders, { fields: ['id', 'isActive'] }),
        permissionClasses: [AllowAny],
        restoreQueryset: () => allRecords,
      }),
    },
  })
  const active = async () => {
    const of = async (table: string) =>
      (await api.rows(table))
        .flatMap(([id, isActive]) => (['true', '1', 't'].includes(String(isActive)) ? [Number(id)] : []))
        .toSorted()
    return [await of('orders'), await of('lines'), await of('boxes')]
  }
  beforeEach(() =>
    api.database.transaction(async () => {
      await insertMany(orders, [{ id: 1 }, { id: 2 }])
      await insertMany(lines, [
        { id: 1, order: 1 },
        { id: 2, order: 1 },
        { id: 3, order: 2, replaces: 1 },
      ])
      await insertMany(boxes, [{ id: 1, line: 1 }, { id: 2, line: 3 }, { id: 3 }])
    }),
  )
  const orderOf = async (id: number) => (await findRecords(orders, eq(orders.id, id)))[0]

  test('records follow a soft delete at each depth, and come back with it', async () => {
    await api.database.transaction(async () => (await findRecords(lines, eq(lines.id, 2)))[0]?.softDelete())
    await api.database.transaction(async () => (await orderOf(1))?.softDelete())
    expect(await active()).toEqual([[2], [3], [2, 3]])
    await api.database.transaction(async () => (await orderOf(1))?.restore())
    // Line 2 was deleted on its own before.
    expect(await active()).toEqual([
      [1, 2],
      [1, 3],
      [1, 2, 3],
    ])
  })

  test('in bulk, with entries in their history', async () => {
    await api.delete('/orders/bulk-soft-delete/', { body: [1, 2] })
    expect(await active()).toEqual([[], [], [3]])
    await api.post('/orders/bulk-restore/', [2])
    expect(await active()).toEqual([[2], [3], [2, 3]])
    const actions = await api.database.use(async () =>
      (await api.rows('lines_history')).map(row => row[2]).filter(action => action !== 'create'),
    )
    expect(actions.toSorted()).toEqual(['restore', 'soft_delete', 'soft_delete', 'soft_delete'])
    expect(linesHistory).toBeDefined()
  })

  test('a second soft delete changes nothing', async () => {
    await api.database.transaction(async () => (await orderOf(1))?.softDelete())
    const before = await api.rows('lines')
    await api.delete('/orders/bulk-soft-delete/', { body: [1] })
    expect((await api.rows('lines')).toSorted()).toEqual(before.toSorted())
  })

  test('both models need a soft delete', () => {
    const c = dialect.kit
    const hard = c.table('hard', { id: c.integer().primaryKey() })
    c.table('soft', {
      id: c.integer().primaryKey(),
      ...c.SoftDeleteMixin(),
      hard: c.foreignKey(hard, { onSoftDelete: 'cascade' }),
    })
    expect(() => softCascadesOf(hard)).toThrow(ConfigError)
  })
})
