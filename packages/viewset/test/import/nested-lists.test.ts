import { type ImportFileConfig, importModel } from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { describeDialects } from '../support/dialects.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'
import { shop, shopSerializers } from '../support/shop.ts'

describeDialects('lists of records from one cell', dialect => {
  const tables = shop(dialect.kit)
  const { orders } = tables
  const db = useDatabase(dialect, tables)
  const { Order } = shopSerializers(tables)
  const configOf = (more: object = {}): ImportFileConfig => ({
    fileFormat: 'csv',
    order: ['orders'],
    models: {
      orders: importModel({ model: orders, fields: ['number'], lists: ['lines'], uniqueFields: ['number'], ...more }),
    },
  })
  const send = (rows: readonly (readonly [string, unknown])[], config = configOf(), more: object = {}) => {
    const cells = rows.map(([number, list]) => [number, typeof list === 'string' ? list : JSON.stringify(list)])
    const options = { database: db.database, serializer: Order, model: orders, ...more }
    return importOnce(config, csv(['number', 'lines'], ...cells), options)
  }
  const stored = async () => {
    const { rows } = await db.database.driver.run(
      {
        text: 'select number, position, product_id, quantity, order_lines.id from order_lines join orders on orders.id = order_id order by number, position',
      },
      [],
    )
    return rows.map(row => row.map(Number).map((value, at) => (at === 0 ? String(row[0]) : value)))
  }
  const line = (position: number, more: object = {}) => ({ position, product: 1, ...more })
  beforeEach(async () => {
    await db.run("insert into products (id, name) values (1, 'nut'), (2, 'bolt')")
    await db.run("insert into orders (id, number) values (21, 'A'), (22, 'B')")
    await db.run(
      'insert into order_lines (id, order_id, position, product_id, quantity) values (31, 21, 1, 1, 1), (32, 21, 2, 1, 1), (33, 22, 1, 1, 1)',
    )
  })

  test('a row creates its record with the children of its list, and theirs', async () => {
    const result = await send([
      ['C', [line(1, { quantity: 5, boxes: [{ label: 'a' }] }), line(2, { product: 2 })]],
      ['D', ''],
    ])
    expect(result).toMatchObject({ processed: 2, created: 2, failed: 0 })
    expect((await stored()).filter(([number]) => number === 'C').map(row => row.slice(0, 4))).toEqual([
      ['C', 1, 1, 5],
      ['C', 2, 2, 1],
    ])
    expect(await db.rows('boxes', 'label')).toEqual([['a']])
  })

  test('a row that updates a record treats its list as a PUT does', async () => {
    const result = await send([
      ['A', [line(1, { id: 32, quantity: 9 }), line(3)]],
      ['B', ''],
    ])
    expect(result).toMatchObject({ updated: 2, failed: 0 })
    const now = await stored()
    expect(now.map(row => row.slice(0, 4))).toEqual([
      ['A', 1, 1, 9],
      ['A', 3, 1, 1],
      ['B', 1, 1, 1],
    ])
    expect(now[0]?.[4]).toBe(32)
    expect(await send([['B', []]])).toMatchObject({ updated: 1 })
    expect((await stored()).map(([number]) => number)).toEqual(['A', 'A'])
  })

  test.each([
    ['no JSON', 'x', /^This is not a list in JSON\. Write it like \[\{.*\}\]\.$/, 'not_a_list'],
    ['an object', { position: 1 }, /^This is not a list in JSON/, 'not_a_list'],
    [
      'a wrong value',
      [line(1, { id: 31 }), line(4, { quantity: 'x' })],
      /^Entry 2, quantity: .*\(lines\.1\.quantity\)$/,
      'invalid_integer',
    ],
    [
      'a missing field',
      [{ position: 4 }],
      /^Entry 1, product: This field is required\. \(lines\.0\.product\)$/,
      'required',
    ],
    ['a missing reference', [line(4, { product: 9 })], /^Entry 1, product: .*\(lines\.0\.product\)$/, 'does_not_exist'],
    ['a child of another record', [{ id: 33, ...line(4) }], /^Entry 1, id: .*\(lines\.0\.id\)$/, 'does_not_exist'],
    ['a child that comes twice', [line(1, { id: 31 }), line(2, { id: 31 })], /^Entry 2, id: /, 'claimed_twice'],
    ['a child that is no object', ['x'], /^Entry 1: .*\(lines\.0\)$/, 'not_an_object'],
    ['a value that two children share', [line(7), line(7)], /^Entry 2, position: .*\(lines\.1\.position\)$/, 'unique'],
    [
      'a child of a child',
      [line(1, { boxes: [{ label: 'a' }, { label: '' }] })],
      /^Entry 1, boxes 2, label: /,
      'blank',
    ],
  ])('%s is an error of its row at its place, and other rows are stored', async (_, list, text, code) => {
    const result = await send([
      ['A', list],
      ['B', [line(5)]],
      ['C', [line(6)]],
    ])
    expect(result).toMatchObject({ processed: 3, failed: 1, updated: 1, created: 1 })
    expect(result.errors).toEqual([
      { row: 2, field: 'lines', column: 'lines', model: 'orders', message: expect.stringMatching(text) },
    ])
    expect(result.errorGroups).toMatchObject([{ field: 'lines', code, count: 1 }])
    expect((await stored()).map(row => row.slice(0, 2))).toEqual([
      ['A', 1],
      ['A', 2],
      ['B', 5],
      ['C', 6],
    ])
  })
})
