import { setImmediate } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import * as lite from 'drizzle-orm/sqlite-core'
import * as fc from 'fast-check'
import { readXlsx } from 'hucre/xlsx'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  CustomOutputField,
  ExpressionField,
  findRecords,
  IdToDataField,
  IdToStrField,
  ManyIdToDataField,
} from 'viewset'
import { kit } from 'viewset/sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'
import { pdfText } from '../support/pdf-text.ts'

/** A column of every kind, of a kit and of Drizzle's own. SQLite holds none of them to its type. */
const columns = {
  text: kit.text(5),
  integer: kit.integer(),
  bigint: kit.bigint(),
  decimal: kit.decimal(8, 2),
  boolean: kit.boolean(),
  timestamp: kit.timestamp(),
  date: kit.date(),
  uuid: kit.uuid(),
  json: kit.json(),
  float: kit.float(),
  time: kit.time(),
  texts: kit.array(kit.text()),
  numbers: kit.array(kit.integer()),
  prices: kit.array(kit.decimal(8, 2)),
  flags: kit.array(kit.boolean()),
  binary: kit.binary(),
}
const plainColumns = {
  real: lite.real(),
  choice: lite.text({ enum: ['a', 'b'] }),
  seconds: lite.integer({ mode: 'timestamp' }),
  milliseconds: lite.integer({ mode: 'timestamp_ms' }),
  flag: lite.integer({ mode: 'boolean' }),
  object: lite.text({ mode: 'json' }),
  amount: lite.numeric(),
  amountNumber: lite.numeric({ mode: 'number' }),
  amountBigint: lite.numeric({ mode: 'bigint' }),
  bytes: lite.blob({ mode: 'buffer' }),
  byteObject: lite.blob({ mode: 'json' }),
  byteNumber: lite.blob({ mode: 'bigint' }),
  shout: lite.customType<{ data: string; driverData: string }>({
    dataType: () => 'text',
    fromDriver: value => value.toUpperCase(),
  })(),
}
const permissionClasses = [AllowAny]

const things = kit.table('things', { id: kit.integer().primaryKey(), ...columns })
const plain = lite.sqliteTable('plain', { id: lite.integer().primaryKey(), ...plainColumns })
const children = kit.table('children', { id: kit.integer().primaryKey(), thing: kit.foreignKey(things) })
type Name = keyof typeof columns
const names = Object.keys(columns) as Name[]
/** Those that can be compared. */
const orderable = names.filter(name => !['json', 'texts', 'numbers', 'prices', 'flags', 'binary'].includes(name))
const plainNames = Object.keys(plainColumns) as (keyof typeof plainColumns)[]

const shown = BaseModelSerializer(things, { fields: ['id', ...names] })
const thingSerializer = BaseModelSerializer(things, {
  fields: ['id', ...names],
  extra: {
    jsonText: ExpressionField({ expression: sql`${things.json}`, type: 'text' }),
    computed: thing => ({ ...thing }),
    children: ManyIdToDataField({
      queryset: children,
      serializer: BaseModelSerializer(children, { fields: ['id'] }),
      ordering: 'id',
    }),
  },
})
const relation = { queryset: things, column: 'thing' } as const
const childSerializer = BaseModelSerializer(children, {
  fields: ['id'],
  extra: {
    thing: IdToDataField({ queryset: things, serializer: shown }),
    ...Object.fromEntries(
      orderable.map(name => [`${name}Str`, IdToStrField({ ...relation, str: name, readOnly: true })] as const),
    ),
    custom: CustomOutputField({ ...relation, output: thing => ({ ...thing }), readOnly: true }),
  },
})
const plainSerializer = BaseModelSerializer(plain, { fields: ['id', ...plainNames] })

describe('sqlite: a cell that is not of its column’s type', () => {
  beforeEach(() => allowUndescribed(/ 200: data/, 'What should not be in a column is shown as the text it is.'))
  const api = useApi(sqliteDialect, {
    tables: { things, plain, children },
    resources: {
      things: BaseViewSet({
        model: things,
        serializer: thingSerializer,
        permissionClasses,
        filterFields: orderable,
        searchFields: ['text'],
        orderingFields: orderable,
        exportFormats: ['csv', 'xlsx', 'pdf'],
      }),
      children: BaseViewSet({ model: children, serializer: childSerializer, permissionClasses }),
      plain: BaseViewSet({ model: plain, serializer: plainSerializer, permissionClasses }),
    },
  })
  const run = (text: string) => api.database.driver.run({ text }, [])
  /** SQL of a text, with whatever bytes. */
  const text = (value: string | Uint8Array) => `cast(x'${Buffer.from(value).toString('hex')}' as text)`
  const put = (table: string, id: number, cells: Readonly<Record<string, string>>) => {
    const keys = Object.keys(cells).map(key => `"${key}"`)
    return run(`insert into ${table} (${['id', ...keys].join()}) values (${[id, ...Object.values(cells)].join()})`)
  }

  const warnings: string[] = []
  const listen = (warning: Error) => warnings.push(warning.message)
  beforeEach(() => {
    warnings.length = 0
    process.on('warning', listen)
  })
  afterEach(() => {
    process.off('warning', listen)
  })

  test('is shown as the text it is, under its own key', async () => {
    const cell = '1,"admin":true'
    await put('things', 1, Object.fromEntries(names.map(name => [name, text(cell)])))
    const data = (await api.get('/things/1/')).data()
    for (const name of [...names, 'json_text']) expect([name, data[name]]).toEqual([name, cell])
    expect(Object.keys(data)).not.toContain('admin')
  })

  test.each([
    ['integer', '', ''],
    ['bigint', 'abc', 'abc'],
    ['decimal', '"', '"'],
    ['boolean', 'yes', 'yes'],
    ['timestamp', 'soon', 'soon'],
    ['json', '{broken', '{broken'],
    ['time', '25:00', '25:00'],
    ['texts', '{"a":1}', '{"a":1}'],
    ['texts', '[["a"]]', '[["a"]]'],
    ['numbers', '[1,"2"]', '[1,"2"]'],
    ['prices', '["dear"]', '["dear"]'],
    ['binary', 'no bytes', 'no bytes'],
  ])('of the kind %s holding %j is valid JSON', async (name, cell, expected) => {
    await put('things', 1, { [name]: text(cell) })
    expect((await api.get('/things/1/')).data<Record<string, unknown>>()[name]).toBe(expected)
    expect((await api.get('/things/')).data<Record<string, unknown>[]>()[0]?.[name]).toBe(expected)
  })

  test('is logged once for a column, without its value', async () => {
    // Those of the tests before may still be on their way.
    await setImmediate()
    warnings.length = 0
    const logged = kit.table('things', { id: kit.integer().primaryKey(), integer: kit.integer() })
    await put('things', 1, { integer: text('secret') })
    await put('things', 2, { integer: text('secret') })
    const read = () => api.database.use(() => findRecords(logged))
    await read()
    await read()
    await expect.poll(() => warnings.length).toBeGreaterThan(0)
    expect(warnings).toEqual([
      'Column "things.integer" holds a value that is no integer; it is shown as text. (This is said once for a column.)',
    ])
  })

  test('is the same text in every file', async () => {
    await put('things', 1, { integer: text('abc'), bigint: text('x'), decimal: text('=1+1'), date: text('soon') })
    const includes = ['integer', 'bigint', 'decimal', 'date']
    const file = (file_type: string) => api.post('/things/export/', { file_type, includes })
    expect((await file('csv')).text).toBe("Integer,Bigint,Decimal,Date\r\nabc,x,'=1+1,soon\r\n")
    expect(await pdfText((await file('pdf')).bytes)).toContain('=1+1')
    const { sheets } = await readXlsx((await file('xlsx')).bytes)
    expect(sheets[0]?.rows[1]).toEqual(['abc', 'x', '=1+1', 'soon'])
  })

  test('whatever it is, every way of reading answers valid JSON with the declared keys', async () => {
    const anyCell = fc.oneof(
      fc.constantFrom('null', "''", '9e999', '-9e999', '1.5', '9223372036854775807', "x''", 'zeroblob(9)', '1e300'),
      fc
        .constantFrom('{broken', '1,"admin":true', '"', '\\', '[1', 'null', '0x10', '1e5', '-', '2026', ' 1 ')
        .map(text),
      fc.constantFrom('2026-02-30', '2026-13-01T00:00:00.000000Z', '2026-01-15 10:30:00', '+12026-01-01').map(text),
      fc.string({ unit: 'binary', maxLength: 12 }).map(text),
      fc.uint8Array({ maxLength: 8 }).map(text),
      fc.uint8Array({ maxLength: 8 }).map(bytes => `x'${Buffer.from(bytes).toString('hex')}'`),
      fc.json({ maxDepth: 2 }).map(text),
      fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }).map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => value.toExponential()),
    )
    const rowOf = <K extends string>(keys: readonly K[]) =>
      fc.record(Object.fromEntries(keys.map(key => [key, anyCell])) as Record<K, typeof anyCell>)
    const keysOf = (serializer: { readonly fields: readonly { readonly wire: string }[] }, ...more: string[]) =>
      [...serializer.fields.map(({ wire }) => wire), ...more].sort()
    const sameKeys = (items: unknown, keys: readonly string[]) => {
      for (const item of [items].flat()) expect(Object.keys(item as object).sort()).toEqual(keys)
    }
    await fc.assert(
      fc.asyncProperty(rowOf(names), rowOf(plainNames), async (row, plainRow) => {
        await api.clear()
        await put('things', 1, row)
        await put('plain', 1, plainRow)
        await run('insert into children (id, thing_id) values (1, 1)')
        for (const [path, serializer] of [
          ['things', thingSerializer],
          ['children', childSerializer],
          ['plain', plainSerializer],
        ] as const) {
          sameKeys((await api.get(`/${path}/1/`)).data(), keysOf(serializer))
          sameKeys((await api.get(`/${path}/`)).data(), keysOf(serializer, 'index'))
          sameKeys((await api.get(`/${path}/?paginated=false`)).data(), keysOf(serializer, 'index'))
          for (const file_type of ['csv', 'xlsx']) {
            const file = await api.post(`/${path}/export/`, { file_type })
            expect([file.status, file_type === 'csv' && file.text.includes('NaN')]).toEqual([200, false])
          }
        }
        expect((await api.patch('/things/1/', { text: 'new' })).data<{ text: string }>().text).toBe('new')
        for (const name of orderable) {
          expect((await api.get(`/things/?ordering=-${name}`)).status).toBe(200)
        }
        for (const query of [
          'integer=1',
          'decimal=1.5',
          'timestamp=2026-01-15T10:30:00Z',
          'boolean=true',
          'search=a',
        ]) {
          expect((await api.get(`/things/?${query}`)).status).toBe(200)
        }
        await api.database.transaction(async () => {
          const [record] = await findRecords(things)
          const [other] = await findRecords(plain as never as typeof things)
          for (const json of [record?.getJson(), other?.getJson()])
            expect(JSON.parse(JSON.stringify(json))).toBeTypeOf('object')
        })
      }),
      { numRuns: cases(30) },
    )
  })
})
