import { type ImportFileConfig, ImportService, type ImportServiceOptions, importModel, type PrepareRow } from 'viewset'
import { describe, expect, test } from 'vitest'
import { numberFormats } from '../../src/tabular/read/number-format.ts'
import { describeDialects } from '../support/dialects.ts'
import { geography } from '../support/import-models.ts'
import { importOnce, useDatabase } from '../support/imports.ts'
import { readAll } from '../tabular/read-support.ts'
import { styles, workbook } from '../tabular/workbook-xml.ts'
import { type XlsSheet, xls, xlsFile } from '../tabular/xls-bytes.ts'

const text = (value: string) => `<c t="str"><v>${value}</v></c>`
const number = (value: number | string, style = 0) => `<c s="${style}"><v>${value}</v></c>`
const file = (formats: readonly (number | string)[], ...rows: readonly (readonly string[])[]) =>
  workbook(rows.map(cells => `<row>${cells.join('')}</row>`).join(''), {
    'xl/styles.xml': styles(0, ...formats.map(format => (typeof format === 'string' ? escaped(format) : format))),
  })
const escaped = (format: string) => format.replaceAll('"', '&quot;').replaceAll('<', '&lt;')

function shown(code: string, value: number): string | undefined {
  const [format] = numberFormats([164], new Map([[164, code]]))
  if (format === undefined) return String(value)
  return format === 'moment' ? 'moment' : format.show(value)
}

describe('what a cell shows', () => {
  test.each([
    ['00000', 501, '00501'],
    ['00000', 1_234_567, '1234567'],
    ['00000\\-0000', 12_345_678, '01234-5678'],
    ['00000-0000', 21_345_678, '02134-5678'],
    ['"INV-"0000', 42, 'INV-0042'],
    ['"INV-"0000;"CR-"0000', -42, 'CR-0042'],
    ['000\\ 000', 1_234, '001 234'],
    ['0#" "##" "##" "##" "##', 123_456_789, '01 23 45 67 89'],
    ['[<=9999999]###\\-####;\\(###\\)\\ ###\\-####', 5_551_234, '555-1234'],
    ['[<=9999999]###\\-####;\\(###\\)\\ ###\\-####', 5_551_234_567, '(555) 123-4567'],
    ['000\\-00\\-0000', 12_345_678, '012-34-5678'],
    ['[$-409]00000', 7, '00007'],
    ['[Red]000_);[Blue]\\-000', -7, '-007'],
    ['000', -7, '-007'],
    ['[h]:mm', 8.5 / 24, '8:30'],
    ['[h]:mm:ss', 1.25, '30:00:00'],
    ['[hh]:mm', 8.5 / 24, '08:30'],
    ['[mm]:ss', 90 / 86_400, '01:30'],
    ['[s].00', 1.5 / 86_400, '1.50'],
    ['[h]" h "mm" min"', 8.5 / 24, '8 h 30 min'],
    ['[h]:mm', -0.5 / 24, '-0:30'],
  ] as const)('%s shows %s as %s', (code, value, expected) => {
    expect(shown(code, value)).toBe(expected)
  })

  test.each(['General', '0', '#,##0', '#,##0.00', '0.00E+00', '#,##0_);(#,##0)', '[Red]0;[Blue]-0', '@', '0.00;-0.00'])(
    '%s shows a number and nothing else',
    code => {
      expect(numberFormats([164], new Map([[164, code]]))).toEqual([undefined])
    },
  )

  test.each([
    ['0.00 "kg"', 1.5],
    ['0%', 0.5],
    ['[$€-407] #,##0.00', 5],
    ['# ?/?', 0.5],
    ['000', 1.5],
  ])('only a spreadsheet program knows what %s shows of %s', (code, value) => {
    expect(shown(code, value)).toBeUndefined()
  })
})

test('XLS and XLSX show the same codes and durations', async () => {
  const formats = ['00000', '"INV-"0000', '[h]:mm']
  const values = [501, 42, 8.5 / 24]
  const records = [
    ...values.map((_, at) => xls.text(0, at, `h${at}`)),
    ...values.map((value, at) => xls.number(1, at, value, at)),
  ]
  const sheets: XlsSheet[] = [{ name: 'A', records }]
  const [old] = await readAll(xlsFile(sheets, { formats }))
  const cells = values.map((value, at) => number(value, at + 1))
  const [now] = await readAll(file(formats, ['h0', 'h1', 'h2'].map(text), cells))
  expect(old?.rows).toEqual([[2, '501#00501', '42#INV-0042', `${8.5 / 24}#8:30`]])
  expect(now?.rows).toEqual(old?.rows)
})

describeDialects('numbers of a workbook', dialect => {
  const tables = geography(dialect.kit)
  const db = useDatabase(dialect, tables)
  const configWith = (prepareRow?: PrepareRow): ImportFileConfig => ({
    fileFormat: 'xlsx',
    order: ['samples'],
    models: {
      samples: importModel({
        model: tables.samples,
        fields: ['code', 'text', 'number', 'big', 'price', 'kind'],
        uniqueFields: ['code'],
        optional: ['text', 'number', 'big', 'price', 'kind'],
      }),
    },
    ...(prepareRow && { prepareRow }),
  })
  const run = (source: Buffer, options: ImportServiceOptions & { failOnWarnings?: boolean } = {}, hook?: PrepareRow) =>
    importOnce(configWith(hook), source, { database: db.database, ...options })

  test('a text takes the zeros, the hyphens and the text that its cell shows, also as a key', async () => {
    const source = file(
      ['00000', '"INV-"0000', '[h]:mm'],
      [text('code'), text('text')],
      [number(501, 1), number(42, 2)],
      [number(7, 2), number(8.5 / 24, 3)],
    )
    expect(await run(source)).toMatchObject({ success: true, created: 2 })
    expect(await run(source)).toMatchObject({ success: true, updated: 2 })
    expect(await db.rows('samples', 'code', 'text')).toEqual([
      ['00501', 'INV-0042'],
      ['INV-0007', '8:30'],
    ])
  })

  test('a number takes the value of its cell', async () => {
    const source = file(
      ['"No. "000'],
      [text('code'), text('number'), text('big'), text('price')],
      [text('a'), number(7, 1), number(8, 1), number(9, 1)],
    )
    expect(await run(source)).toMatchObject({ success: true, created: 1 })
    expect(await db.rows('samples', 'number', 'big')).toEqual([['7', '8']])
  })

  test('a text that cannot be shown is a warning, and an error if warnings are', async () => {
    const source = file(['0.00 "kg"'], [text('code'), text('text')], [text('a'), number(1.5, 1)])
    const warning = {
      row: 2,
      field: 'text',
      column: 'text',
      message: 'The cell shows more than its number. Only the number was read: 1.5.',
      model: 'samples',
    }
    expect(await run(source, { failOnWarnings: true })).toMatchObject({ failed: 1, errors: [warning] })
    expect(await run(source)).toMatchObject({ success: true, created: 1, warned: 1, warnings: [warning] })
    expect(await db.rows('samples', 'text')).toEqual([['1.5']])
    const unchanged: PrepareRow = row => row
    expect(await run(source, {}, unchanged)).toMatchObject({ updated: 1, warnings: [warning] })
    const own: PrepareRow = row => ({ ...row, text: '1.5 kg' })
    expect(await run(source, {}, own)).not.toHaveProperty('warnings')
  })

  test('a hook and a transform see the text of a text column, and the number of others', async () => {
    const source = file(
      ['00000'],
      [text('code'), text('text'), text('number'), text('zip')],
      [text('a'), number(501, 1), number(502, 1), number(503, 1)],
    )
    const seen: unknown[] = []
    await run(source, {}, row => {
      seen.push([row.text, row.number, row.zip])
      return row
    })
    await run(source, {
      transforms: {
        text: value => {
          seen.push(value)
          return value
        },
        number: value => {
          seen.push(value)
          return value
        },
      },
    })
    expect(seen).toEqual([['00501', 502, '00503'], '00501', 502])
    expect(await db.rows('samples', 'text', 'number')).toEqual([['00501', '502']])
  })

  test('a preview shows what the cells show', async () => {
    const source = file(['00000'], [text('code'), text('text')], [text('a'), number(501, 1)])
    const { sheets } = await new ImportService(configWith(), { database: db.database }).preview(source)
    expect(sheets[0]?.rows).toMatchObject([{ cells: ['a', '00501'], values: { code: 'a', text: '00501' } }])
  })

  test('whole numbers are exact up to 2^53, and beyond it they are errors', async () => {
    const safe = Number.MAX_SAFE_INTEGER
    const source = file(
      [],
      [text('code'), text('text'), text('big'), text('price')],
      [number(safe), number('1234567890123457'), number(safe), number('123456789012')],
      [text('b'), number('9007199254740993'), number('9007199254740993'), number('9007199254740993')],
    )
    const message =
      'A workbook cannot keep all digits of 9007199254740992. Format the cell as text, and enter the number again.'
    const errors = ['text', 'big', 'price'].map(field => ({ row: 3, field, column: field, message, model: 'samples' }))
    expect(await run(source)).toMatchObject({ created: 1, failed: 1, errors })
    expect(await db.rows('samples', 'code', 'text', 'big')).toEqual([
      ['9007199254740991', '1234567890123457', '9007199254740991'],
    ])
  })

  test('the noise of arithmetic is no digit, and the sixteenth digit of a price is none', async () => {
    const source = file(
      [],
      [text('code'), text('text'), text('number'), text('price')],
      [text('a'), number('0.30000000000000004'), number('7.0000000000000009'), number('0.30000000000000004')],
      [text('b'), number('12345678901234.56'), number(1), number('123456789012.34001')],
    )
    expect(await run(source)).toMatchObject({ success: true, created: 2 })
    expect(await db.rows('samples', 'text', 'number')).toEqual([
      ['0.3', '7'],
      ['12345678901234.56', '1'],
    ])
  })

  test('a choice is read without the blanks around it', async () => {
    const source = file([], [text('code'), text('kind')], [text('a'), text(' B c ')])
    expect(await run(source)).toMatchObject({ success: true, created: 1 })
    expect(await db.rows('samples', 'kind')).toEqual([['B c']])
  })

  test('a text that only JavaScript takes for a number is a text', async () => {
    const source = file([], [text('code'), text('text')], [text('a'), number('0x1F')])
    expect(await run(source)).toMatchObject({ success: true, created: 1 })
    expect(await db.rows('samples', 'text')).toEqual([['0x1F']])
  })

  test('a file of failed rows keeps what the cells of texts show, and the values of numbers', async () => {
    const source = file(
      ['00000'],
      [text('code'), text('text'), text('number'), text('kind')],
      [number(501, 1), number(502, 1), number(503, 1), text('wrong')],
    )
    const { readFile, writeFile, mkdtemp, rm } = await import('node:fs/promises')
    const { tmpdir } = await import('node:os')
    const { join } = await import('node:path')
    const folder = await mkdtemp(join(tmpdir(), 'viewset-test-'))
    try {
      const [path, target] = [join(folder, 'sent.xlsx'), join(folder, 'failed.xlsx')]
      await writeFile(path, source)
      const { errors } = await run(source)
      await new ImportService(configWith(), { database: db.database }).writeFailedRows(path, target, {
        errors: () => errors,
      })
      const [sheet] = await readAll(await readFile(target))
      expect(sheet?.rows[0]?.slice(2)).toEqual(['00501', '00502', 503, 'wrong'])
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
