import { randomUUID } from 'node:crypto'
import { BaseModelSerializer, type ColumnKit, IdToStrField, ManyDataToDataField } from 'viewset'

/** Orders with lines, whose boxes are children again. */
export function orders(c: ColumnKit) {
  const id = () => c.uuid().primaryKey().$defaultFn(randomUUID)
  const products = c.table('products', {
    id: id(),
    name: c.text(30).notNull().unique(),
    team: c.text(10).notNull().default('red'),
  })
  const orders = c.table('orders', {
    id: id(),
    number: c.text(20).notNull().unique(),
    status: c.text(10).notNull().default('open'),
    ...c.VersionMixin(),
  })
  const lines = c.table(
    'order_lines',
    {
      id: id(),
      order: c.foreignKey(orders, { onDelete: 'cascade' }).notNull(),
      position: c.integer().notNull(),
      product: c.foreignKey(products).notNull(),
      quantity: c.integer().notNull().default(1),
      ...c.VersionMixin(),
    },
    t => [c.unique(t.order, t.position)],
  )
  const boxes = c.table('boxes', {
    id: id(),
    line: c.foreignKey(lines, { onDelete: 'cascade' }).notNull(),
    label: c.text(20).notNull().unique(),
  })
  return { products, orders, lines, boxes }
}

export type Orders = ReturnType<typeof orders>

export function orderSerializers({ products, orders, lines, boxes }: Orders) {
  const Box = BaseModelSerializer(boxes, { fields: ['id', 'label'] })
  const Line = BaseModelSerializer(lines, {
    fields: ['id', 'position', 'quantity'],
    extra: {
      product: IdToStrField({ queryset: products, str: 'name' }),
      boxes: ManyDataToDataField({ queryset: boxes, serializer: Box, ordering: 'label' }),
    },
  })
  const Order = BaseModelSerializer(orders, {
    fields: ['id', 'number', 'status'],
    extra: { lines: ManyDataToDataField({ queryset: lines, serializer: Line, ordering: 'position' }) },
  })
  return { Box, Line, Order }
}
