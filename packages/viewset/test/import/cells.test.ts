import { type ImportFileConfig, importModel } from 'viewset'
import { expect, test } from 'vitest'
import { describeDialects } from '../support/dialects.ts'
import { geography } from '../support/import-models.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'

const FIELDS = ['code', 'text', 'number', 'big', 'price', 'flag', 'day', 'moment', 'reference', 'data', 'kind'] as const

describeDialects('cells of a file', dialect => {
  const tables = geography(dialect.kit)
  const db = useDatabase(dialect, tables)
  const samples = importModel({ model: tables.samples, fields: FIELDS, uniqueFields: ['code'] })
  const config: ImportFileConfig = { fileFormat: 'csv', order: ['samples'], models: { samples } }
  const run = (rows: readonly (readonly (string | number | null)[])[], settings = {}) =>
    importOnce(config, csv(FIELDS, ...rows), { database: db.database, ...settings })
  const rowWith = (field: (typeof FIELDS)[number], cell: string) =>
    FIELDS.map(name => (name === field ? cell : name === 'code' ? `c ${cell}`.slice(0, 20) : null))

  test('text stays what it is, without the blanks around it', async () => {
    const texts = [
      '00123',
      'NA',
      'None',
      'null',
      'TRUE',
      '1E5',
      '2026-01-15',
      '123456789012345',
      'Ærø ☃ 中',
      'say "a"\nb',
      ' x ',
    ]
    const result = await run(
      texts.map((text, n) => FIELDS.map(name => (name === 'text' ? text : name === 'code' ? n : null))),
    )
    expect(result).toMatchObject({ failed: 0, created: texts.length })
    const stored = (await db.rows('samples', 'text')).flat()
    expect(stored.toSorted()).toEqual(texts.map(text => text.trim()).toSorted())
  })

  test.each([
    ['number', ['5', '+5', '5.0', ' -7 ', '2147483647'], ['5', '5', '5', '-7', '2147483647']],
    ['big', ['7', '9007199254740993', '-9223372036854775808'], ['7', '9007199254740993', '-9223372036854775808']],
    ['flag', ['true', 'YES', '1', 'no', '0', 'False'], ['t', 't', 't', 'f', 'f', 'f']],
    ['day', ['2026-01-15', ' 2024-02-29 ', '20260116'], ['2026-01-15', '2024-02-29', '2026-01-16']],
    ['reference', ['0000000A-0000-4000-8000-00000000000b'], ['0000000a-0000-4000-8000-00000000000b']],
    ['kind', ['a', 'B c'], ['a', 'B c']],
  ] as const)('%s is read as its column has it', async (field, cells, expected) => {
    const result = await run(cells.map(cell => rowWith(field, cell)))
    expect(result).toMatchObject({ failed: 0, created: cells.length })
    const shown = (await db.rows('samples', field)).flat()
    const boolean = (text: string) => (dialect.name === 'pg' ? text : { t: '1', f: '0' }[text])
    expect(shown.toSorted()).toEqual(expected.map(text => (field === 'flag' ? boolean(text) : text)).toSorted())
  })

  test('a datetime without an offset is read in COMMON.TIME_ZONE; a day is its midnight', async () => {
    const settings = { settings: { COMMON: { TIME_ZONE: 'Europe/Berlin' } } }
    const cells = ['2026-01-15 10:30', '2026-01-15T10:30:00Z', '2026-07-15', '20260716']
    expect(
      await run(
        cells.map(cell => rowWith('moment', cell)),
        settings,
      ),
    ).toMatchObject({ failed: 0 })
    const stored = (await db.rows('samples', 'moment')).flat().map(text => new Date(String(text)).toISOString())
    const days = ['2026-07-14T22:00:00.000Z', '2026-07-15T22:00:00.000Z']
    expect(stored).toEqual(['2026-01-15T09:30:00.000Z', '2026-01-15T10:30:00.000Z', ...days])
  })

  test('decimals keep their digits, and JSON its structure', async () => {
    expect(await run([rowWith('price', '29.900'), rowWith('data', '{"a": [1, null, "x"]}')])).toMatchObject({
      failed: 0,
    })
    const price = (await db.rows('samples', 'price')).flat().find(text => text !== null)
    expect(Number(price)).toBe(29.9)
    const data = (await db.rows('samples', 'data')).flat().find(text => text !== null)
    expect(JSON.parse(String(data))).toEqual({ a: [1, null, 'x'] })
  })

  test('a quote in the middle of a CSV cell is stored as written', async () => {
    const file = Buffer.from(['code,text,number', 'A,5" nail,1', 'B,3.5 "HD" disk,"2"', 'C,"6"" pipe",3'].join('\n'))
    const short = { ...config, models: { samples: { ...samples, fields: ['code', 'text', 'number'] } } }
    expect(await importOnce(short, file, { database: db.database })).toMatchObject({ failed: 0, created: 3 })
    expect(await db.rows('samples', 'text', 'number')).toEqual([
      ['3.5 "HD" disk', '2'],
      ['5" nail', '1'],
      ['6" pipe', '3'],
    ])
  })

  test.each([
    ['number', ['5 €', '$-6', '-£ 7', '8.00 €'], ['5', '-6', '-7', '8']],
    ['big', ['9007199254740993 ¥'], ['9007199254740993']],
    ['price', ['89.90 €', '+US$1.5', 'R$ 2', '3 PLN', '-CHF 4', 'zł 5'], ['89.9', '1.5', '2', '3', '-4', '5']],
  ] as const)('a currency beside a number is left out: %s', async (field, cells, expected) => {
    const result = await run(cells.map(cell => rowWith(field, cell)))
    expect(result).toMatchObject({ failed: 0, created: cells.length })
    const shown = (await db.rows('samples', field)).flat()
    expect(shown.map(Number).toSorted()).toEqual(expected.map(Number).toSorted())
  })

  test.each([
    ['number', ['TOP 2', '6 Ft', 'EUR 8', 'abc$def 5', '€']],
    ['big', ['CUP 3', 'JPY 7']],
    ['price', ['abc$def 5', 'XYZ 5', '5 €$', '€']],
  ] as const)('what may be a key or another unit is no currency: %s', async (field, cells) => {
    const result = await run(cells.map(cell => rowWith(field, cell)))
    expect(result).toMatchObject({ failed: cells.length, created: 0 })
  })

  const COMMA =
    'has a comma. Write the number with a point and without thousands separators, like 1234.5, or name the language of ' +
    'the file, as in locale=de-DE.'
  test.each([
    ['number', '5.5', '"5.5" is not a whole number. Write it like 42.'],
    ['number', '1E5', '"1E5" is not a whole number. Write it like 42.'],
    ['number', '1,000', '"1,000" has a comma. Write the whole number without separators, like 5000.'],
    ['number', '2147483648', 'Ensure this value is less than or equal to 2147483647.'],
    ['big', '9223372036854775808', 'Ensure this value is less than or equal to 9223372036854775807.'],
    ['price', '1,5', `"1,5" ${COMMA}`],
    ['price', '1,5 €', `"1,5 €" ${COMMA}`],
    ['price', '1.5 kg', '"1.5 kg" is not a number. Write it like 90.5.'],
    ['price', '1.5 ABC', '"1.5 ABC" is not a number. Write it like 90.5.'],
    ['price', '€ 1.5 €', '"€ 1.5 €" is not a number. Write it like 90.5.'],
    ['price', '€', '"€" is not a number. Write it like 90.5.'],
    ['number', '5K', '"5K" is not a whole number. Write it like 42.'],
    ['price', '1.2345', 'Ensure that there are no more than 3 decimal places.'],
    ['flag', 'WAHR', '"WAHR" is neither true nor false. Write true or false, yes or no, 1 or 0.'],
    ['day', '15.01.2026', '"15.01.2026" is not a date. Write it like 2026-01-15.'],
    ['day', '2026-02-30', 'The day 2026-02-30 does not exist.'],
    ['day', '20260230', 'The day 2026-02-30 does not exist.'],
    ['day', '20261301', '"20261301" is not a date. Write it like 2026-01-15.'],
    ['day', '46037', '"46037" is not a date. Write it like 2026-01-15.'],
    ['reference', 'abc', '"abc" is not a UUID. Write it like 7b3f1c5e-4a52-4f0e-9d7b-3f9f0f6f2a11.'],
    ['data', '{"a":', 'This is not valid JSON. Write it like {"a": 1} or ["a", "b"].'],
    ['kind', 'b', '"b" is not a valid choice. Choose one of: a, B c.'],
  ] as const)('%s does not take %s', async (field, cell, message) => {
    const result = await run([rowWith(field, cell)])
    expect(result.errors).toEqual([{ row: 2, field, column: field, message, model: 'samples' }])
    expect(await db.rows('samples', 'code')).toEqual([])
  })

  test('an empty cell is null, also where a record has a value', async () => {
    await run([rowWith('number', '5').with(0, 'X'), rowWith('number', '6').with(0, 'Y')])
    expect(await run([rowWith('text', 't').with(0, 'x')])).toMatchObject({ updated: 1, failed: 0 })
    expect(await db.rows('samples', 'code', 'number')).toEqual([
      ['Y', '6'],
      ['x', null],
    ])
  })

  test('an error is of its row and cell, and tells nothing of the database', async () => {
    const result = await run([rowWith('text', 'ok'), [...rowWith('number', 'x'), 'surplus']])
    expect(result.errors).toEqual([
      {
        row: 3,
        field: 'number',
        column: 'number',
        message: '"x" is not a whole number. Write it like 42.',
        model: 'samples',
      },
      {
        row: 3,
        field: 'non_field_errors',
        message:
          'This row has more cells than the header has columns. Remove cells, or put quotes (") around a cell that has a separator.',
        model: 'samples',
      },
    ])
  })
})
