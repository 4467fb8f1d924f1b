// What a client chooses of the records that it reads, and what the compiler then knows of them.
import { sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkViewSet,
  type ColumnKit,
  CustomOutputField,
  ExpressionField,
  IdOnlyField,
  IdToDataField,
  IdToStrField,
  ManyDataToDataField,
  ManyIdOnlyField,
  ManyIdToDataField,
} from 'viewset'
import { createClient } from 'viewset/client'
import type { Equal, Expect } from './support.ts'

declare const kit: ColumnKit
const makers = kit.table('makers', { id: kit.integer().primaryKey(), name: kit.text(20).notNull() })
const products = kit.table('products', {
  id: kit.integer().primaryKey(),
  name: kit.text(20).notNull(),
  maker: kit.foreignKey(makers).notNull(),
})
const orders = kit.table('orders', {
  id: kit.integer().primaryKey(),
  number: kit.text(20).notNull(),
  customer: kit.foreignKey(makers),
  payer: kit.foreignKey(makers),
  seller: kit.foreignKey(makers).notNull(),
  note: kit.json().$type<{ text: string }>(),
})
const lines = kit.table('lines', {
  id: kit.integer().primaryKey(),
  order: kit.foreignKey(orders).notNull(),
  product: kit.foreignKey(products).notNull(),
  quantity: kit.integer().notNull(),
  discount: kit.decimal(5, 2),
})
const labels = kit.table('labels', { id: kit.integer().primaryKey(), name: kit.text(20).notNull() })
const orderLabels = kit.table('order_labels', {
  id: kit.integer().primaryKey(),
  order: kit.foreignKey(orders).notNull(),
  label: kit.foreignKey(labels).notNull(),
})

const Maker = BaseModelSerializer(makers, { fields: ['id', 'name'] })
const Label = BaseModelSerializer(labels, { fields: ['id', 'name'] })
const Product = BaseModelSerializer(products, {
  fields: ['id', 'name'],
  extra: { maker: IdToDataField({ queryset: makers, serializer: Maker }) },
})
const Line = BaseModelSerializer(lines, {
  fields: ['id', 'quantity', 'discount'],
  readableBy: { discount: () => true },
  extra: { product: IdToDataField({ queryset: products, serializer: Product }) },
})
const Order = BaseModelSerializer(orders, {
  fields: ['number', 'note', 'seller'],
  extra: {
    orderLines: ManyDataToDataField({ queryset: lines, serializer: Line }),
    labels: ManyIdToDataField({ queryset: labels, serializer: Label, through: orderLabels }),
    labelIds: ManyIdOnlyField({ queryset: labels, through: orderLabels, readOnly: true }),
    customer: IdOnlyField({ queryset: makers }),
    payer: IdToDataField({ queryset: makers, serializer: Maker }),
    sellerName: IdToStrField({ queryset: makers, str: 'name', column: 'seller', readOnly: true }),
    sellerCard: CustomOutputField({ queryset: makers, column: 'seller', output: ({ name }) => ({ name }) }),
    extent: ExpressionField({ expression: sql`1`, type: 'json', notNull: true }),
    summary: order => ({ text: order.number }),
  },
})
const permissionClasses = [AllowAny]
const resources = {
  orders: BulkViewSet({
    model: orders,
    serializer: Order,
    permissionClasses,
    sparseFields: true,
    expandableFields: { customer: Maker, labelIds: Label },
  }),
  narrow: BulkViewSet({ model: lines, serializer: Line, permissionClasses, sparseFields: true }),
}
const client = createClient<typeof resources>({ baseUrl: '/api' })

export const narrowed = async () => {
  const { items } = await client.orders.list({ fields: ['number', 'order_lines.quantity', 'order_lines.discount'] })
  type _list = Expect<
    Equal<
      (typeof items)[number],
      { number: string; order_lines: { quantity: number; discount?: string | null }[]; index: number }
    >
  >
  const deep = await client.orders.retrieve(1, {
    query: { fields: ['order_lines.product.maker.name', 'order_lines.product.name', 'payer.name'] },
  })
  type _deep = Expect<
    Equal<
      typeof deep,
      { order_lines: { product: { name: string; maker: { name: string } } }[]; payer: { name: string } | null }
    >
  >
  const expanded = await client.orders.retrieve(1, {
    query: { fields: ['customer.name', 'label_ids.name'], expand: ['customer', 'label_ids'] },
  })
  type _expanded = Expect<Equal<typeof expanded, { customer: { name: string } | null; label_ids: { name: string }[] }>>
  // The path below a chosen field adds nothing.
  const whole = await client.orders.retrieve(1, { query: { fields: ['payer', 'payer.name'] } })
  type _whole = Expect<Equal<typeof whole, { payer: { id: number; name: string } | null }>>
  for await (const order of client.orders.all({ fields: ['payer.name'] })) {
    type _all = Expect<Equal<typeof order, { payer: { name: string } | null; index: number }>>
  }
  const lines = await client.narrow.list({ fields: ['product.maker.id'] })
  type _lines = Expect<Equal<(typeof lines.items)[number], { product: { maker: { id: number } }; index: number }>>
  return [items, deep, expanded, whole, lines] satisfies unknown
}

// What does not compile.
export const mistakes = async () => {
  // @ts-expect-error no such field of the lines
  await client.orders.list({ fields: ['order_lines.quantty'] })
  // @ts-expect-error the name in JSON
  await client.orders.list({ fields: ['orderLines.quantity'] })
  // @ts-expect-error a number has no fields
  await client.orders.list({ fields: ['order_lines.quantity.x'] })
  // @ts-expect-error no such field of the expanded record
  await client.orders.list({ fields: ['customer.nmae'], expand: ['customer'] })
  // @ts-expect-error a text that stands for a record
  await client.orders.list({ fields: ['seller_name.name'] })
  // @ts-expect-error a function made the object
  await client.orders.list({ fields: ['seller_card.name'] })
  // @ts-expect-error the same without a relation
  await client.orders.list({ fields: ['summary.text'] })
  // @ts-expect-error JSON is shown as a whole
  await client.orders.list({ fields: ['note.text'] })
  // @ts-expect-error an export has no `expand`
  await client.orders.export({ file_type: 'csv' }, { fields: ['customer.name'] })
  const { items } = await client.orders.list({ fields: ['order_lines.quantity'] })
  // @ts-expect-error was not asked for
  items[0]?.order_lines[0]?.product
}
