import {
  AllowAny,
  BaseModelSerializer,
  ImportableViewSet,
  type ImportFileConfig,
  type ImportMapping,
  ImportService,
  type PreviewSheet,
  ValidationError,
} from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError, expectInvalid, expectSuccess } from '../support/expect.ts'
import { atlasModels, geography } from '../support/import-models.ts'
import { csv, useDatabase } from '../support/imports.ts'
import { type Form, form } from '../support/multipart.ts'
import { workbook } from '../support/workbook.ts'

/** The mapping that a preview suggests. */
function suggested({ headers }: PreviewSheet): Record<string, string | readonly string[] | null> {
  return Object.fromEntries(headers.map(({ header, field }) => [header, field]))
}

describeOneDialect('a preview of an import', dialect => {
  const tables = geography(dialect.kit)
  const db = useDatabase(dialect, tables)
  const models = atlasModels(tables)
  const all: ImportFileConfig = {
    fileFormat: ['csv', 'xlsx'],
    order: ['countries', 'regions', 'cities'],
    models,
    headers: { 'Federal state': ['regions.name', 'district'] },
  }
  const one: ImportFileConfig = {
    fileFormat: ['csv', 'xlsx'],
    order: ['countries'],
    models: { countries: models.countries },
  }
  const preview = (config: ImportFileConfig, file: Buffer, mapping?: ImportMapping) =>
    new ImportService(config, { database: db.database }).preview(file, mapping ? { mapping } : {})

  test('tells what each column is taken for and why, what is missing, and what the first rows say', async () => {
    const header = ['ISO2', 'cities-name', 'Populaton', 'federal_state', 'area', 'Notes', '']
    const file = csv(
      header,
      ['DE', 'Kassel', 'many', 'Hesse', 1.5, 'x', 'y'],
      ['', '', '', '', '', '', ''],
      ['FR', 'Lyon', 1],
    )
    expect(await preview(all, file)).toEqual({
      format: 'csv',
      encoding: 'utf-8',
      delimiter: ',',
      sheets: [
        {
          name: '',
          model: null,
          headers: [
            { header: 'ISO2', field: 'iso2', reason: 'case' },
            { header: 'cities-name', field: 'cities.name', reason: 'separators' },
            { header: 'Populaton', field: 'population', reason: 'near' },
            { header: 'federal_state', field: ['regions.name', 'district'], reason: 'configured' },
            { header: 'area', field: 'area', reason: 'exact' },
            { header: 'Notes', field: null, reason: null },
            { header: '(column 7)', field: null, reason: null },
          ],
          missing: [
            { field: 'countries.name', required: true },
            { field: 'plate', required: false },
            { field: 'kind', required: false },
            { field: 'mayor', required: false },
          ],
          rows: [
            {
              row: 2,
              cells: ['DE', 'Kassel', 'many', 'Hesse', '1.5', 'x', 'y'],
              values: { iso2: 'DE', 'regions.name': 'Hesse', district: 'Hesse', 'cities.name': 'Kassel', area: '1.5' },
              problems: [
                {
                  row: 2,
                  field: 'population',
                  column: 'Populaton',
                  message: '"many" is not a whole number. Write it like 42.',
                  model: 'cities',
                },
              ],
            },
            {
              row: 4,
              cells: ['FR', 'Lyon', '1', null, null, null, null],
              values: { iso2: 'FR', district: null, 'cities.name': 'Lyon', population: 1, area: null },
              problems: [
                {
                  row: 4,
                  field: 'regions.name',
                  column: 'federal_state',
                  message: 'This cell is empty, and a value is required.',
                  model: 'regions',
                },
              ],
            },
          ],
          problems: ['The column "countries.name" is missing.'],
        },
      ],
      ignoredSheets: [],
      problems: [],
    })
    expect(await db.rows('countries', 'iso2')).toEqual([])
  })

  test('suggests a mapping that an import takes, and that leads each column home', async () => {
    const file = csv(['I.S.O.2', 'naem', 'x'], ['DE', 'Germany', 'y'])
    const service = new ImportService(one, { database: db.database })
    await expect(service.import(file, { append: true })).rejects.toBeInstanceOf(ValidationError)
    const { sheets } = await service.preview(file)
    const mapping = suggested(sheets[0] as PreviewSheet)
    expect(mapping).toEqual({ 'I.S.O.2': 'iso2', naem: 'name', x: null })
    expect(await service.import(file, { append: true, mapping })).toMatchObject({ created: 1, ignoredColumns: ['x'] })
    expect(await db.rows('countries', 'iso2', 'name')).toEqual([['DE', 'Germany']])
    const again = await service.preview(file, { mapping })
    expect(again.sheets[0]?.headers.map(({ reason }) => reason)).toEqual(['mapping', 'mapping', 'mapping'])
  })

  test('goes by the mapping first, and suggests what is left', async () => {
    const { sheets } = await preview(one, csv(['name', 'namee', 'Code'], ['a', 'b', 'DE']), {
      Code: 'iso2',
      name: null,
    })
    expect(sheets[0]?.headers).toEqual([
      { header: 'name', field: null, reason: 'mapping' },
      { header: 'namee', field: 'name', reason: 'near' },
      { header: 'Code', field: 'iso2', reason: 'mapping' },
    ])
    await expect(preview(one, csv(['name'], ['a']), { nam: 'name' })).rejects.toMatchObject({
      errors: { mapping: ['The file has no column "nam". Did you mean "name"?'] },
    })
  })

  test('suggests nothing where two are equally near, or where digits differ', async () => {
    const { sheets } = await preview(one, csv(['namee', 'nname', 'iso3'], ['a', 'b', 'c']))
    expect(sheets[0]?.headers.map(({ field }) => field)).toEqual([null, null, null])
  })

  test('tells of two columns with one header, which no mapping by headers can tell apart', async () => {
    const { sheets } = await preview(one, csv(['iso2', 'name', 'Name'], ['DE', 'a', 'b']))
    expect(sheets[0]).toMatchObject({
      headers: [
        { header: 'iso2', field: 'iso2' },
        { header: 'name', field: null },
        { header: 'Name', field: null },
      ],
      missing: [{ field: 'name', required: true }],
      problems: ['The file has 2 columns "name". Keep one of them.'],
    })
  })

  test('shows 20 rows, and cuts what is long', async () => {
    const rows = Array.from({ length: 30 }, (_, at) => [String(at), 'x'.repeat(5_000)])
    const { sheets } = await preview(one, csv(['iso2', 'name'], ...rows))
    expect(sheets[0]?.rows.map(({ row }) => row)).toEqual(Array.from({ length: 20 }, (_, at) => at + 2))
    expect(sheets[0]?.rows[0]?.cells).toEqual(['0', `${'x'.repeat(200)}...`])
  })

  test('shows each sheet of a workbook that has one for each model', async () => {
    const file = await workbook({
      Countries: [
        ['iso2', 'name'],
        ['DE', 'Germany'],
      ],
      regions: [['iso2', 'Land']],
      cities: [],
      Notes: [['what']],
    })
    expect(await preview(all, file)).toMatchObject({
      format: 'xlsx',
      encoding: null,
      delimiter: null,
      ignoredSheets: ['Notes'],
      sheets: [
        {
          name: 'Countries',
          model: 'countries',
          missing: [],
          rows: [{ row: 2, values: { iso2: 'DE', name: 'Germany' } }],
        },
        {
          name: 'regions',
          model: 'regions',
          headers: [
            { header: 'iso2', field: 'iso2', reason: 'exact' },
            { header: 'Land', field: null, reason: null },
          ],
          missing: [{ field: 'name', required: true }],
          rows: [],
        },
        { name: 'cities', model: 'cities', headers: [] },
      ],
    })
  })

  test("of a workbook whose sheets are nobody's, shows those that a mapping may name", async () => {
    const file = await workbook({
      Data: [
        ['code', 'name'],
        ['DE', 'Germany'],
      ],
      Notes: [['what'], ['is this']],
    })
    const shown = await preview(one, file)
    expect(shown.problems).toEqual([
      'The workbook has no sheet "countries".',
      'Its sheets are: "Data", "Notes".',
      'Call the sheet with the rows "countries", or keep one sheet.',
    ])
    const [data, notes] = shown.sheets as [PreviewSheet, PreviewSheet]
    expect([data.name, notes.name, notes.missing.length]).toEqual(['Data', 'Notes', 2])
    const service = new ImportService(one, { database: db.database })
    const mapping = { Data: { ...suggested(data), code: 'iso2' } }
    expect(await service.preview(file, { mapping })).toMatchObject({ sheets: [{ name: 'Data' }], problems: [] })
    expect(await service.import(file, { append: true, mapping })).toMatchObject({ created: 1 })
  })

  test('tells the encoding and the delimiter of CSV', async () => {
    const latin = Buffer.from('iso2;name\nDE;Österreich\n', 'latin1')
    expect(await preview(one, latin)).toMatchObject({
      encoding: 'windows-1252',
      delimiter: ';',
      sheets: [{ rows: [{ values: { iso2: 'DE', name: 'Österreich' } }] }],
    })
    expect(await preview(one, Buffer.from('\uFEFFiso2\tname\nDE\tx\n', 'utf16le'))).toMatchObject({
      encoding: 'utf-16le',
      delimiter: '\t',
    })
  })

  test('sees texts of a workbook wherever they stand among those that its sheets share', async () => {
    const rows = Array.from({ length: 3_000 }, (_, at) => [`c${at}`, `A name ${2_999 - at}`])
    const { sheets } = await preview(one, await workbook({ any: [['iso2', 'name'], [' ', ' '], ...rows] }))
    expect(sheets[0]?.rows.at(-1)).toMatchObject({ row: 22, cells: ['c19', 'A name 2980'] })
    expect(sheets[0]?.rows).toHaveLength(20)
  })

  test('refuses a file that is damaged or of another format', async () => {
    await expect(preview(one, Buffer.from('%PDF-1.4'))).rejects.toMatchObject({ status: 400 })
    const broken = (await workbook({ a: [['iso2']] })).subarray(0, 300)
    await expect(preview(one, broken)).rejects.toMatchObject({ status: 400 })
  })
})

describeOneDialect('POST /import-preview/', dialect => {
  const tables = geography(dialect.kit)
  const { countries } = atlasModels(tables)
  let mayImport = true
  class CountryViewSet extends ImportableViewSet({
    model: tables.countries,
    serializer: BaseModelSerializer(tables.countries, { fields: ['id', 'iso2', 'name'] }),
    permissionClasses: [AllowAny],
    importPermissionClasses: [{ hasPermission: () => mayImport }],
    importFileConfig: { fileFormat: 'csv', order: ['countries'], models: { countries } },
    importTransforms: { iso2: value => String(value ?? '').toUpperCase() },
  }) {
    override async importPreview() {
      const preview = await super.importPreview()
      return { ...preview, problems: [...preview.problems, 'Mind the gap.'] }
    }
  }
  const api = useApi(dialect, { tables, resources: { countries: CountryViewSet } })
  const send = (query: string, { payload, headers }: Form) =>
    api.request('POST', `/countries/import-preview/${query}`, { payload, headers })
  const file = { name: 'file', filename: 'x.csv', content: 'Iso2,nmae\nde,Germany\n' }
  const data = {
    format: 'csv',
    encoding: 'utf-8',
    delimiter: ',',
    sheets: [
      {
        name: '',
        model: 'countries',
        headers: [
          { header: 'Iso2', field: 'iso2', reason: 'case' },
          { header: 'nmae', field: 'name', reason: 'near' },
        ],
        missing: [],
        rows: [{ row: 2, cells: ['de', 'Germany'], values: { iso2: 'DE', name: 'Germany' }, problems: [] }],
        problems: [],
      },
    ],
    ignored_sheets: [],
    problems: ['Mind the gap.'],
  }

  test('answers what an import would make of the file, and stores nothing', async () => {
    expectSuccess(await send('', form(file)), 200, { data })
    expect(await api.rows('countries')).toEqual([])
  })

  test('takes a mapping in the form or in the address', async () => {
    const mapping = JSON.stringify({ nmae: null })
    const headers = [
      { header: 'Iso2', field: 'iso2', reason: 'case' },
      { header: 'nmae', field: null, reason: 'mapping' },
    ]
    const answers = [
      await send('', form(file, { name: 'mapping', value: mapping })),
      await send(`?mapping=${encodeURIComponent(mapping)}`, form(file)),
    ]
    for (const response of answers) {
      expect(response.status).toBe(200)
      expect(JSON.parse(response.text).data.sheets[0].headers).toEqual(headers)
    }
  })

  test('refuses a mapping that is none or does not fit, and a body without a file', async () => {
    const mapping = (value: string) => send('', form(file, { name: 'mapping', value }))
    expect((await mapping('[]')).status).toBe(400)
    expectError(await mapping('{"Iso":"iso2"}'), 400, 'The file has no column "Iso". Did you mean "Iso2"?', {
      mapping: ['The file has no column "Iso". Did you mean "Iso2"?'],
    })
    expectInvalid(await send('', form({ name: 'mapping', value: '{}' })), {
      file: ['No file was submitted. Send it as the part "file".'],
    })
  })

  test('asks who may import', async () => {
    mayImport = false
    expect((await send('', form(file))).status).toBe(401)
    mayImport = true
  })
})
