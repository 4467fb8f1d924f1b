import { ne } from 'drizzle-orm'
import {
  BaseModelSerializer,
  Database,
  type ImportFileConfig,
  ImportService,
  importModel,
  ManyDataToDataField,
  ManyDataToIdField,
  ManyFlexibleField,
  ManyIdToDataField,
  type ModelSerializer,
  scoped,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { CountingDriver } from '../support/counting-driver.ts'
import { describeDialects } from '../support/dialects.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'
import { shop, shopSerializers } from '../support/shop.ts'

describeDialects('rows with lists of records', dialect => {
  const tables = shop(dialect.kit)
  const { orders, lines, products, boxes } = tables
  const { Order, Line } = shopSerializers(tables)
  const db = useDatabase(dialect, tables)
  const configOf = (more: object = {}, whole: object = {}): ImportFileConfig => ({
    fileFormat: 'csv',
    order: ['orders'],
    models: {
      orders: importModel({ model: orders, fields: ['number'], lists: ['lines'], uniqueFields: ['number'], ...more }),
    },
    ...whole,
  })
  type Rows = readonly (readonly [string, unknown])[]
  const cellsOf = (rows: Rows) =>
    rows.map(([number, list]) => [number, typeof list === 'string' ? list : JSON.stringify(list)])
  const send = (rows: Rows, config = configOf(), more: object = {}) =>
    importOnce(config, csv(['number', 'lines'], ...cellsOf(rows)), {
      database: db.database,
      serializer: Order,
      model: orders,
      ...more,
    })
  const stored = async (columns = 'number, position, quantity') => {
    const text = `select ${columns} from order_lines join orders on orders.id = order_id order by number, position`
    const { rows } = await db.database.driver.run({ text }, [])
    return rows.map(row => row.join(' '))
  }
  const line = (position: number, more: object = {}) => ({ position, product: 1, ...more })
  const withLines = (field: object, name: string): ModelSerializer =>
    BaseModelSerializer(orders, { name, fields: ['id', 'number'], extra: { lines: field as never } })
  beforeEach(() => db.run("insert into products (id, name) values (1, 'nut'), (2, 'bolt')"))

  test('the number of statements does not grow with the rows and their children', async () => {
    const driver = new CountingDriver(db.database.driver)
    const database = new Database(driver)
    const rowsOf = (name: string, count: number, more = {}): Rows =>
      Array.from({ length: count }, (_, row) => [
        `${name}${row}`,
        Array.from({ length: 5 }, (_, at) => line(at, { boxes: [{ label: `${name} ${row} ${at}` }], ...more })),
      ])
    const statements = async (name: string, count: number) => {
      const start = driver.statements.length
      for (const more of [{}, { quantity: 7 }]) {
        const result = await send(rowsOf(name, count, more), configOf(), { database })
        expect(result).toMatchObject({ failed: 0, processed: count })
      }
      return driver.statements.length - start
    }
    expect(await statements('many', 60)).toBe(await statements('few', 3))
  })

  test('an equal list is unchanged, in any order of its entries', async () => {
    const config = configOf({ skipUnchanged: true })
    await send([['A', [line(1, { boxes: [{ label: 'x' }] }), line(2)]]], config)
    const [one, two] = (await db.rows('order_lines', 'id')).map(([id]) => Number(id))
    const [[box]] = (await db.rows('boxes', 'id')) as [[string]]
    const same = [line(2, { id: two }), line(1, { id: one, boxes: [{ id: Number(box), label: 'x' }] })]
    expect(await send([['A', same]], config)).toMatchObject({ unchanged: 1, updated: 0 })
    expect(await send([['A', '']], config)).toMatchObject({ unchanged: 1, updated: 0 })
    const changes: [string, unknown][] = [
      ['a value', [line(2, { id: two, quantity: 3 }), line(1, { id: one })]],
      ['one less', [line(1, { id: one })]],
      ['one more', [line(1, { id: one }), line(5)]],
      ['a child of a child', [line(1, { id: one, boxes: [] })]],
    ]
    for (const [what, list] of changes.slice(0, 1)) {
      expect(await send([['A', list]], config), what).toMatchObject({ unchanged: 0, updated: 1 })
    }
    expect(
      await send([['A', [line(1, { id: one, boxes: [] }), line(2, { id: two, quantity: 3 })]]], config),
    ).toMatchObject({
      updated: 1,
    })
    expect(await db.rows('boxes', 'label')).toEqual([])
    for (const [what, list] of changes.slice(1, 3)) {
      expect(await send([['A', list]], config), what).toMatchObject({ unchanged: 0, updated: 1 })
    }
    expect(await stored()).toEqual(['A 1 1', 'A 5 1'])
  })

  const nine = Array.from({ length: 9 }, (_, at) => [String.fromCharCode(65 + at), 's'] as const)
  test.each<[string, readonly string[], readonly (readonly [string, string, object?])[]]>([
    [
      'two rows want one value',
      ['A'],
      [
        ['A', 's'],
        ['B', 's'],
      ],
    ],
    ['many rows want one value', ['A'], nine],
    [
      'a stored child has the value',
      ['B'],
      [
        ['A', 'taken'],
        ['B', 's'],
      ],
    ],
    [
      'a failed row claims no value',
      ['B'],
      [
        ['A', 's', { quantity: 'x' }],
        ['B', 's'],
      ],
    ],
    [
      'some rows want a value of others',
      ['A', 'B', 'D'],
      [
        ['A', 'a'],
        ['B', 'b'],
        ['C', 'a'],
        ['D', 'd'],
      ],
    ],
  ])('%s: the first row gets it, and others are stored', async (_, good, rows) => {
    await send([['Z', [line(1, { serial: 'taken' })]]])
    const result = await send(rows.map(([number, serial, more]) => [number, [line(1, { serial, ...more })]]))
    expect(result).toMatchObject({ processed: rows.length, created: good.length, failed: rows.length - good.length })
    expect(result.errors.map(({ row, field }) => [row, field])).toEqual(
      rows.flatMap(([number], at) => (good.includes(number) ? [] : [[at + 2, 'lines']])),
    )
    for (const { message } of result.errors)
      expect(message).toMatch(/^Entry 1, (serial|quantity): .* \(lines\.0\.\w+\)$/)
    expect(await stored('number')).toEqual([...good, 'Z'])
  })

  test('a row may take a value that an earlier row gives up', async () => {
    await send([['A', [line(1, { serial: 'a' })]]])
    expect(
      await send([
        ['A', []],
        ['B', [line(1, { serial: 'a' })]],
      ]),
    ).toMatchObject({ updated: 1, created: 1, failed: 0 })
  })

  test('a row may not take a value that a later row gives up', async () => {
    await send([['B', [line(1, { serial: 'a' })]]])
    const result = await send([
      ['A', [line(1, { serial: 'a' })]],
      ['B', []],
      ['C', [line(1, { serial: 'a' })]],
    ])
    expect(result).toMatchObject({ failed: 1, updated: 1, created: 1, errors: [{ row: 2, field: 'lines' }] })
    expect(await stored('number')).toEqual(['C'])
  })

  test('several rows of one record follow each other', async () => {
    const result = await send([
      ['A', [line(1)]],
      ['A', [line(2), line(3)]],
    ])
    expect(result).toMatchObject({ created: 1, updated: 1 })
    expect(await stored()).toEqual(['A 2 1', 'A 3 1'])
  })

  test('the mode of the field for PUT counts', async () => {
    const merging = withLines(
      ManyDataToDataField({ queryset: lines, serializer: Line, modes: { PUT: 'merge' } }),
      'Merging',
    )
    const more = { serializer: merging }
    await send([['A', [line(1)]]], configOf(), more)
    await send([['A', [line(2)]]], configOf(), more)
    await send([['A', []]], configOf(), more)
    expect(await stored()).toEqual(['A 1 1', 'A 2 1'])
  })

  test('children out of the scope of the field stay, are no children, and cannot be created', async () => {
    const scopedLines = withLines(
      ManyDataToDataField({
        queryset: scoped(lines, () => ne(lines.quantity, 13), { fixedValues: () => ({ serial: null }) }),
        serializer: Line,
        maxItems: 2,
      }),
      'Scoped',
    )
    const more = { serializer: scopedLines }
    await send([['A', [line(1, { quantity: 13 }), line(2)]]])
    const [[hidden]] = (await db.rows('order_lines', 'id')).slice(0, 1) as [[string]]
    const result = await send(
      [
        ['A', [line(3, { serial: 'ignored' })]],
        ['B', [line(1, { quantity: 13 })]],
        ['C', [line(1), line(2), line(3)]],
        ['D', [line(1)]],
      ],
      configOf(),
      more,
    )
    expect(result).toMatchObject({ updated: 1, created: 1, failed: 2 })
    expect(result.errors).toMatchObject([
      { row: 3, field: 'lines', message: expect.stringMatching(/^Entry 1: .*\(lines\.0\)$/) },
      { row: 4, field: 'lines', message: 'Ensure this list has no more than 2 items.' },
    ])
    expect(await stored("number, position, quantity, coalesce(serial, 'none')")).toEqual([
      'A 1 13 none',
      'A 3 1 none',
      'D 1 1 none',
    ])
    const foreign = await send([['A', [line(1, { id: Number(hidden) })]]], configOf(), more)
    expect(foreign.errors).toMatchObject([{ message: expect.stringContaining('(lines.0.id)') }])
  })

  test('rules across fields see the list', async () => {
    const Ruled = BaseModelSerializer(orders, {
      name: 'Ruled',
      fields: ['id', 'number'],
      extra: { lines: ManyDataToDataField({ queryset: lines, serializer: Line }) },
      validate: ({ lines: list }) =>
        list && list.items.length === 0 ? { nonFieldErrors: 'An order needs a line.' } : undefined,
    })
    const result = await send(
      [
        ['A', []],
        ['B', [line(1)]],
      ],
      configOf(),
      { serializer: Ruled },
    )
    expect(result).toMatchObject({ created: 1, failed: 1 })
    expect(result.errors).toMatchObject([{ row: 2, message: 'An order needs a line.' }])
  })

  test.each([
    ['chunkSize', {}, { chunkSize: 2 }],
    ['allOrNothing without a failed row', {}, { allOrNothing: true }],
  ])('%s stores the same', async (_, more, whole) => {
    const rows: Rows = Array.from({ length: 5 }, (_, at) => [`N${at}`, [line(1), line(2)]])
    expect(await send(rows, configOf(more, whole))).toMatchObject({ created: 5 })
    expect(await stored('number')).toHaveLength(10)
  })

  test('allOrNothing with a failed row, and a dry run, store nothing', async () => {
    const rows: Rows = [
      ['A', [line(1)]],
      ['B', [line(1, { product: 9 })]],
    ]
    expect(await send(rows, configOf({}, { allOrNothing: true }))).toMatchObject({ rolledBack: true, failed: 1 })
    const { diff } = await send(rows, configOf(), { dryRun: true, diff: true })
    expect(diff).toMatchObject({
      totals: { create: 1 },
      rows: [{ action: 'create', changes: { lines: [null, [{ position: 1, quantity: 1 }]] } }],
    })
    expect(await db.rows('orders', 'id')).toEqual([])
  })

  test('a diff has the old and the new list', async () => {
    await send([['A', [line(1)]]])
    const { diff } = await send([['A', [line(1, { quantity: 4 })]]], configOf(), { dryRun: true, diff: true })
    expect(diff?.rows[0]).toMatchObject({
      action: 'update',
      changes: { lines: [[{ quantity: 1 }], [{ quantity: 4 }]] },
    })
  })

  test('a replace creates all children anew, and ignores their old identifiers', async () => {
    await send([['A', [line(1, { boxes: [{ label: 'x' }] })]]])
    const list = [line(1, { id: 1, quantity: 2, boxes: [{ id: 1, label: 'x' }] })]
    expect(await send([['A', list]], configOf(), { append: false })).toMatchObject({
      deleted: 1,
      created: 1,
      failed: 0,
    })
    expect(await stored()).toEqual(['A 1 2'])
    expect(await db.rows('boxes', 'label')).toEqual([['x']])
  })

  test('a transform may give a list, and a file may lack an optional one', async () => {
    const service = new ImportService(configOf({ optional: ['lines'] }), {
      database: db.database,
      serializer: Order,
      transforms: {
        lines: value =>
          String(value)
            .split(' ')
            .map(position => line(Number(position))),
      },
    })
    await service.import(csv(['number', 'lines'], ['A', '1 2']), { append: true })
    expect(await service.import(csv(['number'], ['A'], ['B']), { append: true })).toMatchObject({
      updated: 1,
      created: 1,
    })
    expect(await stored()).toEqual(['A 1 1', 'A 2 1'])
  })

  test('nothing of a sensitive list is in an error', async () => {
    const { errors } = await send([['A', [line(1, { quantity: 'secret' })]]], configOf({ sensitive: ['lines'] }))
    expect(errors).toMatchObject([{ field: 'lines', message: expect.not.stringContaining('secret') }])
  })

  test('a list shown as identifiers, or that takes identifiers too, works alike', async () => {
    for (const [name, field] of [
      ['AsIds', ManyDataToIdField({ queryset: lines, serializer: Line })],
      ['Flexible', ManyFlexibleField({ queryset: lines, serializer: Line })],
    ] as const) {
      const more = { serializer: withLines(field, name) }
      expect(await send([[name, [line(1), line(2)]]], configOf(), more)).toMatchObject({ created: 1 })
      const ids = (await db.rows('order_lines', 'id', 'position')).slice(-2).map(([id]) => Number(id))
      const list = name === 'Flexible' ? [ids[0], line(3)] : [line(1, { id: ids[0] }), line(3)]
      expect(await send([[name, list]], configOf(), more)).toMatchObject({ updated: 1, failed: 0 })
    }
    expect(await stored('number, position')).toEqual(['AsIds 1', 'AsIds 3', 'Flexible 1', 'Flexible 3'])
  })

  describe('a wrong configuration is refused with a sentence', () => {
    const readOnly = withLines(ManyDataToDataField({ queryset: lines, serializer: Line, readOnly: true }), 'ReadOnly')
    const byId = withLines(ManyIdToDataField({ queryset: lines, serializer: Line }), 'ById')
    const Moving = BaseModelSerializer(lines, {
      name: 'Moving',
      fields: ['id', 'position', 'product'],
      extra: {
        boxes: ManyIdToDataField({ queryset: boxes, serializer: BaseModelSerializer(boxes, { fields: ['id'] }) }),
      },
    })
    const moving = withLines(ManyDataToDataField({ queryset: lines, serializer: Moving }), 'WithMoving')
    const two = {
      order: ['orders', 'boxes'],
      models: {
        ...configOf().models,
        boxes: importModel({ model: boxes, fields: ['label', 'line'], uniqueFields: ['label'] }),
      },
    }
    test.each([
      ['no serializer', configOf(), undefined, 'models.orders.lists: needs a serializer of "orders"'],
      ['an unknown list', configOf({ lists: ['lnies'] }), Order, '"lnies" is not among the lists of the serializer'],
      ['a list twice', configOf({ lists: ['lines', 'lines'] }), Order, 'names "lines" twice'],
      [
        'a list among the fields',
        configOf({ fields: ['number', 'lines'] }),
        Order,
        '"lines" is a list; name it in lists',
      ],
      ['a read-only list', configOf(), readOnly, '"lines" is read-only'],
      ['a list of identifiers', configOf(), byId, '"lines" takes identifiers or texts, not records'],
      ['a list that moves records', configOf(), moving, 'its list "boxes" moves records from one owner to another'],
      [
        'a model of the file',
        configOf({}, two),
        Order,
        '"lines" writes records of "boxes", and so do rows of the file',
      ],
    ])('%s', (_, config, serializer, text) => {
      expect(() => new ImportService(config, { ...(serializer && { serializer }), model: orders })).toThrow(text)
    })
  })

  test('records of a list refer to records of the same file', async () => {
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['products', 'orders'],
      models: {
        products: importModel({ model: products, fields: ['id', 'name'], uniqueFields: ['id'] }),
        ...configOf().models,
      },
    }
    const file = csv(
      ['id', 'name', 'number', 'lines'],
      [7, 'gear', 'A', JSON.stringify([line(1, { product: 7 })])],
      [8, 'cog', 'B', JSON.stringify([line(1, { product: 9 })])],
      [2, 'bolt', 'C', JSON.stringify([line(1, { product: 8 })])],
      [2, 'bolt', 'D', JSON.stringify([line(1, { product: 7 })])],
    )
    const result = await importOnce(config, file, { database: db.database, serializer: Order, model: orders })
    // Nothing of a failed row is stored, so row 4 refers to a product that is not there.
    expect(result.errors.map(({ row, field }) => [row, field])).toEqual([
      [3, 'lines'],
      [4, 'lines'],
    ])
    expect(result).toMatchObject({ processed: 4, created: 2, failed: 2 })
    expect(await db.rows('products', 'name')).toEqual([['bolt'], ['gear'], ['nut']])
    expect(await stored('number')).toEqual(['A', 'D'])
  })
})
