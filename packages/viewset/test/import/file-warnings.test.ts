import {
  AllowAny,
  BaseModelSerializer,
  ImportableViewSet,
  type ImportFileConfig,
  ImportService,
  importModel,
} from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { importOnce, useDatabase } from '../support/imports.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { form } from '../support/multipart.ts'
import { workbookParts, zipped } from '../tabular/workbook-xml.ts'
import { type XlsSheet, xls, xlsFile } from '../tabular/xls-bytes.ts'

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const ROWS = [
  ['Towns of 2026', '', '', ''],
  ['code', 'name', 'note', 'area'],
  ['a', 'One', 'x', 'North'],
  ['b', 'Two', 'x', ''],
  ['c', 'Three', 'x', ''],
]

/** A title over four columns, a merged area of three rows, a hidden row and a hidden column. */
function shownXlsx(): Buffer {
  const cell = (text: string) => (text === '' ? '<c/>' : `<c t="str"><v>${text}</v></c>`)
  const rows = ROWS.map(
    (cells, at) => `<row r="${at + 1}"${at === 3 ? ' hidden="1"' : ''}>${cells.map(cell).join('')}</row>`,
  )
  const merged = '<mergeCells><mergeCell ref="A1:D1"/><mergeCell ref="D3:D9"/><mergeCell ref="C20:C30"/></mergeCells>'
  const sheet = `<cols><col min="3" max="3" hidden="1"/></cols><sheetData>${rows.join('')}</sheetData>${merged}`
  return zipped(workbookParts('', { 'xl/worksheets/sheet1.xml': `<worksheet xmlns="${MAIN}">${sheet}</worksheet>` }))
}

function shownXls(): Buffer {
  const cells = ROWS.flatMap((row, at) =>
    row.flatMap((text, column) => (text === '' ? [] : [xls.text(at, column, text)])),
  )
  const more = [xls.hiddenColumns(2, 2), xls.hiddenRow(3), ...cells, xls.merged(0, 0, 0, 3), xls.merged(2, 8, 3, 3)]
  const sheets: XlsSheet[] = [{ name: 'A', records: [...more, xls.merged(19, 29, 2, 2)] }]
  return xlsFile(sheets)
}

const ofFile = (message: string) => ({ row: null, field: 'file', message, model: null })
const GUESS =
  'The encoding of the file was guessed: windows-1252. Check its special letters, save it as CSV UTF-8, or name its encoding.'

describeOneDialect('warnings of a whole file', dialect => {
  const { kit: c } = dialect
  const towns = c.table('towns', {
    id: c.integer().primaryKey(),
    code: c.text(10).notNull().unique(),
    name: c.text(30).notNull(),
    note: c.text(30),
    area: c.text(30),
  })
  const jobTables = c.JobTables()
  const tables = { towns, ...jobTables }
  const db = useDatabase(dialect, tables)
  const models = {
    towns: importModel({
      model: towns,
      fields: ['code', 'name', 'note', 'area'],
      uniqueFields: ['code'],
      optional: ['note', 'area'],
    }),
  }
  const config: ImportFileConfig = { fileFormat: ['csv', 'xls', 'xlsx'], order: ['towns'], models }
  const run = (file: Buffer, options: object = {}, more: Partial<ImportFileConfig> = {}) =>
    importOnce({ ...config, ...more }, file, { database: db.database, ...options })

  test.each([
    ['XLSX', shownXlsx],
    ['XLS', shownXls],
  ])('%s: hidden rows, hidden columns and merged cells below the header are counted', async (_, make) => {
    const warnings = [
      ofFile('The sheet "A" hides 1 row, perhaps by a filter. Hidden rows are read like others.'),
      ofFile('The sheet "A" hides a column: "note". Hidden columns are read like others.'),
      ofFile(
        'The sheet "A" has 1 area of merged cells. Only the first cell of an area has its value: 2 others are empty.',
      ),
    ]
    const result = await run(make(), { failOnWarnings: true })
    expect(result).toMatchObject({ success: true, created: 3, warnings })
    expect(result).not.toHaveProperty('warned')
    expect(await db.rows('towns', 'code', 'area')).toEqual([
      ['a', 'North'],
      ['b', null],
      ['c', null],
    ])
    const unread = { mapping: { note: null, area: null } }
    expect(await run(make(), { ...unread, dryRun: true })).toMatchObject({ warnings: warnings.slice(0, 1) })
  })

  test('a workbook without such things has no warning', async () => {
    expect(
      await run(xlsFile([{ name: 'A', records: [xls.text(0, 0, 'code'), xls.text(0, 1, 'name')] }])),
    ).not.toHaveProperty('warnings')
  })

  const western = Buffer.from('code,name\na,Zürich\n', 'latin1')
  const russian = Buffer.concat([Buffer.from('code,name\na,'), Buffer.from('cceef1eae2e0', 'hex'), Buffer.from('\n')])

  test('the result names an encoding that is not UTF-8, and a guess is a warning', async () => {
    expect(await run(western)).toMatchObject({ created: 1, encoding: 'windows-1252', warnings: [ofFile(GUESS)] })
    const service = new ImportService(config, { database: db.database })
    expect(await service.preview(western)).toMatchObject({ encoding: 'windows-1252', warnings: [ofFile(GUESS)] })
    const named = await run(western, { encoding: 'latin1' })
    expect(named).toMatchObject({ updated: 1, encoding: 'windows-1252' })
    expect(named).not.toHaveProperty('warnings')
    expect(await run(western, {}, { encoding: 'windows-1252' })).not.toHaveProperty('warnings')
    const plain = await run(Buffer.from('code,name\na,Zürich\n'))
    expect(plain).not.toHaveProperty('encoding')
    expect(plain).not.toHaveProperty('warnings')
  })

  test('the configuration names the encoding of files that are not Unicode', async () => {
    const more = { encoding: 'windows-1251' }
    expect(await run(russian, {}, more)).toMatchObject({ created: 1, encoding: 'windows-1251' })
    expect(await run(Buffer.from('code,name\nb,Köln\n'), {}, more)).toMatchObject({ created: 1 })
    expect(await db.rows('towns', 'name')).toEqual([['Köln'], ['Москва']])
    expect(() => new ImportService({ ...config, encoding: 'ansi' })).toThrow(
      'encoding: must be an encoding such as "windows-1251", not "ansi"',
    )
  })

  test('a file that cannot be read stores no row, also with a chunk for each row', async () => {
    const lines = Array.from({ length: 3_000 }, (_, at) => `c${at},Köln\n`).join('')
    const damaged = Buffer.from(`code,name\n${lines}z,Genève\n`)
    damaged[damaged.indexOf('Genève') + 4] = 0x28
    const errors = {
      file: [
        'Row 3002 has bytes that are no text in the encoding utf-8. Save the file as CSV UTF-8, or name its encoding.',
      ],
    }
    await expect(run(damaged, {}, { chunkSize: 100 })).rejects.toMatchObject({ status: 400, errors })
    expect(await db.rows('towns', 'code')).toEqual([])
    await expect(run(western, { encoding: 'ansi' })).rejects.toMatchObject({
      status: 400,
      errors: { encoding: ['"ansi" is not an encoding. Write it like "windows-1251".'] },
    })
  })

  test('a row with text behind a closing quote is stored with a warning, or fails', async () => {
    const file = Buffer.from('code,name\na,"One" more\n')
    const warning = {
      row: 2,
      field: 'non_field_errors',
      message: 'This row has text behind a closing quote ("). It was read as the rest of the cell.',
      model: 'towns',
    }
    expect(await run(file, { failOnWarnings: true })).toMatchObject({ failed: 1, errors: [warning] })
    expect(await run(file)).toMatchObject({ created: 1, warned: 1, warnings: [warning] })
    expect(await db.rows('towns', 'name')).toEqual([['One more']])
  })

  const queue = new ManualQueue()
  const TownViewSet = ImportableViewSet({
    model: towns,
    serializer: BaseModelSerializer(towns, { fields: ['id', 'code', 'name'] }),
    permissionClasses: [AllowAny],
    importFileConfig: { fileFormat: ['csv', 'xls', 'xlsx'], order: ['towns'], models },
  })
  const api = useApi(dialect, {
    tables,
    resources: { towns: TownViewSet },
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { tables: jobTables, queue, files: new MemoryJobFiles(), permissionClasses: [AllowAny] },
  })
  const send = (action: string, content: Buffer, more: Readonly<Record<string, string>> = {}) => {
    const parts = Object.entries(more).map(([name, value]) => ({ name, value }))
    const { payload, headers } = form(...parts, { name: 'file', filename: 'towns.csv', content })
    return api.request('POST', `/towns/${action}/`, { payload, headers })
  }

  test('the form and the address take the encoding of an import, of its preview and of a job', async () => {
    const encoding = 'windows-1251'
    const preview = await send('import-preview', russian, { encoding })
    expect(preview.data()).toMatchObject({ encoding, sheets: [{ rows: [{ cells: ['a', 'Москва'] }] }] })
    const refused = await send('import-preview', russian)
    expect(refused.status).toBe(400)
    const unknown = await send('import-from-file', russian, { append_data: 'true', encoding: 'ansi' })
    expect(JSON.parse(unknown.text)).toMatchObject({
      errors: { encoding: ['"ansi" is not an encoding. Write it like "windows-1251".'] },
    })
    const imported = await send('import-from-file', russian, { append_data: 'true', encoding })
    expect(imported.data()).toMatchObject({ created: 1, encoding })
    const queued = await send('import-from-file', russian, { append_data: 'true', encoding, background: 'true' })
    const { id } = queued.data<{ id: string }>()
    await queue.run(id)
    const job = await api.get(`/jobs/${id}/`)
    expect(job.data()).toMatchObject({ state: 'succeeded', result: { updated: 1, encoding } })
  })
})
