import { BaseModelSerializer, type ColumnKit, ManyDataToDataField } from 'viewset'

/** Orders with lines, whose boxes are children again. Keys are numbers, and serial numbers are unique among all lines. */
export function shop(c: ColumnKit) {
  const products = c.table('products', { id: c.integer().primaryKey(), name: c.text(30).notNull().unique() })
  const orders = c.table('orders', {
    id: c.integer().primaryKey(),
    number: c.text(20).notNull().unique(),
    status: c.text(10).notNull().default('open'),
  })
  const lines = c.table(
    'order_lines',
    {
      id: c.integer().primaryKey(),
      order: c.foreignKey(orders, { onDelete: 'cascade' }).notNull(),
      position: c.integer().notNull(),
      product: c.foreignKey(products).notNull(),
      quantity: c.integer().notNull().default(1),
      serial: c.text(20).unique(),
    },
    t => [c.unique(t.order, t.position)],
  )
  const boxes = c.table('boxes', {
    id: c.integer().primaryKey(),
    line: c.foreignKey(lines, { onDelete: 'cascade' }).notNull(),
    label: c.text(20).notNull().unique(),
  })
  return { products, orders, lines, boxes }
}

export type Shop = ReturnType<typeof shop>

export function shopSerializers({ orders, lines, boxes }: Shop) {
  const Line = BaseModelSerializer(lines, {
    fields: ['id', 'position', 'product', 'quantity', 'serial'],
    extra: {
      boxes: ManyDataToDataField({
        queryset: boxes,
        serializer: BaseModelSerializer(boxes, { fields: ['id', 'label'] }),
        ordering: 'label',
      }),
    },
  })
  const Order = BaseModelSerializer(orders, {
    fields: ['id', 'number', 'status'],
    extra: { lines: ManyDataToDataField({ queryset: lines, serializer: Line, ordering: 'position' }) },
  })
  return { Line, Order }
}
