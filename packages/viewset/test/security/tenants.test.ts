import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkUpsertModelMixin,
  type ColumnKit,
  FlexibleField,
  HistoryModelMixin,
  IdToDataField,
  importForeignKey,
  importModel,
  insertMany,
  ManyDataToDataField,
  scoped,
  type User,
} from 'viewset'
import { createHandler } from 'viewset/fetch'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'

function shopTables(c: ColumnKit) {
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
  })
  return { customers, orders, lines, parts, colours, ...c.HistoryTable(orders) }
}

const firmOf = (user: User | null) => user?.roles?.[0]

describeDialects('tenant', dialect => {
  const tables = shopTables(dialect.kit)
  const { customers, orders, lines, parts, colours } = tables
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
  const api = useApi(dialect, {
    tables,
    users: { north: { id: 'n', roles: ['north'] }, south: { id: 's', roles: ['south'] }, nobody: { id: 'x' } },
    resources: {
      orders: OrderViewSet,
      colours: BulkImportableViewSet.with({ tenant })({ ...colourConfig, tenant: false }),
    },
  })
  const path = `/orders/${uuid(11)}/`
  const ofSouth = { as: 'south' } as const
  const file = (...rows: string[]) => {
    const form = new FormData()
    form.set('file', new Blob([`number,customer\n${rows.join('\n')}\n`]), 'orders.csv')
    form.set('append_data', 'true')
    return form
  }
  const stored = async () => (await api.rows('orders')).map(row => row.slice(-3).join(' ')).toSorted()
  beforeEach(() =>
    api.database.transaction(async () => {
      await insertMany(customers, [
        { id: uuid(1), firm: 'north', name: 'Ada' },
        { id: uuid(2), firm: 'south', name: 'Ada' },
        { id: uuid(3), firm: 'north', name: 'Bob' },
      ])
      await insertMany(orders, [
        { id: uuid(11), firm: 'north', number: '1' },
        { id: uuid(12), firm: 'south', number: '1' },
      ])
      await insertMany(lines, [{ id: uuid(21), order: uuid(11), text: 'x' }])
    }),
  )

  test.each([
    ['GET', path, undefined],
    ['PATCH', path, { number: '2' }],
    ['PUT', path, { number: '2' }],
    ['DELETE', path, undefined],
    ['GET', `${path}history/`, undefined],
    ['POST', `${path}revert/`, { entry: 1 }],
  ] as const)('%s %s of another tenant is a 404', async (method, address, body) => {
    expect((await api.request(method, address, { body, ...ofSouth })).status).toBe(404)
    expect(await stored()).toHaveLength(2)
  })

  test('lists, bulk requests and files keep to the tenant', async () => {
    expect((await api.get('/orders/', ofSouth)).data()).toMatchObject([{ id: uuid(12) }])
    const bulk = await api.patch('/orders/bulk-update/', [{ id: uuid(11), number: '9' }], ofSouth)
    expect(bulk.status).toBe(400)
    const deleted = await api.delete('/orders/bulk-delete/', { body: [uuid(11), uuid(12)], ...ofSouth })
    expect(deleted.data()).toMatchObject({ count: 1, missing_ids: [uuid(11)] })
    const exported = await api.post('/orders/export/', { file_type: 'csv' }, ofSouth)
    expect(exported.text.trim().split('\r\n')).toEqual(['Number'])
  })

  test('new records belong to the tenant, on each path', async () => {
    await api.post('/orders/', { number: '2', firm: 'north', lines: [{ text: 'a' }] }, ofSouth)
    await api.post('/orders/bulk-create/', [{ number: '3', firm: 'north' }], ofSouth)
    await api.post('/orders/bulk-upsert/', [{ number: '1' }, { number: '4' }], ofSouth)
    await api.request('POST', '/orders/import-from-file/', { body: file('1,Ada', '5,Ada'), ...ofSouth })
    const rows = (await api.rows('orders')).map(row => [row.at(-3), row.at(-2)].join(' ')).toSorted()
    expect(rows).toEqual(['north 1', 'south 1', 'south 2', 'south 3', 'south 4', 'south 5'])
    const refused = await api.request('POST', '/orders/import-from-file/', { body: file('6,Bob'), ...ofSouth })
    expect(refused.envelope()).toMatchObject({ data: { failed: 1 } })
    const foreign = await api.post('/orders/', { number: '7', customer: uuid(1) }, ofSouth)
    expect(foreign.envelope()).toMatchObject({ errors: { customer: [expect.stringContaining(uuid(1))] } })
  })

  test('a request without a tenant is a 403', async () => {
    for (const [method, address, body] of [
      ['GET', '/orders/', undefined],
      ['POST', '/orders/', { number: '2' }],
      ['POST', '/orders/bulk-create/', [{ number: '2' }]],
      ['GET', path, undefined],
      ['DELETE', path, undefined],
    ] as const) {
      expect((await api.request(method, address, { body, as: 'nobody' })).status, `${method} ${address}`).toBe(403)
    }
    expect((await api.get('/colours/', { as: 'nobody' })).status).toBe(200)
  })

  test('a promise is no tenant: nothing is read or stored', async () => {
    const of = async (view: { readonly user: User | null }) => firmOf(view.user)
    // @ts-expect-error: the function returns no promise
    const waiting: typeof tenant = { column: 'firm', of }
    const handler = createHandler({
      database: api.database,
      resources: {
        orders: BulkImportableViewSet.add(BulkUpsertModelMixin, HistoryModelMixin).with({ tenant: waiting })(config),
      },
      logger: { error: () => undefined, warn: () => undefined },
    })
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? JSON.stringify({ number: '2' }) : null
      const headers = { 'content-type': 'application/json' }
      const answer = await handler(new Request('http://api/orders/', { method, body, headers }))
      expect(answer.status).toBe(500)
    }
    expect(await stored()).toHaveLength(2)
  })

  test('messages do not name the tenant', async () => {
    const taken = await api.post('/orders/', { number: '1' }, ofSouth)
    expect(taken.envelope()).toMatchObject({ errors: { number: [expect.any(String)] } })
    expect(taken.text).not.toMatch(/firm/)
    const unknown = await api.get('/orders/?firn=north', ofSouth)
    expect(unknown.text).not.toMatch(/firm/)
  })

  describe('is checked at start', () => {
    test('each resource says something about tenants', () => {
      const start = (resource: object) =>
        createHandler({ database: api.database, resources: { orders: OrderViewSet, colours: resource as never } })
      const colourViewSet = BulkImportableViewSet(colourConfig)
      expect(() => start(colourViewSet)).toThrow(/resources.colours: tenant: says nothing about tenants/)
    })

    test('the model has the column', () => {
      expect(() => BulkImportableViewSet.with({ tenant })(colourConfig)).toThrow(/set tenant: false/)
    })

    const problemOf = (changes: object) => {
      try {
        ProjectViewSet({ ...config, ...changes })
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
      const parent = { field: 'customer' } as const
      expect(problemOf({ parent })).toMatch(/parent.queryset: leads to "customers" of all tenants/)
      expect(problemOf({ parent: { ...parent, queryset: ownCustomers } })).toBeUndefined()
    })

    test('relations to records with tenants are scoped', () => {
      const serializer = BaseModelSerializer(orders, { fields: ['id', 'number', 'customer'] })
      expect(() => ProjectViewSet({ ...config, serializer })).toThrow(
        /serializer.customer: leads to "customers" of all/,
      )
    })
  })
})
