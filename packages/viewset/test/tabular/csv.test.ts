import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { neutraliseFormula, restoreFormula } from '../../src/tabular/csv/formula.ts'
import { type CsvOptions, csvWriter } from '../../src/tabular/csv/write.ts'
import type { CellRow, TabularColumn } from '../../src/tabular/table.ts'
import { bytesOf, columnsOf } from './support.ts'

async function csv(columns: readonly TabularColumn[], rows: readonly CellRow[], options?: CsvOptions): Promise<string> {
  const bytes = await bytesOf(csvWriter(options).write(columns, [rows]))
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}

test('writes values as they are on the wire', async () => {
  const columns = columnsOf('text', 'integer', 'decimal', 'float', 'boolean', 'date', 'timestamp')
  const rows: CellRow[] = [
    ['Łódź', 7, '-0.50', 0.1, true, '2026-01-15', '2026-01-15T10:30:00.123456Z'],
    ['00123', 2n ** 63n, '12345678901234567890.12', -1e21, false, null, null],
  ]
  expect(await csv(columns, rows)).toBe(
    'text,integer,decimal,float,boolean,date,timestamp\r\n' +
      'Łódź,7,-0.50,0.1,true,2026-01-15,2026-01-15T10:30:00.123456Z\r\n' +
      '00123,9223372036854775808,12345678901234567890.12,-1e+21,false,,\r\n',
  )
})

test('quotes what RFC 4180 and careless readers need quoted', async () => {
  const rows = [['a"b'], ['a,b'], ['a\nb'], ['a\rb'], [' a'], ['a '], ['a b'], ['']]
  expect(await csv(columnsOf('text'), rows)).toBe(
    'text\r\n"a""b"\r\n"a,b"\r\n"a\nb"\r\n"a\rb"\r\n" a"\r\n"a "\r\na b\r\n""\r\n',
  )
})

test('writes a file of headers only for no rows', async () => {
  expect(await csv(columnsOf('text', 'date'), [])).toBe('text,date\r\n')
})

test('writes an empty cell as nothing, but no row as an empty line', async () => {
  expect(await csv(columnsOf('text', 'text'), [[null, null]])).toBe('text,text\r\n,\r\n')
  expect(await csv(columnsOf('text'), [[null], []])).toBe('text\r\n""\r\n""\r\n')
})

test('takes another delimiter and a byte order mark', async () => {
  const rows = [['a;b', 'a,b']]
  expect(await csv(columnsOf('text', 'text'), rows, { delimiter: ';', bom: true })).toBe(
    '\uFEFFtext;text\r\n"a;b";"a,b"\r\n',
  )
})

test('does not start with the letters by which Excel knows SYLK', async () => {
  expect(await csv([{ header: 'ID', kind: 'integer' }], [[1]])).toBe('"ID"\r\n1\r\n')
})

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠a', "'=1", "''-1"])(
  'puts a quote before text that a spreadsheet would run: %j',
  async text => {
    const written = await csv([{ header: text, kind: 'text' }], [[text]])
    expect(parse(written)).toEqual([[`'${text}`], [`'${text}`]])
    expect(restoreFormula(`'${text}`)).toBe(text)
  },
)

test('leaves numbers alone, negative ones too', async () => {
  const columns = columnsOf('integer', 'decimal', 'float', 'integer', 'float', 'text')
  const written = await csv(columns, [[-5, '-5.00', -5e-7, -5n, '-Infinity', -5]])
  expect(written.split('\r\n')[1]).toBe('-5,-5.00,-5e-7,-5,-Infinity,-5')
})

test('does not trust a number column to hold numbers', async () => {
  const columns = columnsOf('decimal', 'date', 'boolean')
  const written = await csv(columns, [["-1+cmd|' /C calc'!A0", '=1', '@a']])
  expect(written.split('\r\n')[1]).toBe("'-1+cmd|' /C calc'!A0,'=1,'@a")
})

test('neutralising is undone by taking one quote away, whatever the text', () => {
  const text = fc.string({ unit: fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '＝', 'a', ' ') })
  fc.assert(fc.property(text, value => restoreFormula(neutraliseFormula(value)) === value))
})

test('csv-parse reads back every text', async () => {
  const unit = fc.oneof(
    fc.constantFrom('"', ',', '\r', '\n', ' ', "'", '=', ';'),
    fc.string({ unit: 'binary', maxLength: 3 }),
  )
  const cell = fc.array(unit, { maxLength: 6 }).map(parts => parts.join(''))
  const row = fc.tuple(cell, fc.option(cell))
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 8 }), async rows => {
      const records: string[][] = parse(await csv(columnsOf('text', 'text'), rows))
      const expected = rows.map(cells => cells.map(value => value ?? ''))
      expect(records.slice(1).map(cells => cells.map(restoreFormula))).toEqual(expected)
    }),
  )
})

test('writes in chunks of one size, whatever the batches', async () => {
  const rows = Array.from({ length: 20_000 }, (_, index): CellRow => [index, 'x'.repeat(20)])
  const columns = columnsOf('integer', 'text')
  const sizesOf = async (batches: Iterable<CellRow[]>) => {
    const sizes: number[] = []
    for await (const chunk of csvWriter().write(columns, batches)) sizes.push(chunk.length)
    return sizes
  }
  const whole = await sizesOf([rows])
  expect(Math.max(...whole)).toBeLessThan(70_000)
  expect(await sizesOf(rows.map(row => [row]))).toEqual(whole)
})
