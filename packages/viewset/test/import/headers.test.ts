import { type ImportFileConfig, ImportService } from 'viewset'
import { expect, test } from 'vitest'
import { importTemplate } from '../../src/importing/template/template.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { atlasModels, geography } from '../support/import-models.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'
import { workbook } from '../support/workbook.ts'

describeOneDialect('the headers of an import', dialect => {
  const tables = geography(dialect.kit)
  const db = useDatabase(dialect, tables)
  const models = atlasModels(tables)
  const config: ImportFileConfig = {
    fileFormat: ['csv', 'xlsx'],
    order: ['countries', 'regions', 'cities'],
    models,
    headers: {
      'Country code': 'iso2',
      ISO: 'iso2',
      Country: 'countries.name',
      'State or region': ['regions.name', 'cities.district'],
      Town: 'cities.name',
    },
  }
  const one: ImportFileConfig = {
    fileFormat: ['csv', 'xlsx'],
    order: ['countries'],
    models: { countries: models.countries },
    headers: { 'Country code': 'iso2', ISO: 'iso2', Title: 'name' },
  }
  const REST = ['plate', 'population', 'area', 'kind', 'mayor']
  const rest = ['KS', 200_000, null, null, null]

  test('a column is found by any of its headers, in any case and with blanks for underscores', async () => {
    for (const header of ['Country code', ' COUNTRY_CODE ', 'iso', 'iso2']) {
      await db.clear()
      const result = await importOnce(one, csv([header, 'title'], ['DE', 'Germany']), { database: db.database })
      expect(result).toMatchObject({ created: 1, failed: 0, ignoredColumns: [] })
    }
    expect(await db.rows('countries', 'iso2', 'name')).toEqual([['DE', 'Germany']])
  })

  test('of several headers of one field the first counts, and the others are told as ignored', async () => {
    const file = csv(['iso2', 'ISO', 'Country code', 'name'], ['XX', 'YY', 'DE', 'Germany'])
    const result = await importOnce(one, file, { database: db.database })
    expect(result).toMatchObject({ created: 1, ignoredColumns: ['iso2', 'ISO'] })
    expect(await db.rows('countries', 'iso2', 'name')).toEqual([['DE', 'Germany']])
  })

  test('one column feeds fields of several models', async () => {
    const file = csv(
      ['Country code', 'Country', 'State or region', 'Town', ...REST],
      ['DE', 'Germany', 'Hesse', 'Kassel', ...rest],
    )
    expect(await importOnce(config, file, { database: db.database })).toMatchObject({ created: 1, failed: 0 })
    expect(await db.rows('countries', 'iso2', 'name')).toEqual([['DE', 'Germany']])
    expect(await db.rows('regions', 'name')).toEqual([['Hesse']])
    expect(await db.rows('cities', 'name', 'district')).toEqual([['Kassel', 'Hesse']])
  })

  test('headers hold for the sheets of a workbook, too', async () => {
    const file = await workbook({
      countries: [
        ['ISO', 'Country'],
        ['DE', 'Germany'],
      ],
      regions: [
        ['country code', 'State or region'],
        ['DE', 'Hesse'],
      ],
      cities: [
        ['iso2', 'State or region', 'Town', ...REST],
        ['DE', 'Hesse', 'Kassel', ...rest],
      ],
    })
    expect(await importOnce(config, file, { database: db.database })).toMatchObject({ created: 3, failed: 0 })
    expect(await db.rows('cities', 'name', 'district')).toEqual([['Kassel', 'Hesse']])
  })

  test('a header that is the name of another field means what the configuration says', async () => {
    const swapped = { ...one, headers: { name: 'iso2', iso2: 'name' } }
    const result = await importOnce(swapped, csv(['name', 'iso2'], ['DE', 'Germany']), { database: db.database })
    expect(result).toMatchObject({ created: 1, failed: 0 })
    expect(await db.rows('countries', 'iso2', 'name')).toEqual([['DE', 'Germany']])
  })

  test('errors name the field by the API, and the column as the file has it', async () => {
    const result = await importOnce(one, csv(['iso', 'Title'], ['DEU', 'Germany']), { database: db.database })
    expect(result.errors).toEqual([
      {
        row: 2,
        field: 'iso2',
        column: 'iso',
        message: 'Ensure this field has no more than 2 characters.',
        model: 'countries',
      },
    ])
  })

  test('a missing column is told by all that it may be called', async () => {
    const missing = importOnce(one, csv(['Title'], ['Germany']), { database: db.database })
    await expect(missing).rejects.toMatchObject({
      status: 400,
      errors: {
        file: [
          'The column "Country code" is missing; it may also be called "ISO" or "iso2".',
          'The header (the first row) has the column "Title".',
        ],
      },
    })
  })

  test('and by none that differs from another in case or blanks only', async () => {
    const same = { ...one, headers: { 'ISO 2': 'iso2', Name: 'name' } }
    const columns = Array.from({ length: 22 }, (_, at) => `column ${at}`)
    const missing = importOnce(same, csv(columns), { database: db.database, headers: { iso2: 'Iso_2' } })
    await expect(missing).rejects.toMatchObject({
      errors: {
        file: [
          'The column "ISO 2" is missing; it may also be called "iso2".',
          'The column "Name" is missing.',
          expect.stringMatching(
            /^The header \(the first row\) has the columns "column 0", .*, "column 19" and 2 more\.$/,
          ),
          'If the names of the columns stand in another row, send its number as "header_row".',
        ],
      },
    })
  })

  test('the template has the first header of each field, what feeds several fields once, and imports as it is', async () => {
    const service = new ImportService(config, { database: db.database })
    const examples = await service.examples(new Map())
    const { file } = importTemplate(service.plan, { examples }, 'csv')
    const bytes = Buffer.concat(await file.toArray())
    const [header] = bytes.toString().replace('\uFEFF', '').split('\r\n')
    expect(header?.split(',')).toEqual(['Country code', 'Country', 'State or region', 'Town', ...REST])
    const sheets = Buffer.concat(await importTemplate(service.plan, { examples }, 'xlsx').file.toArray())
    for (const [template, processed] of [
      [bytes, 1],
      [sheets, 3],
    ] as const) {
      expect(await service.import(template, { append: true })).toMatchObject({
        processed,
        failed: 0,
        ignoredColumns: [],
      })
    }
  })
})
