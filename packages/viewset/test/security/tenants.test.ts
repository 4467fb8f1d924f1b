import {
  AllowAny,
  BaseViewSet,
  BulkImportableViewSet,
  BulkUpsertModelMixin,
  HistoryModelMixin,
  insertMany,
  type User,
} from 'viewset'
import { createHandler } from 'viewset/fetch'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'

import { firmOf, shopOf, shopTables } from './tenant-shop.ts'

describeDialects('tenant', dialect => {
  const tables = shopTables(dialect.kit)
  const { customers, orders, lines } = tables
  const { tenant, config, OrderViewSet, colourConfig } = shopOf(tables)
  const api = useApi(dialect, {
    tables,
    users: {
      north: { id: 'n', roles: ['north'] },
      south: { id: 's', roles: ['south'] },
      nobody: { id: 'x' },
      blank: { id: 'y', roles: [''] },
    },
    resources: {
      orders: OrderViewSet,
      greetings: BaseViewSet.with({ tenant })({
        model: orders,
        serializer: config.serializer,
        permissionClasses: [AllowAny],
        actions: { greet: { method: 'GET', detail: false, handler: async () => ({ text: 'Hello' }) } },
      }),
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

  test.each(['nobody', 'blank'])('a request without a tenant is a 403 on every path: %s', async as => {
    for (const [method, address, body] of [
      ['GET', '/orders/', undefined],
      ['POST', '/orders/', { number: '2' }],
      ['POST', '/orders/bulk-create/', [{ number: '2' }]],
      ['POST', '/orders/bulk-upsert/', [{ number: '2' }]],
      ['GET', path, undefined],
      ['DELETE', path, undefined],
      ['GET', `${path}history/`, undefined],
      ['POST', '/orders/export/', { file_type: 'csv' }],
      ['POST', '/orders/export/', { file_type: 'csv', data: [{ number: '2' }] }],
      ['POST', '/orders/import-from-file/', file('2,')],
      ['POST', '/orders/import-preview/', file('2,')],
      ['GET', '/orders/import-template/', undefined],
      ['GET', '/greetings/greet/', undefined],
    ] as const) {
      expect((await api.request(method, address, { body, as })).status, `${method} ${address}`).toBe(403)
    }
    expect(await stored()).toHaveLength(2)
    expect((await api.get('/colours/', { as })).status).toBe(200)
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
    const preview = await api.request('POST', '/orders/import-preview/', { body: file('1,Ada'), ...ofSouth })
    expect([preview.status, preview.text]).toEqual([200, expect.not.stringMatching(/firm/)])
  })
})
