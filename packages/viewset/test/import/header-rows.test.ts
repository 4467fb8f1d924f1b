import { readXlsx, writeXlsx } from 'hucre/xlsx'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  type ImportFileConfig,
  ImportService,
  importModel,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { editedWorkbook } from '../support/edited-workbook.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { form } from '../support/multipart.ts'
import { workbook } from '../support/workbook.ts'

type Cell = string | number | null

const TITLES: readonly (readonly Cell[])[] = [['Price list 2026'], ['Valid from', '2026-01-01'], []]
const HEADER = ['code', 'name', 'price']
const ROWS: readonly (readonly Cell[])[] = [
  ['a1', 'Nut', '1.50'],
  ['b2', 'Bolt', 'cheap'],
  ['c3', 'Washer', '0.10'],
]

const csvOf = (rows: readonly (readonly Cell[])[], delimiter: string) =>
  Buffer.from(rows.map(row => `${row.map(cell => cell ?? '').join(delimiter)}\r\n`).join(''))

/** The forms in which one table arrives. */
const FORMS = [
  ['csv', async (rows: readonly (readonly Cell[])[]) => csvOf(rows, ',')],
  ['csv with semicolons', async (rows: readonly (readonly Cell[])[]) => csvOf(rows, ';')],
  ['xlsx', (rows: readonly (readonly Cell[])[]) => workbook({ Prices: rows })],
] as const

describeOneDialect('a header that is not the first row', dialect => {
  const { kit } = dialect
  const goods = kit.table('goods', {
    id: kit.integer().primaryKey(),
    code: kit.text(10).notNull().unique(),
    name: kit.text(20).notNull(),
    price: kit.decimal(8, 2),
    note: kit.text(20),
  })
  const importFileConfig = {
    fileFormat: ['csv', 'xlsx'],
    order: ['goods'],
    models: { goods: importModel({ model: goods, fields: ['code', 'name', 'price'], uniqueFields: ['code'] }) },
  } satisfies ImportFileConfig
  const resource = (config: ImportFileConfig) =>
    BulkImportableViewSet({
      model: goods,
      serializer: BaseModelSerializer(goods, { fields: ['id', 'code', 'name', 'price'] }),
      permissionClasses: [AllowAny],
      importFileConfig: config,
    })
  const { jobs, jobErrors } = kit.JobTables()
  const queue = new ManualQueue()
  const api = useApi(dialect, {
    tables: { goods, jobs, jobErrors },
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
    resources: { goods: resource(importFileConfig), fixed: resource({ ...importFileConfig, headerRow: 3 }) },
  })
  const stored = async () => (await api.rows('goods')).map(row => row[1])
  const send = (path: string, content: Buffer, parts: Readonly<Record<string, string>> = {}) => {
    const fields = Object.entries({ append_data: 'true', ...parts }).map(([name, value]) => ({ name, value }))
    return api.post(path, undefined, form({ name: 'file', filename: 'prices', content }, ...fields))
  }
  const IMPORT = '/goods/import-from-file/'

  describe.each(FORMS)('%s', (_, make) => {
    let file: Buffer
    beforeEach(async () => {
      file = await make([...TITLES, HEADER, ...ROWS])
    })

    test('is found below titles, and errors name the rows of the file', async () => {
      const answer = await send(IMPORT, file)
      expect(answer.data()).toMatchObject({ processed: 3, created: 2, failed: 1, errors: [{ row: 6, field: 'price' }] })
      expect(await stored()).toEqual(['a1', 'c3'])
    })

    test('is shown in the preview', async () => {
      const preview = await send('/goods/import-preview/', file, {})
      expect(preview.data()).toMatchObject({
        sheets: [
          {
            headers: [{ field: 'code' }, { field: 'name' }, { field: 'price' }],
            rows: [{ row: 5 }, { row: 6, problems: [{ field: 'price' }] }, { row: 7 }],
            problems: [],
          },
        ],
      })
    })

    test('has its failed rows in a file that can be sent again', async () => {
      const failed = await send(IMPORT, file, { failed_rows: 'true' })
      const again = await send(IMPORT, failed.bytes)
      expect(again.data()).toMatchObject({ processed: 1, failed: 1, errors: [{ row: 2, field: 'price' }] })
    })

    test('can be set by the client, for the preview too', async () => {
      const two = await make([['code', 'name', 'price'], ...TITLES, HEADER, ...ROWS])
      // The first row has all columns, so it is taken for the header.
      expect((await send(IMPORT, two)).data()).toMatchObject({ processed: 5 + 1 })
      const set = await send(IMPORT, two, { header_row: '5', dry_run: 'true' })
      expect(set.data()).toMatchObject({ processed: 3, failed: 1, errors: [{ row: 7 }] })
      const preview = await send('/goods/import-preview/', two, { header_row: '5' })
      expect(preview.data()).toMatchObject({ sheets: [{ rows: [{ row: 6 }, { row: 7 }, { row: 8 }] }] })
    })

    test.each([
      ['3', /Row 3 cannot be the header/],
      ['99', /Row 99 cannot be the header/],
      ['x', /the number of a row/],
    ])('is refused if it cannot be row %s', async (row, problem) => {
      const answer = await send(IMPORT, file, { header_row: row })
      expect(answer.status).toBe(400)
      expect(answer.envelope()).toMatchObject({ errors: { header_row: [expect.stringMatching(problem)] } })
      expect(await stored()).toEqual([])
    })

    test('without a complete one, the message is about the row that has the most', async () => {
      const lacking = await make([...TITLES, ['code', 'price', 'colour'], ['a1', '1', 'red']])
      const answer = await send(IMPORT, lacking)
      const { file: problems } = answer.envelope().errors as { file: string[] }
      expect(problems).toContain('The column "name" is missing.')
      expect(problems.join(' ')).toContain('The header (row 4) has the columns "code", "price", "colour".')
    })

    test('has no group, if the row above is a title', async () => {
      const titled = await make([
        ['Price list 2026', '', '', '', ''],
        [...HEADER, 'Street', 'Street'],
        ['a1', 'Nut', '1', 'A', 'B'],
      ])
      expect((await send(IMPORT, titled)).data()).toMatchObject({ created: 1, ignored_columns: ['Street', 'Street'] })
    })

    test('is the lower one of two, whose groups tell repeated names apart', async () => {
      const grouped = await make([
        ['Goods', '', '', 'Billing', '', 'Shipping', ''],
        [...HEADER, 'Street', 'Town', 'Street', 'Town'],
        ['a1', 'Nut', '1', 'A', 'B', 'C', 'D'],
      ])
      const answer = await send(IMPORT, grouped)
      expect(answer.data()).toMatchObject({
        created: 1,
        ignored_columns: ['Billing / Street', 'Billing / Town', 'Shipping / Street', 'Shipping / Town'],
      })
    })
  })

  test('can be set by the configuration', async () => {
    const file = csvOf([['x'], ['code', 'name'], HEADER, ['a1', 'Nut', '1']], ',')
    expect((await send('/fixed/import-from-file/', file)).data()).toMatchObject({ processed: 1, created: 1 })
    const wrong = { ...importFileConfig, headerRow: 0 }
    expect(() => new ImportService(wrong)).toThrow(/headerRow: must be the number of a row/)
  })

  describe('that the configuration sets, but that lacks required columns', () => {
    const FIXED = '/fixed/import-from-file/'
    const workbookOf = async (...rows: readonly (readonly Cell[])[]) => workbook({ Prices: rows })

    test('is another of the first rows: a file of failed rows is corrected and sent again', async () => {
      for (const make of [async (...rows: readonly (readonly Cell[])[]) => csvOf(rows, ','), workbookOf]) {
        const wrong = ['a', 'b', 'c', 'd'].map(code => [code, 'Nut', 'many'])
        const failed = await send(FIXED, await make(['x'], ['y'], HEADER, ...wrong), { failed_rows: 'true' })
        expect(failed.status).toBe(207)
        const again = await send(FIXED, failed.bytes)
        expect(again.data()).toMatchObject({ processed: 4, failed: 4, errors: [{ row: 2 }, {}, {}, { row: 5 }] })
        const preview = await send('/fixed/import-preview/', failed.bytes)
        expect(preview.data()).toMatchObject({ sheets: [{ missing: [], rows: [{ row: 2 }, {}, {}, {}] }] })
        // The row that a client sets is strict.
        const strict = await send(FIXED, failed.bytes, { header_row: '3' })
        expect(strict.status).toBe(400)
      }
    })

    test('is that of the template, also below three rows and more', async () => {
      const template = (await api.get('/fixed/import-template/?file_type=xlsx')).bytes
      expect((await send(FIXED, template)).status).toBe(201)
      const filled = await editedWorkbook(template, rows => [
        ...rows,
        ...['a', 'b', 'c'].map(code => ({ code, name: 'Nut', price: 1 })),
      ])
      expect((await send(FIXED, filled)).data()).toMatchObject({ created: 3, failed: 0 })
    })

    test('is that of the configuration, if no row has all of them', async () => {
      const answer = await send(FIXED, csvOf([['code', 'price'], ['x'], ['code'], ['a1']], ','))
      expect(answer.text).toContain('The header (row 3) has the column \\"code\\"')
    })
  })

  test('each sheet of a workbook has its own', async () => {
    const bytes = await workbook({ Intro: [], goods: [...TITLES, HEADER, ...ROWS.slice(0, 1)], Notes: [['a'], ['b']] })
    expect((await send(IMPORT, bytes)).data()).toMatchObject({ created: 1, ignored_sheets: ['Intro', 'Notes'] })
  })

  test('a hidden sheet is not read beside a visible one, unless the mapping names it', async () => {
    const sheets = [
      { name: 'Old', hidden: true, rows: [HEADER, ['z9', 'Rivet', '9']] },
      { name: 'Older', veryHidden: true, rows: [HEADER, ['y8', 'Pin', '8']] },
      { name: 'Now', rows: [HEADER, ['a1', 'Nut', '1.50']] },
    ]
    const bytes = Buffer.from(await writeXlsx({ sheets }))
    expect((await send(IMPORT, bytes)).data()).toMatchObject({ created: 1, ignored_sheets: ['Old', 'Older'] })
    expect(await stored()).toEqual(['a1'])
    const mapping = JSON.stringify({ Old: {} })
    expect((await send(IMPORT, bytes, { mapping })).data()).toMatchObject({ created: 1 })
    expect(await stored()).toEqual(['a1', 'z9'])
  })

  test.each([
    ['titles of one cell', [['Preisliste 2026'], ['Stand 1.1.2026']]],
    [
      'titles of two cells',
      [
        ['Preisliste', '2026'],
        ['Filter', 'alle Artikel'],
      ],
    ],
    ['no titles', []],
  ])('below %s, a header of unknown names is guessed by its width', async (_, titles: readonly (readonly Cell[])[]) => {
    const table = [
      ['Artikel', 'Text', 'EUR', 'Lager', ''],
      ['a1', 'Nut', '1.50', '5', 'x'],
      ['b2', 'Bolt', '', '', ''],
    ]
    const preview = (await send('/goods/import-preview/', csvOf([...titles, ...table], ';'))).data()
    expect(preview).toMatchObject({
      sheets: [{ headers: [{ header: 'Artikel' }, { header: 'Text' }, {}, {}, { header: '(column 5)' }] }],
    })
    const answer = await send(IMPORT, csvOf([...titles, ...table], ';'))
    const row = titles.length === 0 ? 'the first row' : `row ${titles.length + 1}`
    const columns = ['code', 'name', 'price'].map(name => `The column "${name}" is missing.`)
    expect(answer.envelope()).toMatchObject({
      errors: {
        file: [
          ...columns,
          expect.stringContaining(`The header (${row}) has the columns "Artikel"`),
          'If the names of the columns stand in another row, send its number as "header_row".',
        ],
      },
    })
  })

  describe('that the client sets for a workbook', () => {
    const PREVIEW = '/goods/import-preview/'
    const refused = (answer: Awaited<ReturnType<typeof send>>) => [answer.status, answer.envelope().errors]
    const COVER: readonly (readonly Cell[])[] = [['Prices of May'], ['for all shops']]
    const SHEET = [...TITLES, ['code', 'name', 'price'], ROWS[0] ?? []]
    const hidden = async (sheets: Readonly<Record<string, readonly (readonly Cell[])[]>>) =>
      Buffer.from(
        await writeXlsx({
          sheets: Object.entries(sheets).map(([name, rows]) => ({
            name,
            hidden: name.startsWith('Hidden'),
            rows: rows.map(row => [...row]),
          })),
        }),
      )

    test('need not be a row of the sheets that are not read', async () => {
      const bytes = await hidden({ Cover: COVER, Hidden: [['x']], S: SHEET, Empty: [] })
      const ignored = { ignored_sheets: ['Cover', 'Hidden'] }
      const preview = await send(PREVIEW, bytes, { header_row: '4' })
      expect(preview.data()).toMatchObject({ ...ignored, sheets: [{ name: 'S', rows: [{ row: 5 }] }] })
      expect((await send(IMPORT, bytes, { header_row: '4' })).data()).toMatchObject({ ...ignored, created: 1 })
    })

    test('is refused with the names of the sheets that are read', async () => {
      const bytes = await hidden({ Hidden: SHEET, S: COVER, T: [['x']] })
      for (const path of [IMPORT, PREVIEW]) {
        expect(refused(await send(path, bytes, { header_row: '4' }))).toEqual([
          400,
          {
            header_row: ['S', 'T'].map(
              name =>
                `Row 4 cannot be the header of the sheet "${name}": it is blank, or not among the first 30 rows with content.`,
            ),
          },
        ])
      }
      const named = await hidden({ goods: COVER, S: SHEET })
      expect(refused(await send(IMPORT, named, { header_row: '4' }))).toMatchObject([
        400,
        { header_row: [expect.stringContaining('of the sheet "goods"')] },
      ])
    })

    test('may be a row behind many blank ones', async () => {
      const blank = Array.from({ length: 40 }, () => [])
      const bytes = await workbook({ Prices: [['Price list'], ...blank, HEADER, ['a1', 'Nut', '1']] })
      expect((await send(IMPORT, bytes, { header_row: '42' })).data()).toMatchObject({ created: 1 })
    })

    test('may be of one sheet by its name, which is then read', async () => {
      const bytes = await hidden({
        May: [HEADER, ['x9', 'Pin', '1']],
        Hidden: [HEADER, HEADER, ['y8', 'Rod', '1']],
        S: SHEET,
      })
      const header_row = JSON.stringify({ ' s': 4 })
      const preview = await send(PREVIEW, bytes, { header_row })
      expect(preview.data()).toMatchObject({ problems: [], sheets: [{ name: 'S', rows: [{ row: 5 }] }] })
      const answer = await send(IMPORT, bytes, { header_row })
      expect(answer.data()).toMatchObject({ created: 1, ignored_sheets: ['May', 'Hidden'] })
      expect(await stored()).toEqual(['a1'])
      const query = `?header_row=${encodeURIComponent(JSON.stringify({ Hidden: 2 }))}`
      expect((await send(IMPORT + query, bytes)).data()).toMatchObject({ created: 1 })
      expect(await stored()).toEqual(['a1', 'y8'])
    })

    test('leaves the row of other sheets to be found', async () => {
      const bytes = await workbook({ goods: SHEET, notes: COVER })
      const answer = await send(IMPORT, bytes, { header_row: '{}' })
      expect(answer.data()).toMatchObject({ created: 1 })
    })

    test.each([
      ['an unknown sheet', { Pirces: 4 }, 'The file has no sheet "Pirces". Did you mean "Prices"?'],
      ['an unknown sheet, of few', { X: 4 }, 'The file has no sheet "X". Known: "Prices", "Notes".'],
      [
        'two sheets of which one is read',
        { Prices: 4, Notes: 1 },
        'The sheet "Notes" is not imported. Known: "Prices".',
      ],
      ['a blank row', { Prices: 3 }, 'Row 3 cannot be the header of the sheet "Prices": it is blank, or not'],
      [
        'no number',
        { Prices: 'x' },
        'Enter the number of a row, or in a workbook the numbers by sheet: {"Prices": 4}.',
      ],
      ['row 0', { Prices: 0 }, 'Enter the number of a row'],
      ['a list', [4], 'Enter the number of a row'],
    ])('is refused with %s', async (_, rows, problem) => {
      const bytes = await workbook({ Prices: SHEET, Notes: COVER })
      const answer = await send(IMPORT, bytes, { header_row: JSON.stringify(rows) })
      expect(refused(answer)).toEqual([400, { header_row: [expect.stringContaining(problem)] }])
    })

    test('is refused by name for a CSV file, which has no sheets', async () => {
      const answer = await send(IMPORT, csvOf(SHEET, ','), { header_row: '{"Prices":4}' })
      expect(refused(answer)).toEqual([
        400,
        { header_row: ['The file has no sheet "Prices", since it is CSV; send the number alone.'] },
      ])
    })

    test('holds for the file of failed rows and for a job', async () => {
      const bytes = await workbook({ May: [HEADER, ['x9', 'Pin', '1']], S: [...TITLES, HEADER, ...ROWS] })
      const header_row = JSON.stringify({ S: 4 })
      const failed = await send(IMPORT, bytes, { header_row, failed_rows: 'true' })
      expect(failed.status).toBe(207)
      const { sheets } = await readXlsx(new Uint8Array(failed.bytes))
      expect(sheets.map(({ name, rows }) => [name, rows.length])).toEqual([
        ['May', 1],
        ['S', 2],
      ])
      const { id } = (await send(IMPORT, bytes, { header_row, background: 'true' })).data<JobData>()
      await queue.run(id)
      const job = (await api.get(`/jobs/${id}/`)).data<JobData>()
      expect(job).toMatchObject({ state: 'succeeded', result: { processed: 3, updated: 2, failed: 1 } })
      const wrong = { header_row: '{"S":3}', background: 'true' }
      expect((await send(IMPORT, bytes, wrong)).status).toBe(400)
    })
  })

  test('a cell beside the table is an error that says where it is', async () => {
    const bytes = await workbook({ goods: [HEADER, ['a1', 'Nut', '1', 'ask Ada'], ['b2', 'Bolt', '2']] })
    const message =
      'This row has a cell to the right of the last column with a header. Give the column a header, or empty the cell.'
    const errors = [{ row: 2, field: 'non_field_errors', message }]
    expect((await send(IMPORT, bytes)).data()).toMatchObject({ created: 1, failed: 1, errors })
  })

  describe('of several sheets', () => {
    const notes: readonly (readonly Cell[])[] = [
      ['name', 'phone'],
      ['Ada', '555'],
    ]

    test('the only one that has all required columns is read', async () => {
      const bytes = await workbook({ Notes: notes, Prices: [...TITLES, HEADER, ...ROWS], Totals: [['price'], ['2']] })
      const preview = (await send('/goods/import-preview/', bytes)).data()
      const ignored = { ignored_sheets: ['Notes', 'Totals'] }
      expect(preview).toMatchObject({ ...ignored, problems: [], sheets: [{ name: 'Prices', problems: [] }] })
      expect((await send(IMPORT, bytes)).data()).toMatchObject({ ...ignored, created: 2, failed: 1 })
    })

    test('a mapping finds the only one that has its headers', async () => {
      const bytes = await workbook({
        Notizen: notes,
        Preise: [
          ['Artikel', 'Text'],
          ['a1', 'Nut'],
        ],
      })
      const mapping = JSON.stringify({ Artikel: 'code', Text: 'name' })
      const answer = await send(IMPORT, bytes, { mapping })
      expect(answer.data()).toMatchObject({ created: 1, failed: 0, ignored_sheets: ['Notizen'] })
    })

    test('two that have all columns are for the client to choose from', async () => {
      const bytes = await workbook({ May: [HEADER, ['a1', 'Nut', '1']], June: [HEADER, ['b2', 'Bolt', '2']] })
      const rename = 'Call the sheet with the rows "goods", or keep one sheet.'
      const problems = ['The workbook has no sheet "goods".', 'Its sheets are: "May", "June".', rename]
      expect((await send('/goods/import-preview/', bytes)).data()).toMatchObject({ problems, sheets: [{}, {}] })
      expect((await send(IMPORT, bytes)).envelope()).toMatchObject({ errors: { file: problems } })
      const mapping = JSON.stringify({ June: {} })
      expect((await send(IMPORT, bytes, { mapping })).data()).toMatchObject({ created: 1, ignored_sheets: ['May'] })
    })
  })

  test('a mapping names the headers of the row that has them', async () => {
    const file = csvOf([...TITLES, ['Artikel', 'Text', 'EUR'], ['a1', 'Nut', '1.50']], ';')
    const mapping = JSON.stringify({ Artikel: 'code', Text: 'name', EUR: 'price' })
    expect((await send(IMPORT, file, { mapping })).data()).toMatchObject({ created: 1, failed: 0 })
  })

  test('a mapping that reads no column is of the row that has its headers', async () => {
    const service = new ImportService(importFileConfig)
    const { sheets } = await service.preview(
      csvOf(
        [
          ['first', ''],
          ['x', ''],
        ],
        ',',
      ),
      {
        mapping: { first: null, '(column 2)': null },
      },
    )
    expect(sheets[0]?.headers.map(({ header }) => header)).toEqual(['first', '(column 2)'])
  })

  test('a mapping may name the headers of the preview, also those with a group', async () => {
    const grouped = csvOf([['Stock'], ['Goods', '', '', 'Billing', 'Shipping'], [...HEADER, 'Street', 'Street']], ',')
    const file = Buffer.concat([grouped, csvOf([['a1', 'Nut', '1', 'A', 'B']], ',')])
    const preview = (await send('/goods/import-preview/', file)).data() as {
      sheets: { headers: { header: string; field: string | null }[] }[]
    }
    const pairs = preview.sheets[0]?.headers.map(({ header, field }) => [header, field]) ?? []
    expect(pairs.at(-1)).toEqual(['Shipping / Street', null])
    const mapping = JSON.stringify(Object.fromEntries(pairs))
    expect((await send(IMPORT, file, { mapping })).data()).toMatchObject({ created: 1, failed: 0 })
  })

  test.each([
    [{ Artikel: 'code', Text: 'name', Preis2: 'price' }, 'The file has no column "Preis2". Did you mean "Preis"?'],
    [{ Artikel: 'kode', Text: 'name', Preis: 'price' }, '"Artikel": "kode" is not imported. Did you mean "code"?'],
  ])('a mapping with a mistake, %j, is compared with the row that has its headers', async (wrong, problem) => {
    const file = csvOf([...TITLES, ['Artikel', 'Text', 'Preis'], ['a1', 'Nut', '1']], ',')
    const answer = await send(IMPORT, file, { mapping: JSON.stringify(wrong) })
    expect(answer.status).toBe(400)
    expect(answer.envelope()).toMatchObject({ errors: { mapping: [problem] } })
  })
})
