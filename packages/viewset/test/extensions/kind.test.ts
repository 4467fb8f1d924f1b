// Kinds of values as an application defines them: with what the package exports, and nothing else.
import Fastify, { type FastifyInstance } from 'fastify'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkViewSet,
  type ColumnKit,
  createRecord,
  defineKind,
  importModel,
  type JsonSchema,
  type SerializerData,
} from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { kit as pgKit } from 'viewset/pg'
import { kit as sqliteKit } from 'viewset/sqlite'
import { startApi, type TestApi } from 'viewset/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import * as z from 'zod'

/** An amount that is not negative, kept as a decimal. */
const money = defineKind('money', {
  column: c => c.decimal(12, 2),
  schema: amount => amount.refine(value => !value.startsWith('-'), 'An amount is not negative.'),
  jsonSchema: { format: 'money' },
  readCell: cell => String(cell).replace(/^EUR\s*/, ''),
  expected: 'an amount, such as 12.50',
  note: 'An amount in euro, such as 12.50.',
  examples: ['12.50'],
})

/** A telephone number, kept without blanks. */
const phone = defineKind('phone', {
  column: c => c.text(16),
  schema: () =>
    z
      .string()
      .transform(given => given.replace(/[\s-]/g, ''))
      .refine(digits => /^\+\d{3,15}$/.test(digits), 'Enter a telephone number with its country: +49 30 123456.'),
  examples: ['+49 30 123456'],
})

interface Point {
  readonly lat: number
  readonly lng: number
}

/** A place on the map, kept as JSON. */
const geoPoint = defineKind<Point>('geoPoint', {
  column: c => c.json(),
  schema: () => z.strictObject({ lat: z.number().min(-90).max(90), lng: z.number().min(-180).max(180) }),
  readCell: cell => {
    const [lat, lng] = String(cell)
      .replace(/[{}"a-z:]/g, '')
      .split(',')
      .map(Number)
    return { lat, lng }
  },
  examples: ['52.5,13.4'],
})

interface Described {
  readonly properties: Readonly<Record<string, JsonSchema | undefined>>
  readonly examples: readonly unknown[]
}

function models(c: ColumnKit) {
  const shops = c.table('shops', {
    id: c.integer().primaryKey(),
    name: c.text(50).notNull(),
    rent: c.kind(money).notNull().default('0.00'),
    fees: c.array(c.kind(money)),
    phone: c.kind(phone),
    place: c.kind(geoPoint),
  })
  const phones = c.table('phones', { number: c.kind(phone).primaryKey() })
  const calls = c.table('calls', { id: c.integer().primaryKey(), from: c.foreignKey(phones) })
  return { shops, phones, calls }
}

describe.each([
  { name: 'sqlite', kit: sqliteKit, server: () => ({}) },
  { name: 'pg', kit: pgKit, server: () => ({ postgres: inject('postgresUrl') }) },
])('$name: kinds of an application', ({ kit, server }) => {
  const { shops, phones, calls } = models(kit)
  const fields = ['name', 'rent', 'fees', 'phone', 'place'] as const
  const ShopSerializer = BaseModelSerializer(shops, { fields: ['id', ...fields] })
  const Shops = BulkImportableViewSet({
    model: shops,
    serializer: ShopSerializer,
    permissionClasses: [AllowAny],
    importPermissionClasses: [AllowAny],
    filterFields: { rent: ['exact', 'gte'], phone: ['exact', 'startswith'], place: ['isnull'] },
    searchFields: ['phone'],
    importFileConfig: {
      fileFormat: ['csv', 'xlsx'],
      order: ['shops'],
      models: { shops: importModel({ model: shops, fields: [...fields], uniqueFields: ['name'] }) },
    },
  })
  const Calls = BulkImportableViewSet({
    model: calls,
    serializer: BaseModelSerializer(calls, { fields: ['id', 'from'] }),
    permissionClasses: [AllowAny],
    importPermissionClasses: [AllowAny],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['calls'],
      models: { calls: importModel({ model: calls, fields: ['id', 'from'], uniqueFields: ['id'] }) },
    },
  })

  const Phones = BulkViewSet({
    model: phones,
    serializer: BaseModelSerializer(phones, { fields: ['number'] }),
    permissionClasses: [AllowAny],
  })

  let api: TestApi
  beforeAll(async () => {
    api = await startApi({
      ...server(),
      schema: { shops, phones, calls },
      app: async ({ database }) => {
        const app: FastifyInstance = Fastify(serverOptions)
        await app.register(resources, {
          prefix: '/api',
          database,
          resources: { shops: Shops, calls: Calls, phones: Phones },
        })
        return app
      },
    })
  })
  beforeEach(() => api.clear())
  afterAll(() => api?.close())

  const sent = {
    name: 'Corner',
    rent: '1200.5',
    fees: ['1.5', '2'],
    phone: '+49 30 123-456',
    place: { lat: 52.5, lng: 13.4 },
  }
  const shown = { ...sent, rent: '1200.50', fees: ['1.50', '2.00'], phone: '+4930123456' }

  test('a value is read by its rules and shown as its column has it', async () => {
    const created = await api.post('/shops/', sent)
    expect([created.status, created.data()]).toEqual([201, { id: 1, ...shown }])
    expect((await api.get('/shops/1/')).data()).toEqual({ id: 1, ...shown })
    const bulk = await api.post('/shops/bulk-create/', [sent, { name: 'Empty' }])
    expect(bulk.data()).toEqual([
      { id: 2, ...shown },
      { id: 3, name: 'Empty', rent: '0.00', fees: null, phone: null, place: null },
    ])
    const changed = await api.patch('/shops/bulk-update/', [{ id: 3, phone: '+49 1 2 3' }])
    expect(changed.data<SerializerData<typeof ShopSerializer>[]>()[0]?.phone).toBe('+49123')
  })

  test('what it takes is described by its own schema, or else by its column', () => {
    const { properties, examples } = ShopSerializer.inputSchema() as unknown as Described
    const coordinate = (most: number) => ({ type: 'number', minimum: -most, maximum: most })
    expect(properties.rent).toMatchObject({
      anyOf: [{ type: 'string', pattern: '^-?0*[0-9]{1,10}(\\.[0-9]{1,2}0*)?$' }, { type: 'number' }],
      format: 'money',
      description: 'An amount in euro, such as 12.50.',
    })
    expect(properties.phone).toEqual({ type: ['string', 'null'] })
    expect(properties.place).toEqual({
      type: ['object', 'null'],
      properties: { lat: coordinate(90), lng: coordinate(180) },
      required: ['lat', 'lng'],
      additionalProperties: false,
    })
    const example = { name: 'Example', rent: '12.50', phone: '+49 30 123456', place: { lat: 52.5, lng: 13.4 } }
    expect(examples).toEqual([{ ...example, fees: ['12.50'] }])
  })

  test('what only the class of its column has is not described', () => {
    const tag = defineKind('tag', { column: c => c.text(5), schema: column => (column as z.ZodString).min(2) })
    const tags = kit.table('tags', { id: kit.integer().primaryKey(), tag: kit.kind(tag).notNull() })
    const { properties } = BaseModelSerializer(tags, { fields: ['tag'] }).inputSchema()
    expect(properties).toEqual({ tag: { type: 'string', minLength: 1, maxLength: 5, pattern: '\\S' } })
  })

  test('what breaks its rules is 400, with its own message', async () => {
    const wrong = { name: 'A', rent: '-1', fees: ['1', '-2'], phone: '030', place: { lat: 91, lng: 0 } }
    expect((await api.post('/shops/', wrong)).envelope().errors).toEqual({
      rent: ['An amount is not negative.'],
      'fees.1': ['An amount is not negative.'],
      phone: ['Enter a telephone number with its country: +49 30 123456.'],
      'place.lat': ['Ensure this value is less than or equal to 90.'],
    })
  })

  test('filters read it as it is stored, and ask for more than its rules allow', async () => {
    await api.post('/shops/', sent)
    const count = async (query: string) => (await api.get(`/shops/?${query}`)).envelope().count
    expect(await count('rent=1200.500')).toBe(1)
    expect(await count('rent__gte=-5')).toBe(1)
    expect(await count(`phone=${encodeURIComponent('+49 30 123 456')}`)).toBe(1)
    expect(await count('phone__startswith=%2B4930')).toBe(1)
    expect(await count('search=123456')).toBe(1)
    expect(await count('place__isnull=true')).toBe(0)
    expect((await api.get('/shops/?rent=much')).envelope().errors).toEqual({
      rent: ['Enter an amount, such as 12.50.'],
    })
  })

  test('a foreign key to it is read by its rules', async () => {
    await api.database.transaction(() => createRecord(phones, { number: '+49301' }))
    expect((await api.post('/calls/', { from: '+49 30-1' })).data()).toEqual({ id: 1, from: '+49301' })
    expect((await api.post('/calls/', { from: '030' })).status).toBe(400)
  })

  test('a primary key is read by its rules, in a path as in JSON', async () => {
    await api.post('/phones/', { number: '+49 30-1' })
    const path = `/phones/${encodeURIComponent('+49 30 1')}/`
    expect((await api.get(path)).data()).toEqual({ number: '+49301' })
    expect((await api.get('/phones/030/')).status).toBe(404)
    const deleted = await api.post('/phones/bulk-delete/', ['030', '+49 30 1'])
    expect(deleted.data()).toMatchObject({ count: 1, missing_ids: ['030'] })
  })

  test.each(['csv', 'xlsx'])('what is exported as %s can be imported again', async fileType => {
    await api.post('/shops/', sent)
    const file = await api.post('/shops/export/', { file_type: fileType, includes: fields })
    await api.clear()
    const body = new FormData()
    body.set('file', new Blob([new Uint8Array(file.bytes)]), `shops.${fileType}`)
    body.set('append_data', 'true')
    expect((await api.post('/shops/import-from-file/', body)).data()).toMatchObject({ created: 1, errors: [] })
    expect((await api.get('/shops/1/')).data()).toEqual({ id: 1, ...shown })
  })

  test('a cell is read in its own way, and judged by the same rules', async () => {
    const body = new FormData()
    const rows = 'name,rent,fees,phone,place\nA,EUR 5,,+49 30 1,"52.5,13.4"\nB,EUR -5,,,\n'
    body.set('file', new Blob([rows]), 'shops.csv')
    body.set('append_data', 'true')
    const result = await api.post('/shops/import-from-file/', body)
    expect(result.data()).toMatchObject({
      created: 1,
      failed: 1,
      errors: [{ row: 3, field: 'rent', message: 'An amount is not negative.' }],
    })
    expect((await api.get('/shops/1/')).data()).toMatchObject({ rent: '5.00', phone: '+49301', place: sent.place })
  })

  test("a template's example can be imported", async () => {
    const template = await api.get('/shops/import-template/')
    expect(template.text).toContain('12.50')
    const body = new FormData()
    body.set('file', new Blob([new Uint8Array(template.bytes)]), 'template.csv')
    body.set('append_data', 'true')
    expect((await api.post('/shops/import-from-file/', body)).data()).toMatchObject({ created: 1, errors: [] })
  })
})

test('a kind that is not well defined is a ConfigError', () => {
  // @ts-expect-error a kind is kept in a column
  expect(() => defineKind('money', {})).toThrow("defineKind('money'): column: is required")
  // @ts-expect-error there is no such option
  expect(() => defineKind('money', { column: c => c.text(), exmples: [] })).toThrow('did you mean "examples"?')
  const strange = defineKind('strange', { column: () => ({}) as never })
  expect(() => sqliteKit.kind(strange)).toThrow('must be a column of the kit that it is given')
})
