import { eq } from 'drizzle-orm'
import {
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkViewSet,
  FlexibleField,
  IdOnlyField,
  importModel,
  ManyDataToDataField,
  ManyFlexibleField,
  ManyIdOnlyField,
  ReadOnlyViewSet,
  scoped,
  type User,
} from 'viewset'
import { createHandler } from 'viewset/fetch'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { firmOf, shopOf, shopTables } from './tenant-shop.ts'

describeDialects('a start with tenants', dialect => {
  const tables = shopTables(dialect.kit)
  const { customers, orders, lines, parts, colours, paints, deals, sellers, sales } = tables
  const { tenant, ProjectViewSet, ownCustomers, permissionClasses, config, OrderViewSet, colourConfig } = shopOf(tables)
  const api = useApi(dialect, { tables, resources: {} })

  test('each resource says something about tenants', () => {
    const start = (resource: object) =>
      createHandler({ database: api.database, resources: { orders: OrderViewSet, colours: resource as never } })
    const colourViewSet = BulkImportableViewSet(colourConfig)
    expect(() => start(colourViewSet)).toThrow(/resources.colours: tenant: says nothing about tenants/)
  })

  test('the model has the column', () => {
    expect(() => BulkImportableViewSet.with({ tenant })(colourConfig)).toThrow(/set tenant: false/)
  })

  const problemOf = (changes: object, others: object = {}) => {
    try {
      const resources = { orders: ProjectViewSet({ ...config, ...changes }), ...others }
      createHandler({ database: api.database, resources })
      return undefined
    } catch (error) {
      return String(error)
    }
  }
  const imported = (foreignKey: object, more: object = {}) => ({
    serializer: BaseModelSerializer(orders, { fields: ['id', 'number'] }),
    importFileConfig: {
      fileFormat: 'csv',
      order: [...Object.keys(more), 'orders'],
      models: {
        ...more,
        orders: importModel({
          model: orders,
          fields: ['number'],
          uniqueFields: ['firm', 'number'],
          foreignKeys: {
            customer: { model: customers, lookupField: 'name', sourceField: 'customer', ...foreignKey },
          },
        }),
      },
    },
  })
  const { customer } = config.importFileConfig.models.orders.foreignKeys ?? {}
  const written = (model: typeof customers | typeof ownCustomers, fields: ('name' | 'firm')[] = ['name']) => ({
    customers: importModel({
      model,
      fields,
      uniqueFields: ['name'],
      matchWithoutIndex: true,
      constantFields: fields.includes('firm') ? {} : { firm: 'north' },
    }),
  })

  const withParts = BaseModelSerializer(orders, {
    fields: ['id', 'number'],
    extra: {
      parts: ManyDataToDataField({
        queryset: parts,
        serializer: BaseModelSerializer(parts, { fields: ['id', 'firm'] }),
      }),
    },
  })
  const withCustomer = BaseModelSerializer(orders, {
    fields: ['id', 'number'],
    extra: {
      customer: FlexibleField({
        queryset: ownCustomers,
        serializer: BaseModelSerializer(customers, { fields: ['id', 'name', 'firm'] }),
      }),
    },
  })

  test.each([
    ['a foreign key of an import', imported({}), /models.orders.customer: leads to "customers" of all tenants/],
    ['another model of an import', imported({ ...customer }, written(customers)), /models.customers: leads to/],
    [
      'a column of a file',
      imported({ ...customer }, written(ownCustomers, ['name', 'firm'])),
      /models.customers.firm: would take a tenant from files/,
    ],
    ['a scoped model of an import', imported({ ...customer }, written(ownCustomers)), /^undefined$/],
    ['children', { serializer: withParts }, /serializer.parts.firm: would take a tenant from clients/],
    ['new records', { serializer: withCustomer }, /serializer.customer.firm: would take a tenant/],
  ])('no other tenant through %s', (_, changes, problem) => {
    expect(String(problemOf(changes))).toMatch(problem)
  })

  test('no other tenant through the parent of a nested route', () => {
    const start = (queryset: object) => {
      const parent = { field: 'customer', ...queryset } as const
      const resources = { 'customers/:customer/orders': ProjectViewSet({ ...config, parent }) }
      return () => createHandler({ database: api.database, resources })
    }
    expect(start({})).toThrow(/parent.queryset: leads to "customers" of all tenants/)
    expect(start({ queryset: ownCustomers })).not.toThrow()
  })

  const Order = BaseModelSerializer(orders, { fields: ['id', 'number'] })
  const ownOrders = scoped(orders, ({ user }) => eq(orders.firm, firmOf(user) ?? ''), {
    fixedValues: ({ user }) => ({ firm: firmOf(user) ?? '' }),
  })
  const coloursWith = (field: object, more: object = {}) => ({
    colours: BulkImportableViewSet({
      ...colourConfig,
      serializer: BaseModelSerializer(colours, { fields: ['id', 'name'], extra: { orders: field as never } }),
      tenant: false,
      ...more,
    }),
  })
  const linesWith = (more: object, field: object = {}) => ({
    lines: ReadOnlyViewSet({
      model: lines,
      serializer: BaseModelSerializer(lines, {
        fields: ['id', 'text', 'order'],
        ...('kind' in field ? { extra: { order: field as never } } : { readOnly: ['order'] }),
      }),
      permissionClasses,
      tenant: false,
      ...more,
    }),
  })
  const link = { queryset: orders, through: paints }
  const ownLink = { queryset: ownOrders, through: paints }
  const reads = /resources.colours: serializer.orders: leads to "orders" of all.* with scopeReads/

  test.each([
    ['linked', coloursWith(ManyIdOnlyField(link)), /resources.colours: serializer.orders: leads to "orders" of all/],
    ['shown as ids', coloursWith(ManyIdOnlyField({ ...link, readOnly: true })), reads],
    [
      'shown by a scope of writes',
      coloursWith(ManyFlexibleField({ ...ownLink, serializer: Order })),
      /serializer.orders: shows "orders" of all tenants: its scope limits what clients write, .*; add scopeReads: true/,
    ],
    ['scoped', coloursWith(ManyFlexibleField({ ...ownLink, serializer: Order, scopeReads: true })), /^undefined$/],
    ['asked for', coloursWith(ManyIdOnlyField({ ...link, readOnly: true }), { filterFields: ['orders'] }), reads],
    ['shown as an id', linesWith({}), /^undefined$/],
    ['filtered', linesWith({ filterFields: ['order__number'] }), /filterFields.order__number: leads to "orders"/],
    ['filtered by an id', linesWith({ filterFields: ['order'] }), /^undefined$/],
    ['searched', linesWith({ searchFields: ['order__number'] }), /searchFields.order__number: leads to "orders"/],
    ['ordered', linesWith({ ordering: '-order__number' }), /ordering.order__number: leads to "orders"/],
    ['expanded', linesWith({ expandableFields: { order: Order } }), /expandableFields.order: leads to "orders"/],
    [
      'scoped, filtered and expanded',
      linesWith(
        { filterFields: ['order__number'], expandableFields: { order: Order } },
        IdOnlyField({ queryset: ownOrders, scopeReads: true }),
      ),
      /^undefined$/,
    ],
  ])('a resource of all tenants leads to no records with tenants that are %s', (_, others, problem) => {
    expect(String(problemOf({}, others))).toMatch(problem)
  })

  test('no other tenant through a join table', () => {
    const withOrders = (queryset: typeof orders | typeof ownOrders) =>
      BaseModelSerializer(customers, {
        fields: ['id', 'name'],
        extra: { orders: ManyFlexibleField({ queryset, through: deals, serializer: Order }) },
      })
    const start = (queryset: typeof orders | typeof ownOrders) => () =>
      createHandler({
        database: api.database,
        resources: {
          customers: BulkViewSet({ model: customers, serializer: withOrders(queryset), permissionClasses, tenant }),
        },
      })
    expect(start(orders)).toThrow(/serializer.orders: leads to "orders" of all tenants/)
    expect(start(ownOrders)).not.toThrow()
  })

  test('each model keeps the name of its tenant', () => {
    const resource = (queryset: object) => ({
      sellers: BulkViewSet({
        model: sellers,
        serializer: BaseModelSerializer(sellers, { fields: ['id'] }),
        permissionClasses,
        tenant: { ...tenant, column: 'company' },
      }),
      sales: BulkViewSet({
        model: sales,
        serializer: BaseModelSerializer(sales, {
          fields: ['id', 'seller'],
          extra: { seller: IdOnlyField({ queryset: queryset as typeof sellers }) },
        }),
        permissionClasses,
        tenant,
      }),
    })
    expect(problemOf({}, resource(sellers))).toMatch(/resources.sales: serializer.seller: leads to "sellers" of all/)
    expect(problemOf({}, resource(scoped(sellers, () => eq(sellers.company, 'x'))))).toBeUndefined()
  })

  test('a resource for operators leads to all tenants', () => {
    const serializer = BaseModelSerializer(orders, { fields: ['id', 'number', 'customer', 'firm'] })
    const forOperators = BulkViewSet({ model: orders, serializer, permissionClasses, tenant: false })
    expect(problemOf({}, { 'all-orders': forOperators })).toBeUndefined()
  })

  test('children with a tenant get it by fixed values', () => {
    const withOwn = (options: object) =>
      BaseModelSerializer(orders, {
        fields: ['id', 'number'],
        extra: {
          parts: ManyDataToDataField({
            queryset: scoped(parts, ({ user }) => eq(parts.firm, firmOf(user) ?? ''), options),
            serializer: BaseModelSerializer(parts, { fields: ['id', 'name'] }),
          }),
        },
      })
    const fixedValues = ({ user }: { readonly user: User | null }) => ({ firm: firmOf(user) ?? '' })
    expect(problemOf({ serializer: withOwn({}) })).toMatch(/serializer.parts: would create records of "parts" without/)
    expect(problemOf({ serializer: withOwn({ fixedValues }) })).toBeUndefined()
  })

  test('relations to records with tenants are scoped', () => {
    const serializer = BaseModelSerializer(orders, { fields: ['id', 'number', 'customer'] })
    expect(problemOf({ serializer })).toMatch(/serializer.customer: leads to "customers" of all/)
  })
})
