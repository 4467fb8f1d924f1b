import { eq, sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkUpsertModelMixin,
  BulkViewSet,
  type ColumnKit,
  type EnvelopePlace,
  type ErrorHandler,
  importModel,
  insertMany,
  type JsonSchema,
  type ProjectEnvelope,
  Reply,
  type RequestBody,
} from 'viewset'
import { createHandler } from 'viewset/fetch'
import { beforeEach, describe, expect, test } from 'vitest'
import { endpointsOf } from '../../src/viewset/endpoints/endpoints.ts'
import type { AnyResourceClass } from '../../src/viewset/mixin.ts'
import { type Method, useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { orderSerializers, orders as orderTables } from '../support/orders.ts'

const plainTables = (c: ColumnKit) => ({
  parts: c.table('parts', { ...c.BaseModelMixin(), name: c.text(20).notNull().unique() }),
})

const object = (properties: object) => ({ type: 'object', properties, required: Object.keys(properties) })

const envelope: ProjectEnvelope = Object.assign(
  (({ data, links, extra, resource, action, status }) => {
    if (resource === undefined) return data
    return { from: `${resource}.${action} ${status}`, result: data, total: links?.count ?? null, ...extra }
  }) satisfies ProjectEnvelope,
  {
    schema: (data: JsonSchema, { resource }: EnvelopePlace) =>
      resource === undefined
        ? data
        : object({ from: { type: 'string' }, result: data, total: { type: ['integer', 'null'] } }),
  },
)
const errorHandler: ErrorHandler = Object.assign(
  (({ status, code, errors, table, resource, action }) => {
    if (code === 'conflict') return undefined
    const fields = Object.entries(errors).map(([field, all]) => `${field}: ${all.map(one => one.code).join()}`)
    const body = { title: code, fields, table: table ?? null, at: `${resource}.${action}` }
    return status === 400 ? { status: 422, body } : { body }
  }) satisfies ErrorHandler,
  { schema: { type: 'object' } },
)
const requestBody: RequestBody = Object.assign(
  ((body, { action }) => (action === 'note' ? body : Reflect.get(Object(body), 'input'))) satisfies RequestBody,
  { schema: (body: JsonSchema) => object({ input: body }) },
)

describeDialects('the JSON of a project', dialect => {
  const tables = orderTables(dialect.kit)
  const { orders, lines } = tables
  const { Order } = orderSerializers(tables)
  const api = useApi(dialect, {
    tables,
    envelope,
    errorHandler,
    requestBody,
    schema: true,
    openapi: { errors: { 422: 'The request is not valid.' } },
    resources: {
      orders: BulkViewSet({
        model: orders,
        serializer: Order,
        permissionClasses: [AllowAny],
        exportFieldConfig: { number: 'Number' },
        queryset: () => eq(orders.status, 'open'),
        actions: {
          note: {
            method: 'POST',
            detail: false,
            status: 202,
            handler: () => new Reply({ text: 'x' }, { extra: { more: 1 } }),
          },
          fail: {
            method: 'GET',
            detail: false,
            handler: () => {
              throw new Error('broken')
            },
          },
        },
      }),
      'orders/:order/lines': BulkViewSet({
        model: lines,
        serializer: BaseModelSerializer(lines, { name: 'OwnLine', fields: ['id', 'position'] }),
        permissionClasses: [AllowAny],
        parent: { field: 'order' },
      }),
    },
  })
  const shown = (answer: { readonly status: number; readonly text: string }) => [answer.status, JSON.parse(answer.text)]
  beforeEach(() => api.database.transaction(() => insertMany(orders, [{ id: uuid(1), number: 'A' }])))
  const A = { id: uuid(1), number: 'A', status: 'open', lines: [] }

  test('records, lists and pages, also of a list that is sent while it is read', async () => {
    const list = [{ ...A, index: 1 }]
    expect(shown(await api.get(`/orders/${uuid(1)}/`))).toEqual([
      200,
      { from: 'orders.retrieve 200', result: A, total: null },
    ])
    expect(shown(await api.get('/orders/'))).toEqual([200, { from: 'orders.list 200', result: list, total: 1 }])
    await api.database.transaction(() =>
      insertMany(
        orders,
        Array.from({ length: 3000 }, (_, i) => ({ id: uuid(100 + i), number: `N${i}` })),
      ),
    )
    expect(JSON.parse((await api.get('/orders/?paginated=false')).text).result).toHaveLength(3001)
  })

  test('writes, custom actions and replies', async () => {
    const created = shown(await api.post('/orders/', { input: { number: 'B' } }))
    expect(created).toMatchObject([201, { from: 'orders.create 201', result: { number: 'B' } }])
    const bulk = shown(await api.patch('/orders/bulk-update/', { input: [{ id: uuid(1), number: 'C' }] }))
    expect(bulk).toMatchObject([200, { result: [{ number: 'C' }] }])
    expect((await api.delete(`/orders/${uuid(1)}/`)).status).toBe(204)
    const noted = shown(await api.post('/orders/note/', { text: 'plain' }))
    expect(noted).toEqual([202, { from: 'orders.note 202', result: { text: 'x' }, total: null, more: 1 }])
  })

  test('files and the description of the API have no envelope', async () => {
    const exported = await api.post('/orders/export/', { input: { file_type: 'csv' } })
    expect(exported.text.trim()).toBe('Number\r\nA')
    expect(JSON.parse((await api.get('/openapi.json')).text)).toMatchObject({ openapi: '3.1.0' })
  })

  test.each([
    ['GET', `/orders/${uuid(9)}/`, 404, { title: 'not_found', table: 'orders', at: 'orders.retrieve' }],
    ['GET', `/orders/${uuid(9)}/lines/`, 404, { table: 'orders', at: 'orders/:order/lines.list' }],
    ['GET', `/orders/${uuid(1)}/lines/${uuid(9)}/`, 404, { table: 'order_lines' }],
    ['GET', '/nothing/', 404, { title: 'not_found', table: null, at: 'undefined.undefined' }],
    ['GET', '/orders/?nothing=1', 422, { title: 'validation_error' }],
    ['PUT', '/orders/', 405, { title: 'method_not_allowed' }],
    ['GET', '/orders/fail/', 500, { title: 'internal_error', at: 'orders.fail' }],
  ] as const)('%s %s is a %s of the project', async (method, path, status, body) => {
    const answer = await api.request(method, path)
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.text)).toMatchObject(body)
  })

  test('errors of fields have codes', async () => {
    const missing = await api.post('/orders/', { input: { lines: [{ position: 'x' }] } })
    expect(shown(missing)).toMatchObject([422, { title: 'validation_error' }])
    expect(JSON.parse(missing.text).fields).toEqual(
      expect.arrayContaining(['number: required', 'lines.0.position: invalid_integer']),
    )
    const taken = await api.post('/orders/', { input: { number: 'A' } })
    expect(JSON.parse(taken.text).fields).toEqual(['number: unique'])
  })

  describe('a handler or an envelope that fails', () => {
    const broken = useApi(dialect, {
      tables,
      envelope: () => undefined,
      errorHandler: () => {
        throw new Error('The handler fails.')
      },
      resources: {
        orders: BulkViewSet.add(BulkUpsertModelMixin)({
          model: orders,
          serializer: Order,
          permissionClasses: [AllowAny],
          upsertFields: ['number'],
        }),
      },
    })

    test('leaves the standard envelope', async () => {
      expect((await broken.get(`/orders/${uuid(9)}/`)).envelope()).toMatchObject({ success: false, data: null })
      const answer = await broken.post('/orders/', { number: 'Z' })
      expect(answer.envelope()).toMatchObject({ success: false, message: expect.stringContaining('error id') })
      expect(await broken.rows('orders')).toEqual([])
    })
  })

  describe('an envelope that fails undoes the write', () => {
    const tables = plainTables(dialect.kit)
    const { parts } = tables
    const Parts = FullViewSet({
      model: parts,
      serializer: BaseModelSerializer(parts, { fields: ['id', 'name'] }),
      permissionClasses: [AllowAny],
      upsertFields: ['name'],
      exportFieldConfig: { name: 'Name' },
      restoreQueryset: () => sql`true`,
      importFileConfig: {
        fileFormat: 'csv',
        order: ['parts'],
        models: { parts: importModel({ model: parts, fields: ['name'], createOnly: true }) },
      },
    })
    const waiting = useApi(dialect, { tables, envelope: async ({ data }) => data, resources: { parts: Parts } })
    const one = `/${uuid(1)}/`
    const stored = { id: uuid(1), name: 'nut' }
    const changed = { id: uuid(1), name: 'bolt' }
    const BODIES: Readonly<Record<string, unknown>> = {
      'POST /': { name: 'bolt' },
      'PUT /:id/': { name: 'bolt' },
      'PATCH /:id/': { name: 'bolt' },
      // A 204 has no envelope.
      'DELETE /:id/': undefined,
      'POST /:id/restore/': undefined,
      'POST /bulk-create/': [{ name: 'bolt' }],
      'PUT /bulk-update/': [changed],
      'PATCH /bulk-update/': [changed],
      'DELETE /bulk-delete/': [uuid(1)],
      'POST /bulk-delete/': [uuid(1)],
      'DELETE /bulk-soft-delete/': [uuid(1)],
      'POST /bulk-soft-delete/': [uuid(1)],
      'POST /bulk-restore/': [uuid(2)],
      'POST /bulk-upsert/': [{ name: 'bolt' }],
    }
    const endpoints = endpointsOf('parts', Parts as unknown as AnyResourceClass).flatMap(({ method, path, reads }) => {
      const route = `${method} ${path.slice('/parts'.length)}`
      return reads || /export|import/.test(path) ? [] : [{ method: method as Method, route }]
    })

    test.each(endpoints)('$route', async ({ method, route }) => {
      expect(Object.keys(BODIES)).toContain(route)
      await waiting.clear()
      await waiting.database.transaction(async () => {
        await insertMany(parts, [stored, { id: uuid(2), name: 'old', isActive: false }])
      })
      const before = await waiting.rows('parts')
      const path = `/parts${route.slice(method.length + 1).replace('/:id/', route.includes('restore') ? `/${uuid(2)}/` : one)}`
      const answer = await waiting.request(method, path, { body: BODIES[route] })
      if (route === 'DELETE /:id/') return expect(answer.status).toBe(204)
      expect(answer.status).toBe(500)
      expect(await waiting.rows('parts')).toEqual(before)
    })
  })

  test('a file does not reach requestBody', async () => {
    const bodies: unknown[] = []
    const tables = plainTables(dialect.kit)
    const handler = createHandler({
      database: api.database,
      requestBody: body => {
        bodies.push(body)
        return body
      },
      resources: {
        parts: BulkImportableViewSet({
          model: tables.parts,
          serializer: BaseModelSerializer(tables.parts, { fields: ['id', 'name'] }),
          permissionClasses: [AllowAny],
          importFileConfig: {
            fileFormat: 'csv',
            order: ['parts'],
            models: { parts: importModel({ model: tables.parts, fields: ['name'], createOnly: true }) },
          },
        }),
      },
    })
    const body = new FormData()
    body.set('file', new Blob(['name\nnut\n']), 'parts.csv')
    const preview = await handler(new Request('http://api/parts/import-preview/', { method: 'POST', body }))
    expect([preview.status, bodies]).toEqual([200, []])
  })

  test('types', () => {
    // @ts-expect-error: a status is a number
    const wrong: ErrorHandler = () => ({ status: '400', body: null })
    expect(wrong).toBeTypeOf('function')
  })
})
