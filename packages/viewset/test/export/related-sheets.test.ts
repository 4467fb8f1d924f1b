import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { readXlsx } from 'hucre/xlsx'
import { AllowAny, BaseModelSerializer, BulkViewSet, FileExportMixin, insertMany, ManyDataToDataField } from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { orderSerializers, orders as orderTables } from '../support/orders.ts'

describeDialects('a workbook with lists of records', dialect => {
  const tables = orderTables(dialect.kit)
  const { orders, lines, products } = tables
  const { Order } = orderSerializers(tables)
  const Secret = BaseModelSerializer(orders, {
    name: 'Secret',
    fields: ['id', 'number'],
    extra: {
      lines: ManyDataToDataField({
        queryset: lines,
        ordering: 'position',
        serializer: BaseModelSerializer(lines, {
          name: 'SecretLine',
          fields: ['position', 'quantity'],
          readableBy: { quantity: user => user?.id === 'boss' },
        }),
      }),
    },
  })
  const permissionClasses = [AllowAny]
  const ViewSet = BulkViewSet.add(FileExportMixin)
  const api = useApi(dialect, {
    tables,
    users: { boss: { id: 'boss' }, ann: { id: 'ann' } },
    resources: {
      orders: ViewSet({
        model: orders,
        serializer: Order,
        permissionClasses,
        ordering: 'number',
        filterFields: { status: ['exact'] },
      }),
      secret: ViewSet({ model: orders, serializer: Secret, permissionClasses, ordering: 'number' }),
    },
  })
  const sheets = async (path: string, body: object, as?: string) => {
    const answer = await api.post(`/${path}`, { file_type: 'xlsx', ...body }, as === undefined ? {} : { as })
    expect(answer.status).toBe(200)
    return (await readXlsx(answer.bytes)).sheets.map(({ name, rows }) => ({ name, rows }))
  }
  const includes = ['number', 'lines']
  beforeEach(() =>
    api.database.transaction(async () => {
      await insertMany(products, [{ id: uuid(1), name: '=nut' }])
      await insertMany(orders, [
        { id: uuid(21), number: 'A' },
        { id: uuid(22), number: 'B' },
        { id: uuid(23), number: 'C', status: 'closed' },
      ])
      await insertMany(lines, [
        { id: uuid(31), order: uuid(21), position: 1, product: uuid(1), quantity: 5 },
        { id: uuid(32), order: uuid(21), position: 2, product: uuid(1) },
        { id: uuid(33), order: uuid(23), position: 1, product: uuid(1) },
      ])
    }),
  )
  const HEADER = ['Number', 'Id', 'Position', 'Quantity', 'Product', 'Boxes']

  test('has a sheet for each list that "includes" names, with the column that names the record', async () => {
    expect(await sheets('orders/export/', { includes, title: 'Orders' })).toEqual([
      {
        name: 'Orders',
        rows: [
          ['Number', 'Lines'],
          ['A', 2],
          ['B', 0],
          ['C', 1],
        ],
      },
      {
        name: 'Lines',
        rows: [
          HEADER,
          ['A', uuid(31), 1, 5, '=nut', '[]'],
          ['A', uuid(32), 2, 1, '=nut', '[]'],
          ['C', uuid(33), 1, 1, '=nut', '[]'],
        ],
      },
    ])
  })

  test('names the record by its primary key, if the file has it', async () => {
    const [, second] = await sheets('orders/export/', { includes: ['number', 'id', 'lines'] })
    expect(second?.rows.slice(0, 2)).toEqual([
      ['Id', ...HEADER.slice(1)],
      [uuid(21), uuid(31), 1, 5, '=nut', '[]'],
    ])
    const [only, list] = await sheets('orders/export/', { includes: ['lines'] })
    expect([only?.rows[1], list?.rows[0]]).toEqual([[2], HEADER.slice(1)])
  })

  test('has the records of the rows in the file only', async () => {
    const [, closed] = await sheets('orders/export/?status=closed', { includes })
    expect(closed?.rows.slice(1)).toEqual([['C', uuid(33), 1, 1, '=nut', '[]']])
    const [, none] = await sheets('orders/export/?status=none', { includes })
    expect(none?.rows).toEqual([HEADER])
  })

  test('has rows of the client, whose lists may be anything', async () => {
    const data = [
      { number: 'X', lines: [{ position: 1, quantity: 2 }, {}] },
      { number: 'Y', lines: 'none' },
      { number: 'Z' },
      { number: '[', lines: [1] },
      { number: 'T', lines: '[oops' },
    ]
    expect(await sheets('orders/export/', { includes, data })).toMatchObject([
      {
        rows: [
          ['Number', 'Lines'],
          ['X', 2],
          ['Y', 'none'],
          ['Z', null],
          ['[', '[1]'],
          ['T', '[oops'],
        ],
      },
      { rows: [HEADER, ['X', null, 1, 2, null, null], ['X', null, null, null, null, null]] },
    ])
  })

  test('shows the fields of the list that the user may read', async () => {
    const body = { includes }
    expect((await sheets('secret/export/', body, 'boss'))[1]?.rows[0]).toEqual(['Number', 'Position', 'Quantity'])
    expect((await sheets('secret/export/', body, 'ann'))[1]?.rows[0]).toEqual(['Number', 'Position'])
  })

  test('is JSON text in a cell without "includes", and in CSV', async () => {
    const [only, ...others] = await sheets('orders/export/', {})
    expect(others).toEqual([])
    expect(only?.rows[1]?.[3]).toMatch(/^\[\{"id":/)
    expect((await api.post('/orders/export/', { file_type: 'csv', includes })).text).toContain('A,"[{""id""')
  })

  test('leaves no temporary file, also if the client goes away', async () => {
    const left = () =>
      readdirSync(tmpdir()).filter(name => name.startsWith('viewset-export-') && name.includes(`-${process.pid}-`))
    await sheets('orders/export/', { includes })
    expect(left()).toEqual([])
    await api.database.transaction(() =>
      insertMany(
        orders,
        Array.from({ length: 5_000 }, (_, at) => ({ number: `N${at}` })),
      ),
    )
    const controller = new AbortController()
    const answer = await fetch(`http://127.0.0.1:${await api.listen()}/api/orders/export/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ file_type: 'xlsx', includes }),
      signal: controller.signal,
    })
    expect(answer.status).toBe(200)
    controller.abort()
    await expect.poll(left).toEqual([])
  })
})
