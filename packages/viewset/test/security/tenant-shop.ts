import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkUpsertModelMixin,
  type ColumnKit,
  HistoryModelMixin,
  IdToDataField,
  importForeignKey,
  importModel,
  ManyDataToDataField,
  scoped,
  type User,
} from 'viewset'

export function shopTables(c: ColumnKit) {
  const customers = c.table(
    'customers',
    { ...c.BaseModelMixin(), firm: c.text(10).notNull(), name: c.text(20).notNull() },
    t => [c.unique(t.firm, t.name)],
  )
  const orders = c.table(
    'orders',
    {
      ...c.BaseModelMixin(),
      firm: c.text(10).notNull(),
      number: c.text(10).notNull(),
      customer: c.foreignKey(customers),
    },
    t => [c.unique(t.firm, t.number)],
  )
  const lines = c.table('lines', {
    ...c.BaseModelMixin(),
    order: c.foreignKey(orders, { onDelete: 'cascade' }).notNull(),
    text: c.text(20).notNull(),
  })
  const colours = c.table('colours', { ...c.BaseModelMixin(), name: c.text(20).notNull() })
  const parts = c.table('parts', {
    ...c.BaseModelMixin(),
    firm: c.text(10).notNull(),
    order: c.foreignKey(orders, { onDelete: 'cascade' }).notNull(),
    name: c.text(20),
  })
  const paints = c.table('paints', {
    ...c.BaseModelMixin(),
    colour: c.foreignKey(colours).notNull(),
    order: c.foreignKey(orders).notNull(),
  })
  const deals = c.table('deals', {
    ...c.BaseModelMixin(),
    customer: c.foreignKey(customers).notNull(),
    order: c.foreignKey(orders).notNull(),
  })
  const sellers = c.table('sellers', { ...c.BaseModelMixin(), company: c.text(10).notNull() })
  const sales = c.table('sales', {
    ...c.BaseModelMixin(),
    firm: c.text(10).notNull(),
    seller: c.foreignKey(sellers).notNull(),
  })
  return { customers, orders, lines, parts, colours, paints, deals, sellers, sales, ...c.HistoryTable(orders) }
}

export const firmOf = (user: User | null) => user?.roles?.[0]

/** The resources of a shop whose orders and customers belong to firms. */
export function shopOf({ customers, orders, lines, colours }: ReturnType<typeof shopTables>) {
  const tenant = { column: 'firm', of: ({ user }: { readonly user: User | null }) => firmOf(user) }
  const ProjectViewSet = BulkImportableViewSet.add(BulkUpsertModelMixin, HistoryModelMixin).with({ tenant })
  const ownCustomers = scoped(customers, ({ user }) => eq(customers.firm, firmOf(user) ?? ''))
  const permissionClasses = [AllowAny]
  const Customer = BaseModelSerializer(customers, { fields: ['id', 'name'] })
  const config = {
    model: orders,
    serializer: BaseModelSerializer(orders, {
      fields: ['id', 'number', 'customer'],
      extra: {
        customer: IdToDataField({ queryset: ownCustomers, serializer: Customer }),
        lines: ManyDataToDataField({
          queryset: lines,
          serializer: BaseModelSerializer(lines, { fields: ['id', 'text'] }),
        }),
      },
    }),
    permissionClasses,
    historyPermissionClasses: [AllowAny],
    upsertFields: ['firm', 'number'] as ('firm' | 'number')[],
    exportFieldConfig: { number: 'Number' },
    importFileConfig: {
      fileFormat: 'csv',
      order: ['orders'],
      models: {
        orders: importModel({
          model: orders,
          fields: ['number'],
          uniqueFields: ['firm', 'number'],
          foreignKeys: {
            customer: importForeignKey({ model: ownCustomers, lookupField: 'name', sourceField: 'customer' }),
          },
        }),
      },
    },
  } as const
  const OrderViewSet = ProjectViewSet(config)
  const colourConfig = {
    model: colours,
    serializer: BaseModelSerializer(colours, { fields: ['id', 'name'] }),
    permissionClasses,
    importFileConfig: {
      fileFormat: 'csv',
      order: ['colours'],
      models: { colours: importModel({ model: colours, fields: ['id', 'name'], uniqueFields: ['id'] }) },
    },
  } as const
  return { tenant, ProjectViewSet, ownCustomers, permissionClasses, config, OrderViewSet, colourConfig }
}
