import fc from 'fast-check'
import { readXlsx } from 'hucre/xlsx'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  currentDb,
  IdToDataField,
  type ImportFileConfig,
  ImportService,
  importForeignKey,
  importModel,
  type PreviewSheet,
} from 'viewset'
import { kit as liteKit } from 'viewset/sqlite'
import { beforeEach, describe, expect, test } from 'vitest'
import { importTemplate, type TemplateFormat } from '../../src/importing/template/template.ts'
import { useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { editedWorkbook } from '../support/edited-workbook.ts'
import { atlasModels, geography } from '../support/import-models.ts'
import { csv } from '../support/imports.ts'
import { importForm } from '../support/multipart.ts'

async function templateOf(service: ImportService, format: TemplateFormat): Promise<Buffer> {
  const examples = await service.examples(new Map())
  return Buffer.concat(await importTemplate(service.plan, { examples }, format).file.toArray())
}

async function headersOf(service: ImportService): Promise<readonly string[]> {
  const [header = ''] = String(await templateOf(service, 'csv'))
    .replace('\uFEFF', '')
    .split('\r\n')
  return header.split(',')
}

describeOneDialect('files of an import speak in the labels of exports', dialect => {
  const { kit } = dialect
  const countries = kit.table('countries', { id: kit.integer().primaryKey(), code: kit.text(2).notNull().unique() })
  const cities = kit.table(
    'cities',
    {
      id: kit.integer().primaryKey(),
      name: kit.text(40).notNull(),
      inhabitants: kit.integer(),
      country: kit.foreignKey(countries).notNull(),
    },
    t => [kit.unique(t.country, t.name)],
  )
  const country = IdToDataField({
    queryset: countries,
    serializer: BaseModelSerializer(countries, { name: 'CountryOfCity', fields: ['id', 'code'] }),
  })
  const api = useApi(dialect, {
    openapi: true,
    tables: { countries, cities },
    resources: {
      cities: BulkImportableViewSet({
        model: cities,
        serializer: BaseModelSerializer(cities, { fields: ['id', 'name', 'inhabitants'], extra: { country } }),
        permissionClasses: [AllowAny],
        ordering: 'name',
        exportFieldConfig: { name: 'City', inhabitants: 'People', country__code: 'Country code' },
        importFileConfig: {
          fileFormat: ['xlsx', 'csv'],
          order: ['cities'],
          models: {
            cities: importModel({
              model: cities,
              fields: ['name', 'inhabitants'],
              uniqueFields: ['country', 'name'],
              foreignKeys: {
                country: importForeignKey({ model: countries, lookupField: 'code', sourceField: 'country_code' }),
              },
            }),
          },
        },
        importExamples: { cities: { name: 'Oslo', country_code: 'NO' } },
      }),
    },
  })
  beforeEach(() => api.database.transaction(() => currentDb().insert(countries).values({ id: 1, code: 'NO' })))

  const HEADERS = ['City', 'People', 'Country code']
  const bytesOf = async (path: string) => (await api.get(path)).bytes
  const send = (file: Uint8Array, query = '', filename = 'cities.xlsx') =>
    api.request('POST', `/cities/import-from-file/${query}`, importForm(Buffer.from(file), { filename }))
  const firstRow = async (file: Uint8Array) => (await readXlsx(file)).sheets[0]?.rows[0]

  test('in the template, its guide, an export and a file for editing', async () => {
    const { sheets } = await readXlsx(await bytesOf('/cities/import-template/'))
    expect(sheets[0]?.rows[0]).toEqual(HEADERS)
    expect(sheets[1]?.rows.slice(1).map(([, column]) => column)).toEqual(HEADERS)
    expect(String(await bytesOf('/cities/import-template/?file_type=csv')).split('\r\n')[0]).toBe(HEADERS.join(','))
    const exported = await api.post('/cities/export/', { file_type: 'xlsx' })
    expect(await firstRow(exported.bytes)).toEqual(HEADERS)
    const edited = await api.post('/cities/export/', { file_type: 'xlsx', for_editing: true })
    expect((await firstRow(edited.bytes))?.filter(header => HEADERS.includes(String(header)))).toEqual(HEADERS)
  })

  test('in errors, and in the file of failed rows', async () => {
    const wrong = await editedWorkbook(await bytesOf('/cities/import-template/'), ([example]) => [
      { ...example, City: 'Nowhere', 'Country code': 'XX' },
    ])
    expect((await send(wrong)).data()).toMatchObject({
      failed: 1,
      errors: [{ field: 'country_code', column: 'Country code' }],
    })
    const { sheets } = await readXlsx((await send(wrong, '?failed_rows=true')).bytes)
    expect(sheets[0]?.rows).toEqual([
      ['Errors', ...HEADERS],
      ['Country code: There is no country with the code "XX".', 'Nowhere', expect.anything(), 'XX'],
    ])
    const missing = await send(csv(['City'], ['Oslo']), '', 'cities.csv')
    expect(missing.text).toContain('The column \\"People\\" is missing; it may also be called \\"inhabitants\\".')
  })

  test('and in the description of the API', async () => {
    expect((await api.get('/openapi.json')).text).toContain(
      'with the columns of the template: City, People, Country code.',
    )
  })

  test('while an import also reads the names', async () => {
    const file = csv(['name', 'inhabitants', 'country_code'], ['Oslo', 1, 'NO'])
    expect((await send(file, '', 'cities.csv')).data()).toMatchObject({ created: 1, failed: 0 })
    expect((await api.rows('cities')).length).toBe(1)
  })

  test('and notes say what a value is, with an example, and what a key does once', async () => {
    const { sheets } = await readXlsx(await bytesOf('/cities/import-template/'), { readStyles: true })
    const notes = [0, 1, 2].map(column => sheets[0]?.cells?.get(`0,${column}`)?.comment?.text)
    expect(notes).toEqual([
      'Required.\nThe name of a city, such as Oslo. Text of up to 40 characters.\n' +
        'A row updates the record that has the same Country code, City; if there is none, it creates one.',
      'Optional.\nA whole number.',
      'Required.\nThe code of a country, such as NO. It must be stored already.',
    ])
  })
})

describe('a label is the header of a template', () => {
  const models = atlasModels(geography(liteKit))
  const one: ImportFileConfig = { fileFormat: ['csv', 'xlsx'], order: ['cities'], models: { cities: models.cities } }
  const all: ImportFileConfig = { fileFormat: ['csv', 'xlsx'], order: ['countries', 'regions', 'cities'], models }
  const withLabels = (config: ImportFileConfig, headers: Readonly<Record<string, string>>) =>
    new ImportService(config, { headers })
  const mayor = 'mayor__name'

  test('not if another column has it, too', async () => {
    const names = await headersOf(withLabels(one, {}))
    expect(await headersOf(withLabels(one, { plate: 'Sign', district: 'Sign' }))).toEqual(names)
  })

  test('not if it is the name of another column', async () => {
    const names = await headersOf(withLabels(one, {}))
    expect(await headersOf(withLabels(one, { plate: 'Population', district: 'Mayor name' }))).toEqual(names)
    expect(await headersOf(withLabels(all, { plate: 'Countries.name' }))).toEqual(await headersOf(withLabels(all, {})))
  })

  test('not if the configuration has a header', async () => {
    const config: ImportFileConfig = { ...one, headers: { 'Number plate': 'plate' } }
    expect(await headersOf(withLabels(config, { plate: 'Sign', area: 'km²' }))).toEqual(
      expect.arrayContaining(['Number plate', 'km²']),
    )
  })

  test('not in a flat file if rows of another model read the column, too', async () => {
    const service = withLabels(all, { country__iso2: 'Country', mayor__name: 'Mayor' })
    expect(await headersOf(service)).toEqual(expect.arrayContaining(['iso2', 'Mayor']))
    const { sheets } = await readXlsx(await templateOf(service, 'xlsx'))
    expect(sheets.find(({ name }) => name === 'cities')?.rows[0]).toEqual(expect.arrayContaining(['Country', 'Mayor']))
  })

  test('and the example of a template that was made before is skipped, too', async () => {
    const before = await templateOf(withLabels(one, {}), 'xlsx')
    const now = withLabels(one, { name: 'City', country__iso2: 'Country', [mayor]: 'Mayor' })
    for (const template of [before, await templateOf(now, 'xlsx')]) {
      const { sheets, problems } = await now.preview(template)
      expect(problems).toEqual([])
      expect(sheets[0]?.rows).toMatchObject([{ warnings: [{ message: expect.stringContaining('example') }] }])
    }
  })

  const PATHS = ['name', 'country__iso2', 'district', mayor, 'plate', 'population', 'area', 'kind']
  const LABELS = ['Name', 'City', 'name', 'iso2', 'ISO2', 'Country', 'Mayor', 'mayor name', 'Plate', 'Area', 'Title']
  const STRANGE = ['cities.name', 'countries.name', ' country  iso2 ', '', 'Errors']
  const label = fc.constantFrom(...LABELS, ...STRANGE)
  const labels = fc.array(fc.tuple(fc.constantFrom(...PATHS), label)).map(Object.fromEntries<string>)
  const fieldsOf = ({ headers }: PreviewSheet) => headers.map(({ field }) => field)

  test.each([
    ['one model', one],
    ['three models', all],
    ['headers', { ...one, headers: { Title: 'name', Sign: 'plate' } }],
  ] as const)('and feeds the same field as the name, with any labels: %s', async (_, config) => {
    const plain = withLabels(config, {})
    const expected = await Promise.all(
      (['csv', 'xlsx'] as const).map(async format => (await plain.preview(await templateOf(plain, format))).sheets),
    )
    await fc.assert(
      fc.asyncProperty(labels, async given => {
        const service = withLabels(config, given)
        for (const [at, format] of (['csv', 'xlsx'] as const).entries()) {
          const { sheets, problems } = await service.preview(await templateOf(service, format))
          expect(problems).toEqual([])
          expect(sheets.map(fieldsOf)).toEqual(expected[at]?.map(fieldsOf))
        }
      }),
      { numRuns: cases(60) },
    )
  })
})
