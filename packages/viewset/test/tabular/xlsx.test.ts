import fc from 'fast-check'
import { type Cell, type CellValue, readXlsx } from 'hucre/xlsx'
import { runAs } from 'viewset'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openTabular } from '../../src/tabular/read/open.ts'
import type { CellRow, TabularColumn } from '../../src/tabular/table.ts'
import type { TabularWarning } from '../../src/tabular/writer.ts'
import { ChoiceLists } from '../../src/tabular/xlsx/choice-lists.ts'
import { dateSerial, timestampSerial } from '../../src/tabular/xlsx/serial.ts'
import { RowCursor, sheetXml } from '../../src/tabular/xlsx/sheet.ts'
import { type Sheet, xlsxWriter } from '../../src/tabular/xlsx/write.ts'
import { cases } from '../support/cases.ts'
import { withFile } from './read-support.ts'
import { bytesOf, columnsOf } from './support.ts'

async function sheetsOf(sheets: readonly Sheet[], options?: Parameters<typeof xlsxWriter>[0]) {
  const bytes = await bytesOf(xlsxWriter(options).writeSheets(sheets))
  return (await readXlsx(bytes, { readStyles: true })).sheets
}

/** The values of the rows below the header, as another library reads them. */
async function valuesOf(columns: readonly TabularColumn[], rows: readonly CellRow[]): Promise<CellValue[][]> {
  const [sheet] = await sheetsOf([{ name: 'Sheet', columns, rows: [rows] }])
  return sheet!.rows.slice(1)
}

test('the properties of a workbook name the user as its author', async () => {
  const author = async () =>
    (await readXlsx(await bytesOf(xlsxWriter().write(columnsOf('text'), [])))).properties?.creator
  const ann = { id: 1, name: 'Ann <Editor>' }
  expect(await runAs(ann, author)).toBe('Ann <Editor>')
  expect(await runAs({ id: 2 }, author)).toBe('Viewset')
  expect(await author()).toBe('Viewset')
})

test('types cells by the kind of their column', async () => {
  const columns = columnsOf('text', 'integer', 'decimal', 'float', 'boolean', 'date', 'timestamp')
  const row: CellRow = ['00123', 7, '-12.50', 0.1, true, '2026-01-15', '2026-01-15T10:30:00.123456Z']
  expect(await valuesOf(columns, [row])).toEqual([
    ['00123', 7, -12.5, 0.1, true, new Date('2026-01-15T00:00:00Z'), new Date('2026-01-15T10:30:00.123Z')],
  ])
})

test('shows values in formats that keep their look', async () => {
  const columns: TabularColumn[] = [
    ...columnsOf('text', 'integer', 'date', 'timestamp', 'boolean'),
    { header: 'price', kind: 'decimal', scale: 2 },
  ]
  const rows: CellRow[] = [['a', 1, '2026-01-15', '2026-01-15T10:30:00.000000Z', true, '1.50']]
  const [sheet] = await sheetsOf([{ name: 'Sheet', columns, rows: [rows] }])
  const formats = columns.map((_, index) => sheet!.cells?.get(`1,${index}`)?.style?.numFmt)
  const dates = ['yyyy\\-mm\\-dd', 'yyyy\\-mm\\-dd\\ hh:mm:ss']
  expect(formats).toEqual(['@', '0', ...dates, '"TRUE";"TRUE";"FALSE"', '0.00'])
})

test.each(['left', 'center', 'right'] as const)('aligns a column to the %s, its header too', async align => {
  const kinds = columnsOf('text', 'integer', 'float', 'boolean', 'date', 'timestamp')
  const columns = [...kinds, { header: 'price', kind: 'decimal' as const, scale: 2 }, { ...kinds[0]!, required: true }]
  const row: CellRow = ['a', 1, 0.5, true, '2026-01-15', '2026-01-15T10:30:00.000000Z', '1.50', 'two\nlines']
  const read = async (given: readonly TabularColumn[]) => {
    const [sheet] = await sheetsOf([{ name: 'Sheet', columns: given, rows: [[row]] }])
    return columns.flatMap((_, index) => [0, 1].map(at => sheet!.cells?.get(`${at},${index}`)?.style))
  }
  const plain = await read(columns)
  const aligned = await read(columns.map(column => ({ ...column, align })))
  expect(aligned.map(style => style?.alignment?.horizontal)).toEqual(aligned.map(() => align))
  expect(aligned.map(style => style?.numFmt)).toEqual(plain.map(style => style?.numFmt))
  expect(aligned.at(-1)?.alignment).toMatchObject({ wrapText: true, vertical: 'top' })
})

test('has a bold header that stays in view', async () => {
  const [sheet] = await sheetsOf([{ name: 'Sheet', columns: columnsOf('text', 'date'), rows: [[['a', null]]] }])
  const isBold = (cell: Cell | undefined) => cell?.style?.font?.bold ?? false
  expect([0, 1].map(column => isBold(sheet!.cells?.get(`0,${column}`)))).toEqual([true, true])
  expect(isBold(sheet!.cells?.get('1,0'))).toBe(false)
  expect(sheet!.freezePane).toEqual({ rows: 1 })
})

test('makes columns as wide as the caller says, or as their first rows need', async () => {
  const columns: TabularColumn[] = [
    { header: 'chosen', kind: 'text', width: 30 },
    { header: 'a', kind: 'text' },
    { header: 'long', kind: 'text' },
    { header: 'lines', kind: 'text' },
    { header: 'wide letters', kind: 'text' },
    { header: 'time', kind: 'timestamp' },
  ]
  const rows: CellRow[] = [['', 'b', 'x'.repeat(500), 'ten chars.\nb', '東京'.repeat(10), null]]
  const tooWide: TabularColumn[] = [{ header: 'too wide', kind: 'text', width: 1e9 }]
  const [sheet, wide] = await sheetsOf([
    { name: 'Sheet', columns, rows: [rows] },
    { name: 'Wide', columns: tooWide, rows: [] },
  ])
  expect(sheet!.columns?.map(({ width }) => width)).toEqual([30, 8, 60, 12, 42, 21])
  expect(wide!.columns?.map(({ width }) => width)).toEqual([255])
})

test('one text in twenty may be longer than its column, and no number', async () => {
  const columns: TabularColumn[] = [...columnsOf('text', 'integer', 'mixed'), { header: 'd', kind: 'decimal' }]
  const rows = Array.from({ length: 100 }, (_, at): CellRow => {
    const isLong = at % 20 === 0
    const text = 'x'.repeat(isLong ? 50 : 10)
    return [text, isLong ? 12345678901234 : 1, isLong ? 'y'.repeat(40) : 1.5, isLong ? '1234567890.25' : '1']
  })
  const [sheet] = await sheetsOf([{ name: 'Sheet', columns, rows: [rows] }])
  expect(sheet!.columns?.map(({ width }) => width)).toEqual([12, 16, 42, 15])
  const wraps = (row: number, column: number) => sheet?.cells?.get(`${row},${column}`)?.style?.alignment?.wrapText
  expect([wraps(1, 0), wraps(2, 0) ?? false]).toEqual([true, false])
})

test('nine columns of long texts print in letters of 8 points or more', async () => {
  const columns = Array.from({ length: 8 }, (_, at): TabularColumn => ({ header: `Column ${at}`, kind: 'text' }))
  const number: TabularColumn = { header: 'Inhabitants of the whole country', kind: 'integer' }
  const row: CellRow = [...columns.map(() => 'some words '.repeat(10)), 123_456_789]
  const [sheet] = await sheetsOf([{ name: 'Sheet', columns: [...columns, number], rows: [[row]] }])
  const widths = sheet!.columns?.map(({ width = 0 }) => width) ?? []
  expect(widths.reduce((sum, width) => sum + width, 0)).toBeLessThanOrEqual(200)
  // A number cannot wrap, and neither can a word of a header.
  expect(Math.min(...widths.slice(0, 8))).toBeGreaterThanOrEqual(20)
  expect(widths[8]).toBeGreaterThanOrEqual(15)
  expect(sheet?.cells?.get('0,8')?.style?.alignment).toMatchObject({ horizontal: 'right', wrapText: true })
})

test('separates a left-aligned text from the right-aligned column before it', async () => {
  const columns: TabularColumn[] = [
    ...columnsOf('text', 'integer', 'text', 'text', 'date'),
    { header: 'locked', kind: 'text', isLocked: true },
    { header: 'right', kind: 'text', align: 'right' },
    { header: 'left', kind: 'integer', align: 'left' },
    { header: 'centered', kind: 'text', align: 'center' },
  ]
  const row: CellRow = ['a', 1, 'b', 'c', '2026-01-15', 'd', 'e', 2, 'f']
  const [sheet] = await sheetsOf([{ name: 'Sheet', columns, rows: [[row]] }])
  const indents = (at: number) => columns.map((_, i) => sheet?.cells?.get(`${at},${i}`)?.style?.alignment?.indent ?? 0)
  expect(indents(1)).toEqual([0, 0, 1, 0, 0, 1, 0, 1, 0])
  expect(indents(0)).toEqual(indents(1))
})

test('keeps columns in view if the caller says so, and writes a long text of a narrow column smaller', async () => {
  const columns: TabularColumn[] = [{ header: 'ID', kind: 'text', width: 10, isShrunk: true }, ...columnsOf('text')]
  const rows: CellRow[] = [['x'.repeat(36), 'a']]
  const [sheet] = await sheetsOf([{ name: 'Sheet', columns, rows: [rows], frozenColumns: 1 }])
  expect(sheet!.freezePane).toEqual({ rows: 1, columns: 1 })
  expect(sheet?.cells?.get('1,0')?.style?.alignment?.wrapText ?? false).toBe(false)
})

test('never makes a formula or a number of text', async () => {
  const texts = ['=1+1', '+1', '-1', '@a', '007', '1e5', 'TRUE', '2026-01-15', "'=1", '  blanks  ', 'a\n\tb', '']
  expect(
    await valuesOf(
      columnsOf('text'),
      texts.map(text => [text]),
    ),
  ).toEqual(texts.map(text => [text]))
})

test('writes as text what is not of its column', async () => {
  const columns = columnsOf('integer', 'decimal', 'date', 'timestamp', 'boolean', 'float')
  const row: CellRow = ['007', '1,5', '2026-02-31', 'infinity', 'maybe', 'NaN']
  expect(await valuesOf(columns, [row])).toEqual([row])
})

test('writes as text what a double or a spreadsheet would alter', async () => {
  const columns = columnsOf('integer', 'integer', 'decimal', 'date', 'float')
  const rows: CellRow[] = [
    [999_999_999_999_999, 123456789012345n, '1234567890123.45', '1900-03-01', 6.02e23],
    [1e15, 1234567890123456n, '12345678901234.56', '1900-02-28', Number.NaN],
    ['999999999999999', '-1', '0.100000000000000000000', '9999-12-31', Number.POSITIVE_INFINITY],
  ]
  expect(await valuesOf(columns, rows)).toEqual([
    [999_999_999_999_999, 123456789012345, 1234567890123.45, new Date('1900-03-01'), 6.02e23],
    ['1000000000000000', '1234567890123456', '12345678901234.56', '1900-02-28', 'NaN'],
    [999_999_999_999_999, -1, 0.1, new Date('9999-12-31'), 'Infinity'],
  ])
})

/** The digits of a decimal without zeros before and after them. */
function significantDigits(decimal: string): string {
  const digits = decimal.replace(/[-.]/g, '').replace(/^0+/, '')
  return decimal.includes('.') ? digits.replace(/0+$/, '') : digits
}

test('keeps every decimal digit by digit', async () => {
  const decimal = fc
    .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.integer({ min: 0, max: 12 }))
    .map(([isNegative, digits, scale]) => {
      const text = String(digits).padStart(scale + 1, '0')
      return `${isNegative && digits > 0n ? '-' : ''}${text.slice(0, text.length - scale)}${scale ? `.${text.slice(-scale)}` : ''}`
    })
  await fc.assert(
    fc.asyncProperty(fc.array(decimal, { minLength: 1, maxLength: 20 }), async decimals => {
      const values = await valuesOf(
        columnsOf('decimal'),
        decimals.map(text => [text]),
      )
      for (const [index, [value]] of values.entries()) {
        const text = decimals[index]!
        const isNumber = typeof value === 'number'
        expect(value).toBe(isNumber ? Number(text) : text)
        // A double keeps 15 digits in any case, and a spreadsheet shows as many.
        if (isNumber) expect(significantDigits(text).length).toBeLessThanOrEqual(15)
      }
    }),
  )
})

test('keeps every character, those that XML cannot hold included', async () => {
  const unit = fc.oneof(
    fc.constantFrom('_x0041_', '_x005F_', '_', '\r', '\n', '\t', ' ', '\0', '\x1F', '\uFFFE', '<', '&', ']]>', '"'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
  )
  const text = fc.array(unit, { minLength: 1, maxLength: 8 }).map(parts => parts.join(''))
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 10 }), async texts => {
      const columns = [{ header: texts[0]!, kind: 'text' }] as const
      const [sheet] = await sheetsOf([{ name: 'Sheet', columns, rows: [texts.map(each => [each])] }])
      expect(sheet!.rows).toEqual([[texts[0]], ...texts.map(each => [each])])
    }),
  )
})

test('shows half a surrogate pair as U+FFFD', async () => {
  expect(await valuesOf(columnsOf('text'), [['a\uD800b\uDC00']])).toEqual([['a\uFFFDb\uFFFD']])
})

test('cuts text that Excel could not open, and says so', async () => {
  const warnings: TabularWarning[] = []
  const rows: CellRow[] = [['x'.repeat(32_767)], ['x'.repeat(32_768)], [`${'x'.repeat(32_759)}😀${'x'.repeat(100)}`]]
  const file = xlsxWriter().write(columnsOf('text'), [rows], { onWarning: warning => warnings.push(warning) })
  const [sheet] = (await readXlsx(await bytesOf(file))).sheets
  expect(sheet!.rows[1]).toEqual(rows[0])
  expect(sheet!.rows[2]).toEqual([`${'x'.repeat(32_760)}… [cut]`])
  expect(sheet!.rows[3]).toEqual([`${'x'.repeat(32_759)}\uFFFD… [cut]`])
  expect(warnings).toMatchObject([
    { code: 'text_cut', message: '2 cells had more than 32,767 characters and were cut.' },
  ])
})

test('goes on in a next sheet when one is full', async () => {
  const rows = Array.from({ length: 9 }, (_, index): CellRow => [index])
  const columns = columnsOf('integer')
  const batches = [rows.slice(0, 2), rows.slice(2, 8), [], rows.slice(8)]
  const sheets = await sheetsOf([{ name: 'Numbers', columns, rows: batches }], { maxRowsPerSheet: 4 })
  expect(sheets.map(({ name, rows: read }) => [name, read.flat()])).toEqual([
    ['Numbers', ['integer', 0, 1, 2]],
    ['Numbers (2)', ['integer', 3, 4, 5]],
    ['Numbers (3)', ['integer', 6, 7, 8]],
  ])
  expect(sheets.map(({ freezePane }) => freezePane)).toEqual([{ rows: 1 }, { rows: 1 }, { rows: 1 }])
})

test('writes several sheets, each with its columns', async () => {
  const sheets = await sheetsOf([
    { name: 'Cities', columns: columnsOf('text', 'integer'), rows: [[['Oslo', 1]]] },
    { name: 'Countries', columns: columnsOf('date'), rows: [] },
    { name: 'Nothing', columns: [], rows: [] },
  ])
  expect(sheets.map(({ name, rows }) => [name, rows])).toEqual([
    [
      'Cities',
      [
        ['text', 'integer'],
        ['Oslo', 1],
      ],
    ],
    ['Countries', [['date']]],
    ['Nothing', []],
  ])
  await expect(sheetsOf([])).rejects.toThrow('A workbook needs a sheet.')
})

test('has more columns than letters, and refuses more than Excel has', async () => {
  const many = Array.from({ length: 800 }, (_, index) => ({ header: `c${index}`, kind: 'integer' }) as const)
  const row = many.map((_, index) => index)
  expect(await valuesOf(many, [row])).toEqual([row])
  const tooMany = Array.from({ length: 16_385 }, () => ({ header: '', kind: 'text' }) as const)
  await expect(valuesOf(tooMany, [])).rejects.toMatchObject({ code: 'too_large' })
})

test('is the same file for the same rows at the same time', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const write = () => bytesOf(xlsxWriter().write(columnsOf('text'), [[['a']]], { title: 'A' }))
  expect(await write()).toEqual(await write())
})

test.each([
  ['1900-02-28', undefined],
  ['1900-03-01', 61],
  ['2026-01-15', 46_037],
  ['2024-02-29', 45_351],
  ['2026-02-29', undefined],
  ['9999-12-31', 2_958_465],
  ['0001-01-01', undefined],
  ['2026-1-15', undefined],
])('the serial number of the day %s is %s', (text, serial) => {
  expect(dateSerial(text)).toBe(serial)
})

test.each([
  ['2026-01-15T12:00:00.000000Z', 46_037.5],
  ['2026-01-15T12:00:00Z', 46_037.5],
  ['2026-01-15 12:00', undefined],
  ['2026-01-15T12:00:00', 46_037.5],
  ['2026-01-15T12:00:00+02:00', 46_037.5 - 2 / 24],
  ['2026-01-15T00:00:00-1200', 46_037.5],
  ['2026-01-15T24:00:00Z', undefined],
  ['2026-01-15T12:00:60Z', undefined],
  ['1899-12-31T12:00:00Z', undefined],
  ['9999-12-31T23:59:59Z', 2_958_465 + 86_399 / 86_400],
])('the serial number of the time %s is %s', (text, serial) => {
  expect(timestampSerial(text)).toBe(serial)
})

test('a serial number holds the microseconds up to 2079 and milliseconds for ever, or is none', () => {
  const millis = fc.bigInt({ min: BigInt(Date.UTC(1900, 2, 1)), max: BigInt(Date.UTC(9999, 11, 31)) })
  const micros = fc.tuple(millis, fc.bigInt({ min: 0n, max: 999n })).map(([whole, rest]) => whole * 1000n + rest)
  fc.assert(
    fc.property(micros, value => {
      const fraction = ((value % 1_000_000n) + 1_000_000n) % 1_000_000n
      const text = new Date(Number((value - fraction) / 1000n)).toISOString()
      const serial = timestampSerial(`${text.slice(0, 19)}.${String(fraction).padStart(6, '0')}Z`)
      const year = Number(text.slice(0, 4))
      if (serial === undefined) return year >= 2079 && value % 1000n !== 0n
      const day = Math.floor(serial)
      const unit = value % 1000n === 0n ? 1000n : 1n
      const time = BigInt(Math.round(((serial - day) * 86_400e6) / Number(unit))) * unit
      return BigInt(day - 25_569) * 86_400_000_000n + time === value
    }),
  )
})

test('has a filter on the header, and prints one page wide with the header on each page', async () => {
  const rows: CellRow[] = [
    ['a', '2026-01-15'],
    ['b', null],
  ]
  const [narrow, wide] = await sheetsOf([
    { name: "Bob's", columns: columnsOf('text', 'date'), rows: [rows] },
    { name: 'Wide', columns: [1, 2, 3].map(n => ({ header: `${n}`, kind: 'text', width: 50 })), rows: [] },
  ])
  expect(narrow?.autoFilter?.range).toBe('A1:B3')
  expect(narrow?.pageSetup).toMatchObject({ fitToPage: true, fitToWidth: 1, fitToHeight: 0, orientation: 'portrait' })
  expect(narrow?.pageSetup?.printTitlesRow).toMatch(/1:\$?1$/)
  expect(wide?.autoFilter?.range).toBe('A1:C1')
  expect(wide?.pageSetup?.orientation).toBe('landscape')
})

test('wraps a text that is longer than its column, and makes its row as high', async () => {
  const columns: TabularColumn[] = [{ header: 'a', kind: 'text', width: 20 }, ...columnsOf('timestamp')]
  const rows: CellRow[] = [
    ['x'.repeat(50), null],
    ['short', '2026-01-15T10:30:00.000000Z'],
  ]
  const [sheet] = await sheetsOf([{ name: 'Sheet', columns, rows: [rows] }])
  const style = (row: number) => sheet?.cells?.get(`${row},0`)?.style?.alignment
  expect([style(1)?.wrapText, style(2)?.wrapText ?? false]).toEqual([true, false])
  const options = {
    mostRows: 10,
    isSelected: true,
    hasNotes: () => false,
    onCut: () => undefined,
    choiceLists: new ChoiceLists(name => name),
  }
  let xml = ''
  for await (const part of sheetXml(columns, new RowCursor([rows]), options)) xml += part
  expect([...xml.matchAll(/<row r="(\d)"(?: ht="(\d+)")?>/g)].map(([, row, height]) => [row, height])).toEqual([
    ['1', undefined],
    ['2', '45'],
    ['3', undefined],
  ])
})

/** The list of each rule of a sheet: the values of the rule itself, or those of the cells that it names. */
function listsOf(sheets: Awaited<ReturnType<typeof sheetsOf>>, at: number): CellValue[][] {
  return (sheets[at]?.dataValidations ?? []).map(({ values, formula1 = '' }) => {
    if (values) return values
    const [, name, letter = '', last] = /^'(.+)'!\$(\w)\$1:\$\w\$(\d+)$/.exec(String(formula1)) ?? []
    const rows = sheets.find(sheet => sheet.name === name)?.rows ?? []
    return rows.slice(0, Number(last)).map(row => row[letter.charCodeAt(0) - 65] ?? null)
  })
}

test('a drop-down list has every value, also one with a comma or a quote, and however many there are', async () => {
  const choice = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.constantFrom('a, b', 'say "no"', ' x', '=1+1', "it's", '<&>'),
  )
  const lists = fc.array(fc.array(choice, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(lists, async drawn => {
      const columns = drawn.map((choices, at): TabularColumn => ({ header: `c${at}`, kind: 'text', choices }))
      const sheets = await sheetsOf([
        { name: 'One', columns, rows: [] },
        { name: '_lists', columns: columns.slice(0, 1), rows: [] },
      ])
      expect(listsOf(sheets, 0)).toEqual(drawn)
      expect(listsOf(sheets, 1)).toEqual(drawn.slice(0, 1))
    }),
    { numRuns: cases(100) },
  )
})

test('lists that a rule cannot hold are on one hidden sheet, each of them once', async () => {
  const many = Array.from({ length: 1_000 }, (_, at) => `Value ${at}`)
  const columns: TabularColumn[] = [
    { header: 'short', kind: 'text', choices: ['a', 'b'] },
    { header: 'comma', kind: 'text', choices: ['a, b', 'c'] },
    { header: 'many', kind: 'text', choices: many },
    { header: 'again', kind: 'text', choices: ['a, b', 'c'] },
    { header: 'none', kind: 'text', choices: [] },
    { header: 'blank', kind: 'text', choices: ['', 'x'] },
  ]
  const rows = [{ name: 'Rows', columns, rows: [] }]
  const sheets = await sheetsOf(rows)
  await withFile(await bytesOf(xlsxWriter().writeSheets(rows)), async path => {
    const file = await openTabular(path, { formats: ['xlsx'] })
    expect(file.sheets.map(({ name, isHidden = false }) => [name, isHidden])).toEqual([
      ['Rows', false],
      ['_lists', true],
    ])
    await file.close()
  })
  expect(sheets[1]?.rows[0]).toEqual(['a, b', 'Value 0'])
  expect(listsOf(sheets, 0)).toEqual([['a', 'b'], ['a, b', 'c'], many, ['a, b', 'c'], ['x']])
  const short = await sheetsOf([{ name: 'Rows', columns: columns.slice(0, 1), rows: [] }])
  expect(short).toHaveLength(1)
})

test('the first visible sheet is the one that programs show', async () => {
  const columns: TabularColumn[] = [{ header: 'a', kind: 'text' }]
  const bytes = await bytesOf(
    xlsxWriter().writeSheets([
      { name: 'Hidden', isHidden: true, canBeShown: true, columns, rows: [] },
      { name: 'Very hidden', isHidden: true, columns, rows: [] },
      { name: 'Visible', columns, rows: [] },
      { name: 'Last', columns, rows: [] },
    ]),
  )
  const { sheets, activeSheet } = await readXlsx(bytes)
  expect([sheets.map(({ hidden, veryHidden }) => [hidden, veryHidden]), activeSheet]).toEqual([
    [
      [true, undefined],
      [undefined, true],
      [undefined, undefined],
      [undefined, undefined],
    ],
    2,
  ])
})
