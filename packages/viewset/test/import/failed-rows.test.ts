import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readXlsx, writeXlsx } from 'hucre/xlsx'
import {
  AllowAny,
  BaseModelSerializer,
  findRecords,
  ImportableViewSet,
  type ImportRowError,
  ImportService,
  importForeignKey,
  importModel,
} from 'viewset'
import { expect, test } from 'vitest'
import { RowErrorSpool } from '../../src/importing/failed/row-error-spool.ts'
import { removeFolder, temporaryFolder } from '../../src/tabular/temporary-folder.ts'
import { type TestResponse, useApi } from '../support/api.ts'
import { capturedLog } from '../support/captured-log.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { geography } from '../support/import-models.ts'
import { type ImportFormOptions, importForm } from '../support/multipart.ts'
import { workbook } from '../support/workbook.ts'

const ASK = '/cities/import-from-file/?failed_rows=true'

describeOneDialect('a file of failed rows', dialect => {
  const tables = geography(dialect.kit)
  const { countries, cities } = tables
  const reports = dialect.kit.table('reports', {
    id: dialect.kit.uuid().primaryKey().$defaultFn(randomUUID),
    title: dialect.kit.text().notNull(),
    errors: dialect.kit.integer(),
  })
  const country = importForeignKey({ model: countries, lookupField: 'iso2', sourceField: 'iso2' })
  const importFileConfig = {
    fileFormat: ['csv', 'xlsx', 'xls'],
    order: ['countries', 'cities'],
    models: {
      countries: importModel({ model: countries, fields: ['iso2', 'name'], uniqueFields: ['iso2'] }),
      cities: importModel({
        model: cities,
        fields: ['name', 'population', 'area'],
        uniqueFields: ['country', 'name'],
        foreignKeys: { country },
      }),
    },
  } as const
  const config = {
    model: cities,
    serializer: BaseModelSerializer(cities, { fields: ['id', 'name', 'country'] }),
    permissionClasses: [AllowAny],
    importFileConfig,
  }
  const CityViewSet = ImportableViewSet(config)
  class BrokenViewSet extends ImportableViewSet(config) {
    override async getImportService() {
      const service = await super.getImportService()
      service.writeFailedRows = () => Promise.reject(new Error('the disk is full'))
      return service
    }
  }
  const log = capturedLog()
  const api = useApi(dialect, {
    tables: { ...tables, reports },
    resources: { cities: CityViewSet, broken: BrokenViewSet },
    server: log.server,
  })

  const send = (content: string | Uint8Array, options?: ImportFormOptions, path = ASK) =>
    api.request('POST', path, importForm(content, { filename: 'Städte.csv', ...options }))
  const names = async () => {
    const records = await api.database.use(() => findRecords(cities))
    return records.map(({ name }) => name).toSorted()
  }
  const textOf = ({ bytes }: TestResponse) => bytes.toString('utf8')
  const told = ({ headers }: TestResponse) => JSON.parse(String(headers['x-import-result']))

  const HEADER = 'iso2,countries.name,cities.name,population,area'

  test('has the rows that failed, as the upload has them, and what is wrong with each', async () => {
    const response = await send(
      [
        '\uFEFFISO2;Countries.name;note;cities.name;population;area',
        "NO;Norway;'=1+1;Oslo;many;1.5",
        'NO;Norway;good;Bergen;1;1.5',
        '',
        'DEU;Germany;"two; parts";"Köln ";1;yesterday',
      ].join('\n'),
    )
    expect(response.status).toBe(207)
    expect(response.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="St_dte_failed.csv"; filename*=UTF-8\'\'St%C3%A4dte_failed.csv',
    })
    expect(textOf(response).split('\r\n')).toEqual([
      '\uFEFFErrors;ISO2;Countries.name;note;cities.name;population;area',
      '"population: ""many"" is not a whole number. Write it like 42.";NO;Norway;\'=1+1;Oslo;many;1.5',
      expect.stringMatching(/^"ISO2: .*\narea: .*";DEU;Germany;"two; parts";"Köln ";1;yesterday$/),
      '',
    ])
    expect(told(response)).toEqual({
      message: '2 of 3 rows failed; the other 1 was stored.',
      success: false,
      processed: 3,
      failed: 2,
      created: 1,
      updated: 0,
    })
    expect(await names()).toEqual(['Bergen'])
  })

  test('is put right and sent again: its errors are replaced, and no column that is left over', async () => {
    const again = async (content: string) => textOf(await send(content, { filename: 'cities_failed.csv' }))
    const first = await again(`${HEADER}\nNO,Norway,Oslo,many,\nNO,Norway,Bergen,2,no\n`)
    expect(first.split('\r\n')[0]).toBe(`Errors,${HEADER}`)
    const second = await again(first.replace('Oslo,many', 'Oslo,7'))
    expect(second).toBe(
      `Errors,${HEADER}\r\n"area: ""no"" is not a number. Write it like 90.5.",NO,Norway,Bergen,2,no\r\n`,
    )
    const last = await send(second.replace(',no\r', ',1.5\r'))
    expect(last.status).toBe(201)
    expect(last.data()).toMatchObject({ success: true, processed: 1, created: 1, ignored_columns: [] })
    expect(await names()).toEqual(['Bergen', 'Oslo'])
  })

  test('is read as well if an older version wrote it, with the errors in the last column', async () => {
    const old = `${HEADER},Errors\nNO,Norway,Oslo,7,,wrong\nNO,Norway,Bergen,many,,"wrong, too"\n`
    const response = await send(old, { filename: 'cities_failed.csv' })
    expect(textOf(response)).toBe(
      `Errors,${HEADER}\r\n"population: ""many"" is not a whole number. Write it like 42.",NO,Norway,Bergen,many,\r\n`,
    )
    expect(await names()).toEqual(['Oslo'])
  })

  test('is the result where no row fails, and where nobody asks', async () => {
    expect((await send(`${HEADER}\nNO,Norway,Oslo,1,\n`)).data()).toMatchObject({ success: true, created: 1 })
    const unasked = await send(`${HEADER}\nNO,Norway,Oslo,many,\n`, {}, '/cities/import-from-file/')
    expect(unasked.status).toBe(207)
    expect(unasked.data()).toMatchObject({ failed: 1, errors: [{ row: 2 }] })
  })

  test('has all rows where nothing is stored, since all of them are to be sent again', async () => {
    const content = `${HEADER}\nNO,Norway,Oslo,many,\nNO,Norway,Bergen,2,\n`
    const expected = [
      `Errors,${HEADER}`,
      '"population: ""many"" is not a whole number. Write it like 42.",NO,Norway,Oslo,many,',
    ]
    const whole = `${[...expected, ',NO,Norway,Bergen,2,'].join('\r\n')}\r\n`
    const replaced = await send(content, { append: false })
    expect(textOf(replaced)).toBe(whole)
    expect(told(replaced).message).toBe(
      '1 of 2 rows failed, so nothing was replaced: all is as it was before. The file has all rows: put it right and send it again.',
    )
    const tried = await send(content, { dryRun: true })
    expect(textOf(tried)).toBe(whole)
    expect(told(tried)).toMatchObject({ dry_run: true, failed: 1, created: 1 })
    expect(await names()).toEqual([])
  })

  test('has all rows that failed, however many errors are listed', async () => {
    const rows = Array.from({ length: 2_500 }, (_, index) => `NO,Norway,City ${index},${index % 2 ? 'many' : 1},`)
    const response = await send([HEADER, ...rows].join('\n'))
    const lines = textOf(response).trimEnd().split('\r\n')
    expect(lines).toHaveLength(1 + 1_250)
    expect(lines.at(-1)).toMatch(/^"population: .*",NO,Norway,City 2499,many,$/)
    expect(told(response)).toMatchObject({ failed: 1_250, created: 1_250, errors_truncated: true })
  })

  test('keeps cells beyond the header behind the row, where they are still too many', async () => {
    const response = await send(`${HEADER}\nNO,Norway,Oslo,Akershus,1,1.5\n`)
    const text = textOf(response)
    const why =
      'This row has more cells than the header has columns. Remove cells, or put quotes ("") around a cell that has a separator.'
    expect(text).toMatch(/,NO,Norway,Oslo,Akershus,1,1.5\r\n$/s)
    expect(text).toContain(`${why}",NO,`)
    expect(textOf(await send(text))).toBe(text)
  })

  test('has the sheets and the types of a workbook, and notes on the cells that are wrong', async () => {
    const upload = await workbook({
      Cities: [
        ['iso2', 'name', 'population', 'area', 'remark'],
        ['NO', 'Oslo', 1.5, '1.5', '=SUM(A1:A2)'],
        ['NO', 'Bergen', 7, '1.5', null],
        ['XX', 'Nowhere', true, 'never', 1e21],
      ],
      countries: [
        ['iso2', 'name'],
        ['NO', 'Norway'],
      ],
      Remarks: [['What I think'], ['of it']],
    })
    const response = await send(upload, { filename: 'my cities.xlsx' })
    expect(response.status).toBe(207)
    expect(response.headers['content-disposition']).toBe('attachment; filename="my cities_failed.xlsx"')
    const { sheets } = await readXlsx(new Uint8Array(response.bytes), { readStyles: true })
    expect(sheets.map(({ name, rows }) => [name, rows])).toEqual([
      [
        'Cities',
        [
          ['Errors', 'iso2', 'name', 'population', 'area', 'remark'],
          ['population: 1.5 is not a whole number. Write it like 42.', 'NO', 'Oslo', 1.5, '1.5', '=SUM(A1:A2)'],
          [expect.stringMatching(/^population: .*\narea: .*/s), 'XX', 'Nowhere', true, 'never', 1e21],
        ],
      ],
      ['countries', [['Errors', 'iso2', 'name']]],
      ['Remarks', [['What I think']]],
    ])
    const notes = [...(sheets[0]?.cells ?? [])].flatMap(([at, { comment }]) =>
      comment ? [`${at}: ${comment.text}`] : [],
    )
    expect(notes.toSorted()).toEqual([
      '1,3: 1.5 is not a whole number. Write it like 42.',
      '2,3: true is not a whole number. Write it like 42.',
      '2,4: "never" is not a number. Enter a number, such as 90.5.',
    ])
    const red = [...(sheets[0]?.cells ?? [])].flatMap(([at, { style }]) =>
      JSON.stringify(style ?? {}).includes('FFC7CE') ? [at] : [],
    )
    expect(red.toSorted()).toEqual(['1,3', '2,3', '2,4'])
    const again = await send(response.bytes, { filename: 'my cities_failed.xlsx' })
    // Only the time in its properties may differ.
    expect((await readXlsx(new Uint8Array(again.bytes), { readStyles: true })).sheets).toEqual(sheets)
  })

  test('keeps hidden sheets hidden, so the corrected file can be sent again', async () => {
    const columns = ['iso2', 'countries.name', 'name', 'population', 'area']
    const sheets = [
      { name: 'Old', hidden: true, rows: [columns, ['NO', 'Norway', 'Moss', 1, null]] },
      { name: 'Older', veryHidden: true, rows: [columns, ['NO', 'Norway', 'Alta', 1, null]] },
      { name: 'S', rows: [columns, ['NO', 'Norway', 'Oslo', 'many', null]] },
    ]
    const failed = await send(await writeXlsx({ sheets }), { filename: 'cities.xlsx' })
    expect(failed.status).toBe(207)
    const { sheets: written } = await readXlsx(new Uint8Array(failed.bytes))
    expect(written.map(({ name, rows, hidden }) => [name, rows.length, hidden ?? false])).toEqual([
      ['Old', 1, true],
      ['Older', 1, true],
      ['S', 2, false],
    ])
    const corrected = written.map(({ name, rows, hidden = false }) => ({
      name,
      hidden,
      rows: rows.map(row => row.map(cell => (cell === 'many' ? 5 : cell))),
    }))
    const again = await send(await writeXlsx({ sheets: corrected }), { filename: 'cities_failed.xlsx' })
    expect(again.data()).toMatchObject({ created: 1, ignored_sheets: ['Old', 'Older'] })
    expect(await names()).toEqual(['Oslo'])
  })

  test('shows the sheets of a workbook that has hidden ones only', async () => {
    const rows = [HEADER.split(','), ['NO', 'Norway', 'Oslo', 'many', null]]
    const failed = await send(await writeXlsx({ sheets: [{ name: 'S', hidden: true, rows }] }), {
      filename: 'cities.xlsx',
    })
    const { sheets } = await readXlsx(new Uint8Array(failed.bytes))
    expect(sheets.map(({ name, hidden = false }) => [name, hidden])).toEqual([['S', false]])
  })

  test.each([
    ['a replace', { append: false }, ['2,0', '2,1', '2,2', '2,3', '2,4', '2,5']],
    ['a dry run, which stores nothing in any case', { dryRun: true }, []],
  ])('shows in grey the rows that failed only because of others, after %s', async (_, options, expected) => {
    const upload = await workbook({
      Cities: [
        ['iso2', 'countries.name', 'name', 'population', 'area'],
        ['NO', 'Norway', 'Oslo', 'many', null],
        ['NO', 'Norway', 'Bergen', 7, null],
      ],
    })
    const { bytes } = await send(upload, { filename: 'cities.xlsx', ...options })
    const [sheet] = (await readXlsx(new Uint8Array(bytes), { readStyles: true })).sheets
    expect(sheet?.rows[2]).toEqual([null, 'NO', 'Norway', 'Bergen', 7, null])
    const grey = [...(sheet?.cells ?? [])].flatMap(([at, { style }]) =>
      JSON.stringify(style ?? {}).includes('EDEDED') ? [at] : [],
    )
    expect(grey.toSorted()).toEqual(expected)
  })

  test('is left out where it cannot be made: what is stored is told all the same', async () => {
    const path = '/broken/import-from-file/?failed_rows=true'
    const response = await send(`${HEADER}\nNO,Norway,Oslo,many,\nNO,Norway,Bergen,1,\n`, {}, path)
    expect(response.status).toBe(207)
    expect(response.data()).toMatchObject({ failed: 1, created: 1, errors: [{ row: 2 }] })
    expect(JSON.stringify(log.lines)).toContain('the disk is full')
  })

  test('calls its column otherwise where a model has one of that name', async () => {
    const rows = importModel({ model: reports, fields: ['title', 'errors'], uniqueFields: ['title'] })
    const service = new ImportService(
      { fileFormat: 'csv', order: ['reports'], models: { reports: rows } },
      { database: api.database },
    )
    const folder = await temporaryFolder('import')
    const [path, target] = [join(folder, 'upload'), join(folder, 'failed')]
    const failed = async (content: string) => {
      const all: ImportRowError[] = []
      await writeFile(path, content)
      await service.import(path, { append: true, onRowErrors: errors => void all.push(...errors) })
      await service.writeFailedRows(path, target, {
        errors: models => all.filter(({ model }) => models.includes(model)),
      })
      return readFile(target, 'utf8')
    }
    const first = await failed('title,errors\nA,many\nB,1\n')
    expect(first).toBe(
      'Import errors,title,errors\r\n"errors: ""many"" is not a whole number. Write it like 42.",A,many\r\n',
    )
    expect(await failed(first)).toBe(first)
    await removeFolder(folder)
  })
})

test('what is told of rows that are read again takes the place of what was told before', async () => {
  const folder = await temporaryFolder('import')
  const spool = new RowErrorSpool(join(folder, 'errors'))
  const error = (row: number, message = 'a\u2028b\n', model = 'cities'): ImportRowError => ({
    row,
    field: 'name',
    message,
    model,
  })
  expect(spool.isEmpty).toBe(true)
  await spool.add([error(2), error(3)], 0)
  await spool.add([error(6), error(7, 'other', 'countries')], 5)
  await spool.add([], 10)
  await spool.add([error(12)], 10)
  await spool.add([error(6, 'shorter')], 5)
  await spool.add([error(20)], 15)
  const read = async (models: string[]) => {
    const found: ImportRowError[] = []
    for await (const each of spool.errors(models)) found.push(each)
    return found
  }
  expect(await read(['cities'])).toEqual([error(2), error(3), error(6, 'shorter'), error(20)])
  expect(await read(['countries'])).toEqual([])
  await spool.add([], 0)
  expect([spool.isEmpty, await read(['cities'])]).toEqual([true, []])
  await spool.close()
  await removeFolder(folder)
})
