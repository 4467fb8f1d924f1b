import { and, eq, gte, lte, ne } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkUpsertModelMixin,
  BulkViewSet,
  createRecord,
  currentDb,
  type FieldErrors,
  importModel,
  insertMany,
  ManyDataToDataField,
  postWrite,
} from 'viewset'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectInvalid } from '../support/expect.ts'
import { csv } from '../support/imports.ts'
import { importForm } from '../support/multipart.ts'

const OVERLAPS = ['Overlaps another period.']

describeDialects('a rule about other records, kept by a listener of writes', dialect => {
  const c = dialect.kit
  const products = c.table('products', { id: c.integer().primaryKey(), name: c.text(20).notNull() })
  const prices = c.table(
    'prices',
    {
      id: c.integer().primaryKey(),
      product: c.foreignKey(products).notNull(),
      starts: c.integer().notNull(),
      ends: c.integer().notNull(),
    },
    t => [c.unique(t.product, t.starts)],
  )
  const Price = BaseModelSerializer(prices, { fields: ['id', 'product', 'starts', 'ends'] })
  const PriceOfProduct = BaseModelSerializer(prices, { name: 'PriceOfProduct', fields: ['id', 'starts', 'ends'] })
  const Product = BaseModelSerializer(products, {
    fields: ['id', 'name'],
    extra: { prices: ManyDataToDataField({ queryset: prices, serializer: PriceOfProduct, ordering: 'starts' }) },
  })
  const permissions = { permissionClasses: [AllowAny], importPermissionClasses: [AllowAny] }
  const resources = {
    prices: BulkImportableViewSet.add(BulkUpsertModelMixin)({
      model: prices,
      serializer: Price,
      ...permissions,
      upsertFields: ['product', 'starts'],
      importFileConfig: {
        fileFormat: 'csv',
        order: ['prices'],
        models: {
          prices: importModel({
            model: prices,
            fields: ['product', 'starts', 'ends'],
            uniqueFields: ['product', 'starts'],
          }),
        },
      },
    }),
    products: BulkViewSet({ model: products, serializer: Product, permissionClasses: [AllowAny] }),
  }
  const api = useApi(dialect, { tables: { products, prices }, resources })

  /** Refuses periods that share a day with another one of their product. */
  const refuseOverlaps = (problem: FieldErrors | string) =>
    postWrite(prices, async ({ kind, after, refuse }) => {
      if (kind === 'delete') return
      for (const price of after) {
        const others = await currentDb()
          .select({ id: prices.id })
          .from(prices)
          .where(
            and(
              eq(prices.product, price.product),
              ne(prices.id, price.id),
              lte(prices.starts, price.ends),
              gte(prices.ends, price.starts),
            ),
          )
        if (others.length > 0) refuse(price, problem)
      }
    })
  let disconnect: () => void
  beforeEach(async () => {
    await api.database.use(async () => {
      await insertMany(products, [
        { id: 1, name: 'Crown' },
        { id: 2, name: 'Bridge' },
      ])
      await insertMany(prices, [
        { id: 1, product: 1, starts: 1, ends: 10 },
        { id: 2, product: 1, starts: 20, ends: 29 },
      ])
    })
    disconnect = refuseOverlaps({ starts: OVERLAPS })
  })
  afterEach(() => disconnect())
  const stored = async () => (await api.rows('prices')).map(([, ...values]) => values.map(Number).join()).toSorted()
  const BEFORE = ['1,1,10', '1,20,29']

  test.each([
    ['a create', 'POST', '/prices/', { product: 1, starts: 5, ends: 6 }, 'starts'],
    ['a PUT', 'PUT', '/prices/1/', { product: 1, starts: 5, ends: 25 }, 'starts'],
    ['a PATCH', 'PATCH', '/prices/1/', { ends: 20 }, 'starts'],
    [
      'a bulk create',
      'POST',
      '/prices/bulk-create/',
      [
        { product: 2, starts: 5, ends: 6 },
        { product: 1, starts: 5, ends: 6 },
      ],
      '1.starts',
    ],
    [
      'a bulk update',
      'PATCH',
      '/prices/bulk-update/',
      [
        { id: 2, ends: 30 },
        { id: 1, starts: 12, ends: 21 },
      ],
      'all',
    ],
    [
      'a bulk upsert',
      'POST',
      '/prices/bulk-upsert/',
      [
        { product: 1, starts: 1, ends: 2 },
        { product: 1, starts: 20, ends: 28 },
        { product: 1, starts: 28, ends: 40 },
      ],
      'upsert',
    ],
    [
      'a child',
      'PATCH',
      '/products/2/',
      {
        prices: [
          { starts: 1, ends: 2 },
          { starts: 2, ends: 3 },
        ],
      },
      'children',
    ],
    [
      'a child of a bulk create',
      'POST',
      '/products/bulk-create/',
      [
        { name: 'Inlay' },
        {
          name: 'Onlay',
          prices: [
            { starts: 1, ends: 5 },
            { starts: 3, ends: 7 },
          ],
        },
      ],
      'bulk children',
    ],
  ] as const)(
    '%s names the refused record by its place in the request, and stores nothing',
    async (_, method, path, body, named) => {
      const places = {
        all: ['0.starts', '1.starts'],
        upsert: ['2.starts'],
        children: ['prices.0.starts', 'prices.1.starts'],
        'bulk children': ['1.prices.0.starts', '1.prices.1.starts'],
      }
      const expected = named in places ? places[named as keyof typeof places] : [named]
      expectInvalid(
        await api.request(method, path, { body }),
        Object.fromEntries(expected.map(place => [place, OVERLAPS])),
      )
      expect(await stored()).toEqual(BEFORE)
    },
  )

  test.each([true, false])('an import stores the other rows as row after row would; all at once: %s', async isWhole => {
    const rows = csv(['product', 'starts', 'ends'], [2, 1, 5], [2, 4, 8], [1, 11, 12], [1, 12, 13], [2, 6, 9])
    const imported = await api.request(
      'POST',
      '/prices/import-from-file/',
      importForm(rows, { more: isWhole ? { all_or_nothing: 'true' } : {} }),
    )
    const { errors } = imported.data<{ errors: readonly { row: number; message: string }[] }>()
    expect(errors.map(({ row }) => row)).toEqual([3, 5])
    for (const { message } of errors) expect(message).toContain(OVERLAPS[0])
    expect(await stored()).toEqual(isWhole ? BEFORE : [...BEFORE, '1,11,12', '2,1,5', '2,6,9'].toSorted())
  })

  test('a sentence belongs to the record as a whole', async () => {
    disconnect()
    disconnect = refuseOverlaps('This period overlaps another one.')
    const body = [
      { product: 2, starts: 5, ends: 6 },
      { product: 1, starts: 5, ends: 6 },
    ]
    expectInvalid(await api.post('/prices/bulk-create/', body), {
      '1.non_field_errors': ['This period overlaps another one.'],
    })
  })

  test('code gets the refusal of one record, and of many by their positions', async () => {
    const refusalOf = async (write: () => Promise<unknown>) => {
      const refused = api.database.transaction(write)
      return refused.catch((error: unknown) => (error as { errors?: unknown }).errors)
    }
    expect(await refusalOf(() => createRecord(prices, { product: 1, starts: 2, ends: 3 }))).toEqual({
      starts: OVERLAPS,
    })
    const rows = [
      { product: 2, starts: 1, ends: 2 },
      { product: 1, starts: 2, ends: 3 },
    ]
    expect(await refusalOf(() => insertMany(prices, rows))).toEqual({ '1.starts': OVERLAPS })
  })

  test('refusals of several listeners stand in one answer', async () => {
    const also = postWrite(prices, ({ after, refuse }) => {
      for (const price of after)
        if (price.ends < price.starts + 2) refuse(price, { starts: ['Too short.'], ends: ['Too early.'] })
    })
    const answer = await api.post('/prices/', { product: 1, starts: 5, ends: 6 })
    also()
    expectInvalid(answer, { starts: [...OVERLAPS, 'Too short.'], ends: ['Too early.'] })
  })

  test('a bulk delete names the item, and a row may be refused as it was', async () => {
    const kept = postWrite(
      prices,
      ({ kind, before = [], refuse }) => {
        for (const price of before) if (price.id === 1) refuse(price, { starts: [`No ${kind}.`] })
      },
      { before: true },
    )
    expectInvalid(await api.post('/prices/bulk-delete/', [2, 99, 2, 1]), { '3.starts': ['No delete.'] })
    expectInvalid(await api.delete('/prices/1/'), { starts: ['No delete.'] })
    expectInvalid(await api.patch('/prices/1/', { ends: 9 }), { starts: ['No update.'] })
    kept()
    expect(await stored()).toEqual(BEFORE)
  })

  test('a row of another event is a mistake of the code', async () => {
    const wrong = postWrite(prices, ({ refuse }) =>
      refuse({ id: 1, product: 1, starts: 1, ends: 2 }, { starts: OVERLAPS }),
    )
    const write = api.database.use(() => createRecord(prices, { product: 2, starts: 1, ends: 2 }))
    await expect(write).rejects.toThrow('postWrite: refuse takes a row of the same event.')
    wrong()
  })
})
