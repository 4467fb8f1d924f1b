import { type ImportFileConfig, importModel } from 'viewset'
import { expect, test } from 'vitest'
import { describeOneDialect } from '../support/dialects.ts'
import { atlasModels, geography } from '../support/import-models.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'
import { workbook } from '../support/workbook.ts'

describeOneDialect('the layout of an imported file', dialect => {
  const tables = geography(dialect.kit)
  const db = useDatabase(dialect, tables)
  const models = atlasModels(tables)
  const config: ImportFileConfig = { fileFormat: ['csv', 'xlsx'], order: ['countries', 'regions', 'cities'], models }
  const one: ImportFileConfig = { ...config, order: ['countries'], models: { countries: models.countries } }
  const CITY = ['district', 'name', 'plate', 'population', 'area', 'kind', 'iso2', 'mayor']
  const sheets = {
    Cities: [
      CITY,
      [null, 'Kassel', 'KS', 200_000, 106.8, null, 'DE', null],
      [null, 'Nowhere', null, 1, 1, null, 'XX', null],
    ],
    Countries: [
      ['iso2', 'name'],
      ['DE', 'Germany'],
    ],
    Notes: [['what'], ['is this']],
    regions: [
      ['name', 'iso2'],
      ['Hesse', 'DE'],
      ['Hesse', 'DE'],
    ],
  }

  test('a workbook has a sheet for each model, in any order; parents of the same file are found', async () => {
    expect(await importOnce(config, await workbook(sheets), { database: db.database })).toEqual({
      success: false,
      processed: 5,
      failed: 1,
      errors: [
        { row: 3, field: 'iso2', column: 'iso2', message: 'There is no country with the iso2 "XX".', model: 'cities' },
      ],
      created: 3,
      updated: 1,
      ignoredColumns: [],
      ignoredSheets: ['Notes'],
      errorGroups: [expect.objectContaining({ code: 'does_not_exist', rows: '3', examples: ['XX'] })],
    })
    expect(await db.rows('cities', 'name', 'plate', 'population')).toEqual([['Kassel', 'KS', '200000']])
  })

  test('a chunk may end in the middle of a sheet or reach into the next', async () => {
    for (const chunkSize of [1, 2, 3]) {
      await db.clear()
      const result = await importOnce({ ...config, chunkSize }, await workbook(sheets), { database: db.database })
      expect(result).toMatchObject({ processed: 5, created: 3, updated: 1, failed: 1 })
    }
  })

  test('a replace of a workbook deletes the records of its model only', async () => {
    await importOnce(config, await workbook(sheets), { database: db.database })
    const again = { ...sheets, Cities: [CITY, [null, 'Fulda', 'FD', 1, 1, 'town', 'DE', null]] }
    const result = await importOnce(config, await workbook(again), { database: db.database, append: false })
    expect(result).toMatchObject({ success: true, processed: 4, created: 1, updated: 3, deleted: 1 })
    expect(await db.rows('cities', 'name')).toEqual([['Fulda']])
  })

  test('a replace whose sheet of the model is empty deletes nothing', async () => {
    await importOnce(config, await workbook(sheets), { database: db.database })
    const empty = importOnce(config, await workbook({ ...sheets, Cities: [CITY] }), {
      database: db.database,
      append: false,
    })
    await expect(empty).rejects.toMatchObject({ status: 400 })
    expect(await db.rows('cities', 'name')).toEqual([['Kassel']])
  })

  test('a single sheet of any name is flat', async () => {
    const file = await workbook({
      Sheet1: [
        ['Name', 'ISO2'],
        ['Germany', 'DE'],
      ],
    })
    expect(await importOnce(one, file, { database: db.database })).toMatchObject({ created: 1, failed: 0 })
  })

  test('sheets without anything do not count: older programs begin a workbook with three', async () => {
    const file = await workbook({
      Sheet1: [],
      Sheet2: [
        ['Name', 'ISO2'],
        ['Germany', 'DE'],
      ],
      Sheet3: [],
    })
    expect(await importOnce(one, file, { database: db.database })).toMatchObject({ created: 1, failed: 0 })
    expect(await db.rows('countries', 'iso2')).toEqual([['DE']])
  })

  test('missing sheets are named', async () => {
    const { Cities, ...others } = sheets
    expect(Cities).toHaveLength(3)
    const missing = importOnce(config, await workbook(others), { database: db.database })
    await expect(missing).rejects.toMatchObject({
      status: 400,
      message: 'The workbook has no sheet "cities". Its sheets are: "Countries", "Notes", "regions".',
      errors: { file: ['The workbook has no sheet "cities".', 'Its sheets are: "Countries", "Notes", "regions".'] },
    })
  })

  test('a file of another format is refused', async () => {
    const wrong = importOnce({ ...one, fileFormat: 'xlsx' }, csv(['iso2', 'name']), { database: db.database })
    await expect(wrong).rejects.toMatchObject({ status: 400 })
  })

  test('headers match in any case, with outer blanks, and with blanks for underscores', async () => {
    const result = await importOnce(one, csv([' NAME ', 'Iso2', 'Big note'], ['Germany', 'DE', 'x']), {
      database: db.database,
    })
    expect(result).toMatchObject({ created: 1, ignoredColumns: ['Big note'] })
  })

  test('labels of an export are headers as well, and so are its paths', async () => {
    const regions = { ...config, order: ['regions'], models: { regions: models.regions } }
    await importOnce(one, csv(['iso2', 'name'], ['DE', 'Germany']), { database: db.database })
    const settings = { database: db.database, headers: { name: 'Region', country__iso2: 'Land' } }
    expect(await importOnce(regions, csv(['Region', 'Land'], ['Hesse', 'DE']), settings)).toMatchObject({ created: 1 })
    expect(await importOnce(regions, csv(['name', 'country__iso2'], ['Hesse', 'DE']), settings)).toMatchObject({
      updated: 1,
    })
  })

  test('all columns that are missing are named', async () => {
    const missing = importOnce(config, csv(['regions.name', 'iso2']), { database: db.database })
    await expect(missing).rejects.toMatchObject({
      status: 400,
      errors: {
        file: [
          ...['countries.name', 'district', 'cities.name', 'plate', 'population', 'area', 'kind', 'mayor'].map(
            name => `The column "${name}" is missing.`,
          ),
          'The header (the first row) has the columns "regions.name", "iso2".',
        ],
      },
    })
  })

  test('strange headers are plain names, and one that stands twice is refused', async () => {
    const file = csv(['__proto__', 'constructor', '', 'iso2', 'name'], ['a', 'b', 'c', 'DE', 'Germany'])
    expect(await importOnce(one, file, { database: db.database })).toMatchObject({
      created: 1,
      ignoredColumns: ['__proto__', 'constructor', '(column 3)'],
    })
    const twice = importOnce(one, csv(['iso2', 'name', 'Name'], ['DE', 'a', 'b']), { database: db.database })
    await expect(twice).rejects.toMatchObject({
      status: 400,
      message: 'The file has 2 columns "name". Keep one of them.',
    })
    expect(({} as { a?: unknown }).a).toBeUndefined()
  })

  test('a parent may stand in an earlier row of its own model', async () => {
    const places = importModel({
      model: tables.places,
      fields: ['name'],
      uniqueFields: ['name'],
      foreignKeys: { parent: { model: tables.places, lookupField: 'name', sourceField: 'within' } },
    })
    const tree: ImportFileConfig = { fileFormat: 'csv', order: ['places'], models: { places } }
    const result = await importOnce(
      tree,
      csv(
        ['name', 'within'],
        ['World', ''],
        ['Europe', 'World'],
        ['Spain', 'Europe'],
        ['Moon', 'Sky'],
        ['Sky', 'World'],
        ['Asia', 'World'],
      ),
      { database: db.database },
    )
    expect(result).toMatchObject({
      created: 5,
      errors: [
        {
          row: 5,
          field: 'within',
          column: 'within',
          message: 'There is no place with the name "Sky".',
          model: 'places',
        },
      ],
    })
    expect(await db.rows('places', 'name')).toHaveLength(5)
  })

  test('more errors than a report lists are counted', async () => {
    const rows = Array.from({ length: 700 }, () => ['DEU', ''])
    const result = await importOnce(one, csv(['iso2', 'name'], ...rows, ['DE', 'Germany']), { database: db.database })
    expect(result).toMatchObject({ processed: 701, failed: 700, created: 1, errorsTruncated: true })
    expect(result.errors).toHaveLength(1_000)
  })

  test('errors name a column as the file does, beside its name in the configuration', async () => {
    const regions = { ...config, order: ['regions'], models: { regions: models.regions } }
    await importOnce(one, csv(['iso2', 'name'], ['DE', 'Germany']), { database: db.database })
    const settings = { database: db.database, headers: { name: 'Name der Region', country__iso2: 'Land' } }
    const file = csv([' NAME DER REGION ', 'Land'], ['', 'DE'], ['Hesse', 'XX'])
    expect((await importOnce(regions, file, settings)).errors).toEqual([
      {
        row: 2,
        field: 'name',
        column: 'NAME DER REGION',
        message: 'This cell is empty, and a value is required.',
        model: 'regions',
      },
      { row: 3, field: 'iso2', column: 'Land', message: 'There is no country with the iso2 "XX".', model: 'regions' },
    ])
    await expect(importOnce(regions, csv(['Region', 'Land']), settings)).rejects.toMatchObject({
      message:
        'The column "Name der Region" is missing; it may also be called "name". The header (the first row) has the columns "Region", "Land".',
    })
    await expect(importOnce(regions, csv(['LAND', 'name', 'Land']), settings)).rejects.toMatchObject({
      message: 'The file has 2 columns "LAND". Keep one of them.',
    })
    await expect(importOnce(regions, csv(['x'.repeat(500), 'Land', 'Land']), settings)).rejects.toMatchObject({
      status: 400,
    })
  })

  test('what several columns have together is said of the headers of the file', async () => {
    await db.run("insert into people (id, name) values ('00000000-0000-7000-8000-000000000001', 'Ann')")
    const cities: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['countries', 'cities'],
      models: { countries: models.countries, cities: models.cities },
    }
    const header = ['ISO2', 'Countries.name', 'District', 'Cities.Name', 'plate', 'population', 'area', 'kind', 'mayor']
    const row = (plate: string) => ['DE', 'Germany', 'Old', 'A', plate, '', '', '', '']
    await importOnce(cities, csv(header, row('A')), { database: db.database })
    await db.run(`insert into cities (id, country_id, district, name, created_at, updated_at)
      select '00000000-0000-7000-8000-000000000002', country_id, district, name, created_at, updated_at from cities`)
    expect((await importOnce(cities, csv(header, row('B')), { database: db.database })).errors).toEqual([
      {
        row: 2,
        field: 'non_field_errors',
        message: 'Several records have the same ISO2, District, Cities.Name. Correct them, so that only one has it.',
        model: 'cities',
      },
    ])
  })
})
