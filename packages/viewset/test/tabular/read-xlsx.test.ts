import fc from 'fast-check'
import { writeXlsx } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import { csvWriter } from '../../src/tabular/csv/write.ts'
import { SheetError } from '../../src/tabular/read/file.ts'
import { numberFormats } from '../../src/tabular/read/number-format.ts'
import { openTabular } from '../../src/tabular/read/open.ts'
import type { Cell, CellRow, TabularColumn } from '../../src/tabular/table.ts'
import { serialMoment } from '../../src/tabular/xlsx/serial.ts'
import { type Sheet, xlsxWriter } from '../../src/tabular/xlsx/write.ts'
import { cases } from '../support/cases.ts'
import { type OpenOptions, readAll, readPath, withFile } from './read-support.ts'
import { bytesOf, columnsOf } from './support.ts'
import { stored, styles, workbook, workbookParts, zipped } from './workbook-xml.ts'

async function read(sheetData: string, parts?: Record<string, string>, options?: OpenOptions) {
  const [sheet] = await readAll(workbook(sheetData, parts), options)
  return sheet!
}

/** The first row's values of a sheet with these cells below a header. */
async function cellsOf(cells: string, parts?: Record<string, string>) {
  const { rows } = await read(`<row><c t="str"><v>h</v></c></row><row>${cells}</row>`, parts)
  return rows[0]?.slice(1)
}

async function written(columns: TabularColumn[], ...batches: CellRow[][]) {
  const [sheet] = await readAll(await bytesOf(xlsxWriter().write(columns, batches)))
  return sheet!
}

test('reads what our writer wrote, typed', async () => {
  const columns = columnsOf('text', 'integer', 'decimal', 'float', 'boolean', 'date', 'timestamp')
  const rows: CellRow[] = [
    ['00123', 7, '29.90', 0.1, true, '2026-01-15', '2026-01-15T10:30:00.123456Z'],
    ['Łódź "x" <&>\n\ty\r', 123_456_789_012_345, '-0.5', 1e-7, false, '1900-03-01', '2026-01-15T00:00:00Z'],
    [null, null, null, null, null, null, '2026-01-15T10:20:00.5Z'],
    ['_x000D_', 2n ** 53n, '12345678901234567890', Number.POSITIVE_INFINITY, null, null, '9999-12-31T23:59:59Z'],
  ]
  expect(await written(columns, rows)).toEqual({
    name: 'Sheet1',
    header: ['text', 'integer', 'decimal', 'float', 'boolean', 'date', 'timestamp'],
    rows: [
      [2, '00123', 7, 29.9, 0.1, true, '@2026-01-15', '@2026-01-15T10:30:00.123456'],
      [3, 'Łódź "x" <&>\n\ty\r', 123_456_789_012_345, -0.5, 1e-7, false, '@1900-03-01', '@2026-01-15'],
      [4, null, null, null, null, null, null, '@2026-01-15T10:20:00.500'],
      [5, '_x000D_', '9007199254740992', '12345678901234567890', 'Infinity', null, null, '@9999-12-31T23:59:59'],
    ],
  })
})

test('what our writer wrote is read back cell by cell', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('00123', 'NA', 'null', '1E5', 'TRUE', '123456789012345', '=1+1', "'x", '_x0041_', ' x ', '\r\n'),
  )
  const row = fc.tuple(text, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean())
  const tables = fc.array(fc.tuple(row, fc.array(fc.boolean(), { minLength: 4, maxLength: 4 })), { maxLength: 100 })
  await fc.assert(
    fc.asyncProperty(tables, async drafts => {
      const rows = drafts.map(([cells, kept]) => cells.map((cell, i): Cell => (kept[i] ? cell : null)))
      const expected = rows
        .map((cells, index) => [index + 2, ...trimmedEnd(cells.map(cell => (cell === '' ? null : cell)))])
        .filter(([, ...cells]) => cells.some(cell => cell !== null && String(cell).trim() !== ''))
      const { rows: found } = await written(columnsOf('text', 'integer', 'float', 'boolean'), rows)
      // XML has no negative zero of its own; to a person there is only one.
      expect(found.map(cells => cells.map(cell => (cell === 0 ? 0 : cell)))).toEqual(
        expected.map(cells => cells.map(cell => (cell === 0 ? 0 : cell))),
      )
    }),
    { numRuns: cases(15) },
  )
})

function trimmedEnd<T>(cells: T[]): T[] {
  return cells.slice(0, cells.findLastIndex(cell => cell !== null) + 1)
}

test('timestamps come back to the microsecond', async () => {
  const from = Date.UTC(1900, 2, 1)
  const to = Date.UTC(2078, 0, 1)
  const random = fc.tuple(fc.integer({ min: from, max: to }), fc.integer({ min: 0, max: 999 }))
  const nearSeconds = fc.tuple(
    fc.integer({ min: Math.ceil(from / 1000), max: to / 1000 }).map(seconds => seconds * 1000),
    fc.integer({ min: 0, max: 9 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(random, nearSeconds), { minLength: 250, maxLength: 250 }), async moments => {
      const texts = moments.map(([millis, micros]) =>
        new Date(millis).toISOString().replace('Z', `${String(micros).padStart(3, '0')}`),
      )
      const { rows } = await written(
        columnsOf('timestamp'),
        texts.map(text => [`${text}Z`]),
      )
      const found = rows.map(([, cell]) => String(cell).slice(1))
      expect(found.map(inFull)).toEqual(texts)
    }),
    { numRuns: cases(8) },
  )
})

function inFull(text: string): string {
  const [date, clock = '00:00:00'] = text.split('T')
  const [time, fraction = ''] = clock.split('.')
  return `${date}T${time}.${fraction.padEnd(6, '0')}`
}

test('reads what another writer wrote, with shared strings', async () => {
  const at = new Date('2026-01-15T10:30:00Z')
  const bytes = await writeXlsx({
    sheets: [
      {
        name: 'Cities',
        rows: [
          ['name', 'population', 'capital', 'founded'],
          ['Łódź', 655_279, false, at],
          ['Oslo', 709_037.5, true, new Date('2026-01-15T00:00:00Z')],
          ['Oslo', null, null, null],
        ],
      },
      { name: 'Leer & mehr', rows: [] },
    ],
  })
  expect(await readAll(bytes)).toEqual([
    {
      name: 'Cities',
      header: ['name', 'population', 'capital', 'founded'],
      rows: [
        [2, 'Łódź', 655_279, false, '@2026-01-15T10:30:00'],
        [3, 'Oslo', 709_037.5, true, '@2026-01-15'],
        [4, 'Oslo'],
      ],
    },
    { name: 'Leer & mehr', header: [], rows: [] },
  ])
})

const fixture = (name: string) => readPath(`${import.meta.dirname}/../fixtures/workbooks/${name}`)

test.each([
  [
    'date.xlsx',
    ['2021-01-01', '15'],
    [
      [2, '@2021-01-02', 16],
      [3, '10.6320601851852#255:10:10', 17],
    ],
  ],
  [
    'date_1904.xlsx',
    ['2021-01-01', '15'],
    [
      [2, '@2021-01-02', 16],
      [3, '10.6320601851852#255:10:10', 17],
    ],
  ],
  [
    'errors.xlsx',
    ['#DIV/0!'],
    [
      [2, '!#NAME?'],
      [3, '!#VALUE!'],
      [4, '!#NULL!'],
      [5, '!#REF!'],
      [6, '!#NUM!'],
      [7, '!#N/A'],
    ],
  ],
  ['rph.xlsx', ['課きく　毛こ'], []],
  ['has_x000D_.xlsx', ['ABC\r\nDEF'], []],
  [
    'nonstandard-xml-ns-prefix.xlsx',
    ['a', 'b'],
    [
      [2, 1, 3],
      [3, 2, 4],
    ],
  ],
  ['inlineStr_cdata.xlsx', ['Hello CDATA', 'World'], [[2, '12345', 'NormalText']]],
  [
    'issues.xlsx',
    ['1'],
    [
      [2, 1.5],
      [3, 'ab'],
      [4, false],
      [5, 'test'],
      [6, '@2016-10-20'],
    ],
  ],
])('reads %s, which another program wrote', async (name, header, rows) => {
  const [sheet] = await fixture(name)
  expect(sheet).toMatchObject({ header, rows })
})

test('reads dates that are written as text', async () => {
  const [sheet] = await fixture('date_iso.xlsx')
  expect(sheet).toMatchObject({ header: ['2021-01-01'] })
  expect(sheet!.rows.slice(0, 2)).toEqual([
    [2, '@2021-01-01T10:10:10'],
    [3, '10:10:10'],
  ])
})

test('gives the sheets in any order, each with its own rows', async () => {
  const sheets = ['A', 'B', 'C'].map(
    (name): Sheet => ({
      name,
      columns: columnsOf('text', 'integer'),
      rows: [Array.from({ length: 1500 }, (_, index) => [name, index])],
    }),
  )
  const bytes = await bytesOf(xlsxWriter().writeSheets(sheets))
  await withFile(bytes, async path => {
    const file = await openTabular(path, { formats: ['xlsx'] })
    const counts: Record<string, number> = {}
    // Reading B is given up after its first rows, which must not hold up the others.
    for (const index of [2, 1, 0]) {
      const { name, rows } = file.sheets[index]!
      for await (const batch of rows()) {
        expect(batch.every(({ cells }) => cells[0] === name)).toBe(true)
        counts[name] = (counts[name] ?? 0) + batch.length
        if (name === 'B') break
      }
    }
    expect(counts).toEqual({ A: 1500, B: expect.any(Number), C: 1500 })
    await file.close()
  })
})

test('cells may leave out their place, and rows their number', async () => {
  const row = '<row><c t="str"><v>a</v></c><c r="C2" t="str"><v>c</v></c><c><v>4</v></c></row>'
  expect(await read(`${row}<row r="9"><c r="B9"><v>1</v></c></row><row><c><v>2</v></c></row>`)).toEqual({
    name: 'A',
    header: ['a', '', 'c', '4'],
    rows: [
      [9, null, 1],
      [10, 2],
    ],
  })
})

test('a formula is its last result, or an error without one; an empty text is an empty cell', async () => {
  const cells =
    '<c><f>A1*2</f><v>4</v></c><c t="str"><f>""</f><v></v></c><c t="str"><f>"a"</f><v>a</v></c>' +
    '<c t="b"><f>TRUE()</f><v>1</v></c><c t="e"><f>1/0</f><v>#DIV/0!</v></c><c><f>NOW()</f></c><c t="s"><v>0</v></c><c><v>9</v></c>'
  expect(await cellsOf(cells, { 'xl/sharedStrings.xml': '<sst><si><t/></si></sst>' })).toEqual([
    4,
    null,
    'a',
    true,
    '!#DIV/0!',
    '!#NO RESULT',
    null,
    9,
  ])
})

test('rich and phonetic text, entities and CDATA', async () => {
  const strings =
    '<sst><si><r><t>a</t></r><r><rPr><b/></rPr><t xml:space="preserve"> b</t></r></si>' +
    '<si><t>課</t><rPh sb="0" eb="1"><t>カ</t></rPh></si><si><t>&lt;&#65;&#x1F600;&amp;amp;_x000a_</t></si></sst>'
  const cells =
    '<c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c><c t="s"><v>99</v></c>' +
    '<c t="inlineStr"><is><r><t>x</t></r><rPh sb="0" eb="1"><t>y</t></rPh><r><t><![CDATA[<&amp;]]></t></r></is></c>'
  expect(await cellsOf(cells, { 'xl/sharedStrings.xml': strings })).toEqual([
    'a b',
    '課',
    '<A😀&amp;\n',
    null,
    'x<&amp;',
  ])
})

test('a cell with an inline text and a value has the one that its type names', async () => {
  const both = '<is><t>text</t></is><v>7</v>'
  const cells = [
    `<c t="inlineStr">${both}</c>`,
    '<c t="inlineStr"><v>7</v><is><r><t>te</t></r><r><t>xt</t></r></is></c>',
    '<c t="inlineStr"><is><t/></is><v>7</v></c>',
    `<c>${both}</c>`,
    '<c t="inlineStr"><v>only</v></c>',
    '<c t="str"><is><t>only</t></is></c>',
  ]
  expect(await cellsOf(cells.join(''))).toEqual(['text', 'text', null, 7, 'only', 'only'])
})

test('an error is no text, and is written as an error again', async () => {
  const file = workbook(
    '<row><c t="e"><v>#N/A</v></c></row><row><c t="e"><v>#REF!</v></c><c t="e"><v>Err:502</v></c></row>',
  )
  await withFile(file, async path => {
    const { sheets, close } = await openTabular(path)
    expect(sheets[0]!.header).toEqual(['#N/A'])
    const cells: CellRow[] = []
    for await (const rows of sheets[0]!.rows()) cells.push(...rows.map(row => row.cells))
    await close()
    expect(cells).toEqual([[new SheetError('#REF!'), new SheetError('Err:502')]])
    const columns = columnsOf('mixed', 'mixed')
    expect((await written(columns, cells)).rows).toEqual([[2, '!#REF!', 'Err:502']])
    const text = Buffer.from(await bytesOf(csvWriter().write(columns, [[...cells, [new SheetError('=1,2')]]])))
    expect(text.toString()).toBe('mixed,mixed\r\n#REF!,Err:502\r\n"\'=1,2",\r\n')
  })
})

test('a number format changes no value, but may show more than the number', async () => {
  const part = { 'xl/styles.xml': styles(0, 9, 4, '#,##0.00 &quot;days&quot;', '00000', '[Red]0;[Blue]-0', '@') }
  const values = [1.5, 0.256, 1234.5678, 3, 123, -7, 5, 123_456_789_012_345]
  const cells = values.map((value, i) => `<c s="${i}"><v>${value}</v></c>`)
  expect(await cellsOf(cells.join(''), part)).toEqual([
    1.5,
    '0.256#',
    1234.5678,
    '3#',
    '123#00123',
    -7,
    5,
    123_456_789_012_345,
  ])
})

test('a number that no double holds keeps its text', async () => {
  expect(await cellsOf('<c><v>1E999</v></c><c><v>abc</v></c>')).toEqual(['1E999', 'abc'])
})

test.each([
  ['yyyy-mm-dd', true],
  ['d/m/yy h:mm', true],
  ['mmm', true],
  ['[$-409]h:mm AM/PM', true],
  ['[h]:mm:ss', false],
  ['[ss]', false],
  ['General', false],
  ['0.00E+00', false],
  ['#,##0 "days"', false],
  ['0\\d', false],
  ['[Red]0.00', false],
  ['0_d', false],
  ['@', false],
])('the number format %s shows a moment: %s', (code, expected) => {
  expect(numberFormats([164], new Map([[164, code]])).includes('moment')).toBe(expected)
})

test.each([
  ['46037', false, '2026-01-15'],
  ['46037.4375', false, '2026-01-15T10:30:00'],
  // As programs write it that keep 15 digits, and as their own arithmetic leaves it.
  ['46037.4305555556', false, '2026-01-15T10:20:00'],
  ['46037.430555555591', false, '2026-01-15T10:20:00'],
  ['46037.999999999', false, '2026-01-16'],
  ['44575', true, '2026-01-15'],
  ['0.4375', false, '10:30:00'],
  ['1', false, '1900-01-01'],
  ['59', false, '1900-02-28'],
  ['60', false, '1900-02-29'],
  ['61', false, '1900-03-01'],
  ['2958465', false, '9999-12-31'],
  ['2958466', false, undefined],
  ['-1', false, undefined],
])('the serial number %s (from 1904: %s) is %s', (text, from1904, expected) => {
  expect(serialMoment(text, from1904)).toBe(expected)
})

test('parts of a workbook may be UTF-16, also if only the first rows are read', async () => {
  const parts = workbookParts('<row><c t="s"><v>0</v></c></row><row><c t="s"><v>1</v></c></row>', {
    'xl/sharedStrings.xml': '<?xml version="1.0" encoding="UTF-16"?><sst><si><t>Łódź</t></si><si><t>漢</t></si></sst>',
  })
  const content = Object.entries(parts).map(([name, xml]) => [name, Buffer.from(`\uFEFF${xml}`, 'utf16le')] as const)
  const file = stored(Object.fromEntries(content))
  const expected = [{ header: ['Łódź'], rows: [[2, '漢']] }]
  expect(await readAll(file)).toMatchObject(expected)
  await withFile(file, async path => {
    const { sheets, close } = await openTabular(path, { firstRows: 1 })
    const rows: unknown[] = []
    for await (const batch of sheets[0]!.rows()) rows.push(...batch)
    await close()
    expect(sheets[0]?.header).toEqual(['Łódź'])
    expect(rows).toMatchObject([{ row: 2, cells: ['漢'] }])
  })
})

test('a sheet without a part does not hinder the others', async () => {
  const sheets = '<sheet name="Lost" sheetId="2" r:id="rId9"/><sheet name="A" sheetId="1" r:id="rId1"/>'
  const xml = `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>${sheets}</sheets></workbook>`
  const file = workbook('<row><c><v>1</v></c></row>', { 'xl/workbook.xml': xml })
  expect(await readAll(file)).toMatchObject([{ name: 'A', header: ['1'] }])
})

test('paths in a workbook may be absolute, in other letters or with backslashes', async () => {
  const { 'xl/worksheets/sheet1.xml': sheet, ...others } = workbookParts('<row><c><v>1</v></c></row>')
  const [read] = await readAll(zipped({ ...others, 'XL\\Worksheets\\Sheet1.xml': sheet! }))
  expect(read!.header).toEqual(['1'])
})
