import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  type ImportFileConfig,
  ImportService,
  importForeignKey,
  importModel,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { hasTotalsWord, isNumberText, isTotalsLabel } from '../../src/kinds/locale/totals-words.ts'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { editedWorkbook } from '../support/edited-workbook.ts'
import { csv } from '../support/imports.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { form } from '../support/multipart.ts'
import { workbook } from '../support/workbook.ts'

type Rows = readonly (readonly (string | number | null)[])[]

/** The forms in which one table arrives. */
const FORMS = [
  ['csv', async (rows: Rows) => csv(...rows)],
  ['xlsx', (rows: Rows) => workbook({ Prices: rows })],
] as const

describeOneDialect('rows of a file that are of no record', dialect => {
  const { kit } = dialect
  const goods = kit.table('goods', {
    id: kit.integer().primaryKey(),
    code: kit.text(10).notNull().unique(),
    name: kit.text(20).notNull(),
    price: kit.decimal(8, 2),
  })
  const articles = kit.table('articles', {
    id: kit.integer().primaryKey(),
    name: kit.text(20).notNull().unique(),
    price: kit.decimal(8, 2),
    note: kit.text(20).unique(),
  })
  const words = kit.table('words', { id: kit.integer().primaryKey(), word: kit.text(20).notNull().unique() })
  const parts = kit.table('parts', {
    ...kit.BaseModelMixin(),
    good: kit.foreignKey(goods).notNull(),
    name: kit.text(20).notNull(),
    amount: kit.integer(),
  })
  const { jobs, jobErrors } = kit.JobTables()
  const queue = new ManualQueue()
  const seen: unknown[] = []
  const config: ImportFileConfig = {
    fileFormat: ['csv', 'xlsx'],
    order: ['goods'],
    models: { goods: importModel({ model: goods, fields: ['code', 'name', 'price'], uniqueFields: ['code'] }) },
  }
  const priced = (more: Partial<ImportFileConfig> = {}, foundBy: 'name' | 'note' | 'nothing' = 'name') =>
    BulkImportableViewSet({
      model: articles,
      serializer: BaseModelSerializer(articles, { fields: ['id', 'name', 'price', 'note'] }),
      permissionClasses: [AllowAny],
      importFileConfig: {
        fileFormat: ['csv', 'xlsx'],
        order: ['articles'],
        models: {
          articles: importModel({
            model: articles,
            fields: ['name', 'price', 'note'],
            optional: foundBy === 'note' ? [] : ['note'],
            ...(foundBy === 'nothing' ? { createOnly: true } : { uniqueFields: [foundBy] }),
          }),
        },
        ...more,
      },
    })
  const resource = (more: Partial<ImportFileConfig> = {}) =>
    BulkImportableViewSet({
      model: goods,
      serializer: BaseModelSerializer(goods, { fields: ['id', 'code', 'name', 'price'] }),
      permissionClasses: [AllowAny],
      importFileConfig: { ...config, ...more },
    })
  const api = useApi(dialect, {
    tables: { goods, articles, words, parts, jobs, jobErrors },
    resources: {
      goods: resource(),
      skipping: resource({ totalsRows: 'skip', chunkSize: 2 }),
      named: priced(),
      namedSkipping: priced({ totalsRows: 'skip' }),
      byNote: priced({ totalsRows: 'skip' }, 'note'),
      created: priced({ totalsRows: 'skip' }, 'nothing'),
      renamed: priced({ totalsRows: 'skip', prepareRow: row => ({ ...row, name: `Set of ${row.name}` }) }),
      hooked: resource({
        totalsRows: 'skip',
        prepareRow(row) {
          seen.push(row.code)
          return row
        },
      }),
    },
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
  })
  const send = async (
    content: Uint8Array,
    {
      fields = {},
      name = 'goods',
      action = 'import-from-file',
    }: {
      readonly fields?: Readonly<Record<string, string>>
      readonly name?: string
      readonly action?: string
    } = {},
  ) => {
    const sent = Object.entries({ append_data: 'true', ...fields }).map(([key, value]) => ({ name: key, value }))
    return api.post(`/${name}/${action}/`, undefined, form({ name: 'file', filename: 'f', content }, ...sent))
  }
  const articleNames = async () => (await api.rows('articles')).map(row => row[1])
  const stored = async () => (await api.rows('goods')).map(row => row[1])
  const HEADER = ['code', 'name', 'price']
  const REPEATED = { field: 'non_field_errors', message: 'This row repeats the header.', model: 'goods' }
  const WITH_HEADERS: Rows = [
    HEADER,
    ['a', 'Nut', 1],
    HEADER,
    ['b', 'Bolt', 2],
    [null, ' name ', 'price'],
    ['c', 'x', 3],
  ]

  describe.each(FORMS)('a row that repeats the header: %s', (_, make) => {
    test('is skipped with a warning', async () => {
      const answer = await send(await make(WITH_HEADERS))
      expect(answer.status).toBe(201)
      expect(answer.data()).toMatchObject({
        processed: 5,
        created: 3,
        skipped: 2,
        failed: 0,
        warned: 2,
        warnings: [
          { row: 3, ...REPEATED },
          { row: 5, ...REPEATED },
        ],
        warning_groups: [{ code: 'repeated_header', count: 2, rows: '3, 5' }],
      })
      expect(await stored()).toEqual(['a', 'b', 'c'])
    })

    test('of two header rows is the lower one', async () => {
      const groups = [null, 'Names', 'Names', 'Prices', 'Prices']
      const header = ['code', 'name', 'note', 'price', 'note']
      const answer = await send(await make([groups, header, ['a', 'Nut', null, 1, null], header]))
      expect(answer.data()).toMatchObject({ created: 1, skipped: 1, warnings: [{ row: 4, ...REPEATED }] })
    })
  })

  test('a row that repeats the header fails with fail_on_warnings, and is shown by the preview', async () => {
    const file = csv(...WITH_HEADERS)
    const answer = await send(file, { fields: { fail_on_warnings: 'true' } })
    expect(answer.data()).toMatchObject({ processed: 5, created: 3, failed: 2, errors: [{ row: 3 }, { row: 5 }] })
    expect(answer.data()).not.toHaveProperty('skipped')
    const { sheets } = (await send(file, { action: 'import-preview' })).data<{ sheets: { rows: object[] }[] }>()
    expect(sheets[0]?.rows[1]).toEqual({
      row: 3,
      cells: HEADER,
      values: {},
      problems: [],
      warnings: [{ row: 3, ...REPEATED }],
    })
  })

  test('a row that repeats the header is not shown to prepareRow', async () => {
    seen.length = 0
    expect((await send(csv(...WITH_HEADERS), { name: 'hooked' })).data()).toMatchObject({ created: 3, skipped: 2 })
    expect(seen).toEqual(['a', 'b', 'c'])
  })

  test('a row with a single cell like its header, another letter case or a further value is data', async () => {
    const rows = [
      ['code', null, null],
      ['Code', 'Name', 1],
      ['code', 'name', 3],
    ]
    const answer = await send(csv(HEADER, ...rows))
    expect(answer.data()).toMatchObject({ processed: 3, failed: 1, errors: [{ row: 2, field: 'name' }] })
    const service = new ImportService(
      {
        fileFormat: 'csv',
        order: ['words'],
        models: { words: importModel({ model: words, fields: ['word'], uniqueFields: ['word'] }) },
      },
      { database: api.database },
    )
    expect(await service.import(csv(['word'], ['word'], ['other']), { append: true })).toMatchObject({ created: 2 })
  })

  test('a replace with a repeated header alone replaces nothing', async () => {
    await send(csv(HEADER, ['a', 'Nut', 1]))
    const answer = await send(csv(HEADER, HEADER), { fields: { append_data: 'false' } })
    expect(answer.status).toBe(400)
    expect(await stored()).toEqual(['a'])
  })

  const TOTALS: Rows = [HEADER, ['a', 'Nut', 1], ['b', 'Bolt', 2], [null, 'Summe (netto):', 3], ['Total', null, 3]]
  const TEXT =
    'This looks like a row of totals: it has "Summe (netto):", and no value for "code". Remove the row, or enter the value.'
  const SKIPPED = [
    'This looks like a row of totals: it has "Summe (netto):", and no value for "code".',
    'This looks like a row of totals: it has "Total", and no value for "code".',
  ]

  describe.each(FORMS)('a row of totals: %s', (_, make) => {
    test('fails with an error that says so', async () => {
      const answer = await send(await make(TOTALS))
      expect(answer.data()).toMatchObject({
        processed: 4,
        created: 2,
        failed: 2,
        errors: [
          { row: 4, field: 'code', column: 'code', message: TEXT, model: 'goods' },
          { row: 5, field: 'code', message: TEXT.replace('Summe (netto):', 'Total') },
        ],
        error_groups: [{ code: 'totals_row', rows: '4-5', count: 2 }],
      })
      expect(answer.data()).not.toHaveProperty('skipped')
    })

    test('is skipped with a warning if the configuration says so, in chunks and in a job as well', async () => {
      const file = await make(TOTALS)
      const expected = {
        processed: 4,
        created: 2,
        failed: 0,
        skipped: 2,
        warned: 2,
        warnings: [
          { row: 4, message: SKIPPED[0] },
          { row: 5, message: SKIPPED[1] },
        ],
      }
      expect((await send(file, { name: 'skipping', fields: { dry_run: 'true' } })).data()).toMatchObject(expected)
      const { id } = (await send(file, { name: 'skipping', fields: { background: 'true' } })).data<JobData>()
      await queue.run(id)
      const job = (await api.get(`/jobs/${id}/`)).data<JobData>()
      expect(job.result).toMatchObject(expected)
      expect(job.progress).toMatchObject({ skipped: 2, warned: 2 })
      const strict = await send(file, { name: 'skipping', fields: { fail_on_warnings: 'true' } })
      expect(strict.data()).toMatchObject({ updated: 2, failed: 2, skipped: 0 })
    })
  })

  describe.each(FORMS)('a row whose only text is a label of totals, and that can be read: %s', (_, make) => {
    const LABELS = ['Total', 'Subtotal', 'Zwischensumme', 'Gesamt:', 'Grand total', 'Summe netto', 'Sous-total', '合計']
    const file = () => make([['name', 'price'], ['Nut', 1], ...LABELS.map(label => [label, 1.5])])

    test('is stored with a warning that names it', async () => {
      const answer = await send(await file(), { name: 'named' })
      expect(answer.data()).toMatchObject({
        created: 1 + LABELS.length,
        failed: 0,
        warned: LABELS.length,
        warnings: LABELS.map((label, at) => ({
          row: at + 3,
          field: 'name',
          message: `This row looks like a row of totals: its only text is "${label}". Remove the row if it is no record.`,
        })),
        warning_groups: [{ code: 'totals_row', count: LABELS.length }],
      })
      const { sheets } = (await send(await file(), { name: 'named', action: 'import-preview' })).data<{
        sheets: { rows: object[] }[]
      }>()
      expect(sheets[0]?.rows[1]).toMatchObject({ problems: [], warnings: [{ row: 3, field: 'name' }] })
    })

    test('fails with fail_on_warnings', async () => {
      const answer = await send(await file(), { name: 'named', fields: { fail_on_warnings: 'true' } })
      expect(answer.data()).toMatchObject({
        created: 1,
        failed: LABELS.length,
        errors: LABELS.map(() => ({ field: 'name' })),
      })
      expect(await articleNames()).toEqual(['Nut'])
    })

    test('is skipped with a warning if the configuration says so', async () => {
      const answer = await send(await file(), { name: 'namedSkipping' })
      expect(answer.data()).toMatchObject({
        created: 1,
        skipped: LABELS.length,
        warned: LABELS.length,
        warnings: LABELS.map(label => ({ message: `This looks like a row of totals: its only text is "${label}".` })),
      })
      expect(await articleNames()).toEqual(['Nut'])
    })
  })

  test('a row of totals is skipped whether its sum fits the column or not', async () => {
    const rows: Rows = [
      ['name', 'price'],
      ['Nut', 1],
      ['Total', 24.5],
      ['Total', 2.005],
      ['Total', '1.234,50 €'],
    ]
    const answer = await send(csv(...rows), { name: 'namedSkipping' })
    expect(answer.data()).toMatchObject({ created: 1, skipped: 3, failed: 0 })
    const failing = await send(csv(...rows), { name: 'named' })
    expect(failing.data()).toMatchObject({
      updated: 1,
      created: 1,
      failed: 2,
      warned: 1,
      errors: [{ row: 4 }, { row: 5 }],
    })
  })

  test('a text alone is no row of totals, and neither is a product that begins with such a word', async () => {
    const rows: Rows = [
      ['name', 'price'],
      ['Total', null],
      ['Total Quartz', 3],
      ['Lump sum', 4],
    ]
    const answer = await send(csv(...rows), { name: 'namedSkipping' })
    expect(answer.data()).toMatchObject({ created: 3, skipped: 0, failed: 0 })
    expect(answer.data()).not.toHaveProperty('warnings')
  })

  test('a row of totals of an import that only creates records is skipped, too', async () => {
    const rows: Rows = [
      ['name', 'price'],
      ['Nut', 1],
      ['Total', 1],
    ]
    expect((await send(csv(...rows), { name: 'created' })).data()).toMatchObject({ created: 1, skipped: 1 })
  })

  test.each([
    ['another text', ['c', 'Total', 1], 'namedSkipping'],
    ['a date', ['2026-01-15', 'Total', 1], 'namedSkipping'],
    ['a label of three words', [null, 'Sum of all', 1], 'namedSkipping'],
    ['no word of totals', [null, 'Totally', 1], 'namedSkipping'],
    ['a number as its key', [7, 'Total', 1], 'byNote'],
  ])('a row with %s is no row of totals', async (_, row, name) => {
    const answer = await send(csv(['note', 'name', 'price'], row), { name })
    expect(answer.data()).toMatchObject({ created: 1, skipped: 0, failed: 0 })
    expect(answer.data()).not.toHaveProperty('warned')
  })

  test('prepareRow decides about the key of a row that looks like totals', async () => {
    const rows: Rows = [
      ['name', 'price'],
      ['Nut', 1],
      ['Total', 1],
    ]
    const answer = await send(csv(...rows), { name: 'renamed' })
    expect(answer.data()).toMatchObject({ created: 2, skipped: 0 })
    expect(await articleNames()).toEqual(['Set of Nut', 'Set of Total'])
  })

  test('a new row of a file for editing that looks like totals is stored with a warning, or skipped', async () => {
    await send(csv(['name', 'price'], ['Nut', 1]), { name: 'named' })
    const exported = await api.post('/named/export/', { file_type: 'xlsx', for_editing: true })
    const edited = await editedWorkbook(exported.bytes, rows => [...rows, { name: 'Total:', price: 1 }])
    const skipped = await send(edited, { name: 'namedSkipping' })
    expect(skipped.data()).toMatchObject({ created: 0, skipped: 1, failed: 0, warnings: [{ row: 3, field: 'name' }] })
    const strict = await send(edited, { name: 'named', fields: { fail_on_warnings: 'true' } })
    expect(strict.data()).toMatchObject({ created: 0, failed: 1, errors: [{ row: 3, field: 'name' }] })
    const answer = await send(edited, { name: 'named' })
    expect(answer.data()).toMatchObject({ created: 1, failed: 0, warned: 1, warnings: [{ row: 3, field: 'name' }] })
  })

  test('a row with two texts is no row of totals', async () => {
    const answer = await send(csv(HEADER, ['total', 'Total', 1], ['sum', 'Sum', 2]), { name: 'skipping' })
    expect(answer.data()).toMatchObject({ created: 2, skipped: 0 })
  })

  test('a wrong row with a key or without the word keeps its errors', async () => {
    const answer = await send(csv(HEADER, ['a', 'Total', 'x'], [null, 'Nut', 1]), { name: 'skipping' })
    expect(answer.data()).toMatchObject({
      failed: 2,
      errors: [
        { row: 2, field: 'price' },
        { row: 3, field: 'code', message: 'This cell is empty, and a value is required.' },
      ],
    })
  })

  test('a row without a key of which the database makes one is a new record', async () => {
    await send(csv(HEADER, ['a', 'Nut', 1]))
    const service = new ImportService(
      {
        fileFormat: 'csv',
        order: ['parts'],
        totalsRows: 'skip',
        models: {
          parts: importModel({
            model: parts,
            fields: ['id', 'name', 'amount'],
            uniqueFields: ['id'],
            foreignKeys: { good: importForeignKey({ model: goods, lookupField: 'code', sourceField: 'good' }) },
          }),
        },
      },
      { database: api.database },
    )
    const file = csv(['id', 'name', 'amount', 'good'], ['', 'Total', 1, 'a'], ['', 'Total', 2, null])
    expect(await service.import(file, { append: true })).toMatchObject({ created: 1, skipped: 1, warned: 1 })
  })

  test('rows of totals are named in the language of the client', async () => {
    const sent = form({ name: 'file', filename: 'f', content: csv(...TOTALS) }, { name: 'append_data', value: 'true' })
    const headers = { ...sent.headers, 'accept-language': 'de' }
    const answer = await api.post('/goods/import-from-file/', undefined, { ...sent, headers })
    expect(answer.data<{ errors: { message: string }[] }>().errors[0]?.message).toContain('Summenzeile')
  })
})

describe('words of totals', () => {
  test.each(['Total', 'GRAND TOTAL:', 'Sum', 'Sub-total', 'Summe', 'Gesamt 2026', 'Zwischensumme', 'Total général'])(
    '%s',
    text => {
      expect(hasTotalsWord(text)).toBe(true)
    },
  )
  test.each(['Somme', 'Sous-total', 'Totaux', 'Suma', 'Totales', '合計', '売上合計', '小計'])('%s', text => {
    expect(hasTotalsWord(text)).toBe(true)
  })
  test.each(['', 'Totally', 'Summer', 'Sumatra', 'Gesamtschule', `Total of ${'x'.repeat(60)}`])('not %s', text => {
    expect(hasTotalsWord(text)).toBe(false)
  })
})

describe('labels of totals', () => {
  test.each([
    'Total',
    'Gesamt:',
    'Grand total',
    'Summe netto',
    'Summe (netto):',
    'Total :',
    'Total HT',
    'Sous-total',
    'Gesamt 2026',
    '売上合計',
    '合計：',
  ])('%s', text => {
    expect(isTotalsLabel(text)).toBe(true)
  })
  test.each([
    '',
    'Nut',
    'Sum of all',
    'Total Quartz',
    'Lump sum',
    'Total number of',
    'Summer',
    'Sumatra',
    '合計金額のお知らせです',
  ])('not %s', text => {
    expect(isTotalsLabel(text)).toBe(false)
  })
})

describe('texts of numbers', () => {
  test.each([
    '1',
    '-1',
    '1.234,56',
    "1'234.50",
    '1 234,50',
    '€ 24',
    '24,50 €',
    '24 EUR',
    'EUR 24',
    '12 %',
    '(5.00)',
    '5-',
  ])('%s', text => {
    expect(isNumberText(text)).toBe(true)
  })
  test.each(['', 'x', '5 pcs', '2026-01-15', 'A1', '1e', '-', 'true', '1'.repeat(61)])('not %s', text => {
    expect(isNumberText(text)).toBe(false)
  })
})
