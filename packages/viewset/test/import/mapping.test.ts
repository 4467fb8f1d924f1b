import type { ImportFileConfig, ImportMapping } from 'viewset'
import { expect, test } from 'vitest'
import { describeOneDialect } from '../support/dialects.ts'
import { atlasModels, geography } from '../support/import-models.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'
import { workbook } from '../support/workbook.ts'

describeOneDialect('the mapping of an import', dialect => {
  const tables = geography(dialect.kit)
  const db = useDatabase(dialect, tables)
  const models = atlasModels(tables)
  const all: ImportFileConfig = { fileFormat: ['csv', 'xlsx'], order: ['countries', 'regions', 'cities'], models }
  const one: ImportFileConfig = {
    fileFormat: ['csv', 'xlsx'],
    order: ['countries'],
    models: { countries: models.countries },
    headers: { Code: 'iso2' },
  }
  const countries = csv(['Code', 'Land', 'Name'], ['DE', 'Deutschland', 'Germany'])
  const importMapped = (file: Buffer, mapping: ImportMapping, config = one) =>
    importOnce(config, file, { database: db.database, mapping })

  test('goes over the names of fields and over the headers of the configuration; null leaves a column out', async () => {
    const result = await importMapped(countries, { Code: null, land: 'name', Name: null, ' CODE ': null })
      .then(() => undefined)
      .catch(error => error.errors)
    expect(result).toEqual({ mapping: ['" CODE " is given twice.'] })
    expect(await importMapped(countries, { land: 'name' })).toMatchObject({ created: 1, ignoredColumns: ['Name'] })
    expect(await db.rows('countries', 'iso2', 'name')).toEqual([['DE', 'Deutschland']])
    const file = csv(['Code', 'Short', 'Name'], ['XX', 'DE', 'Germany'])
    const mapped = await importMapped(file, { Short: 'iso2', Code: null })
    expect(mapped).toMatchObject({ updated: 1, ignoredColumns: ['Code'] })
    expect(await db.rows('countries', 'iso2', 'name')).toEqual([['DE', 'Germany']])
  })

  test('a column that it gives to another field feeds that one only', async () => {
    const file = csv(['name', 'x'], ['DE', 'Germany'])
    expect(await importMapped(file, { name: 'iso2', x: 'name' })).toMatchObject({ created: 1 })
    expect(await db.rows('countries', 'iso2', 'name')).toEqual([['DE', 'Germany']])
  })

  test('a column may feed several fields and models; models are named where two have the field', async () => {
    const header = ['ISO', 'Country', 'Area', 'City', 'plate']
    const file = csv(header, ['DE', 'Germany', 'Hesse', 'Kassel', 'KS'])
    const result = await importMapped(
      file,
      { ISO: 'iso2', Country: 'countries.name', Area: ['regions.name', 'district'], City: 'cities.name' },
      all,
    )
    expect(result).toMatchObject({ created: 1, failed: 0 })
    expect(await db.rows('cities', 'name', 'district', 'plate')).toEqual([['Kassel', 'Hesse', 'KS']])
  })

  test('fields that are not required may be left out: new records have their defaults, stored ones keep theirs', async () => {
    await importOnce(
      { ...all, order: ['countries'], models: { countries: models.countries } },
      csv(['iso2', 'name'], ['DE', 'Germany']),
      { database: db.database },
    )
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['cities'],
      models: {
        cities: {
          ...models.cities,
          fields: ['name', 'district', 'plate', 'population', 'kind'],
          uniqueFields: ['plate'],
        },
      },
    }
    const whole = csv(
      ['name', 'district', 'plate', 'population', 'kind', 'iso2', 'mayor'],
      ['Kassel', 'North', 'KS', 1, 'village', 'DE', null],
    )
    await importOnce(config, whole, { database: db.database })
    const file = csv(['Town', 'plate', 'iso2'], ['Cassel', 'KS', 'DE'], ['Fulda', 'FD', 'DE'])
    await expect(importOnce(config, file, { database: db.database })).rejects.toMatchObject({ status: 400 })
    expect(await importMapped(file, { Town: 'name' }, config)).toMatchObject({ created: 1, updated: 1, failed: 0 })
    expect(await db.rows('cities', 'name', 'district', 'plate', 'population', 'kind')).toEqual([
      ['Cassel', 'North', 'KS', '1', 'village'],
      ['Fulda', null, 'FD', null, 'town'],
    ])
    await expect(importMapped(csv(['Town', 'iso2'], ['x', 'DE']), { Town: 'name' }, config)).rejects.toMatchObject({
      errors: {
        file: ['The column "plate" is missing.', 'The header (the first row) has the columns "Town", "iso2".'],
      },
    })
  })

  test('columns without a header of their own are named by their place', async () => {
    const file = csv(['', 'x', 'x'], ['DE', 'Germany', 'Deutschland'])
    const mapping = { '(column 1)': 'iso2', '(column 3)': 'name' }
    expect(await importMapped(file, mapping)).toMatchObject({ created: 1, ignoredColumns: ['x'] })
    expect(await db.rows('countries', 'iso2', 'name')).toEqual([['DE', 'Deutschland']])
  })

  test('of a workbook with a sheet for each model, columns are named by their sheet', async () => {
    const file = await workbook({
      countries: [
        ['iso2', 'title'],
        ['DE', 'Germany'],
      ],
      regions: [
        ['iso2', 'title'],
        ['DE', 'Hesse'],
      ],
    })
    const config = {
      ...all,
      order: ['countries', 'regions'],
      models: { countries: models.countries, regions: models.regions },
    }
    const mapping = { Countries: { title: 'name' }, regions: { Title: 'name' } }
    expect(await importMapped(file, mapping, config)).toMatchObject({ created: 2, failed: 0 })
    expect(await db.rows('regions', 'name')).toEqual([['Hesse']])
    await expect(importMapped(file, { title: 'name' }, config)).rejects.toMatchObject({
      status: 400,
      errors: { mapping: ['Several sheets are imported: name the columns by their sheet, {"countries": {...}}.'] },
    })
    await expect(importMapped(file, { cities: { title: 'name' } }, config)).rejects.toMatchObject({
      errors: { mapping: ['The file has no sheet "cities". Known: "countries", "regions".'] },
    })
  })

  test("of a workbook with several sheets that are nobody's, the one is meant that it names", async () => {
    const file = await workbook({
      Data: [
        ['iso2', 'title'],
        ['DE', 'Germany'],
      ],
      Notes: [['what'], ['is this']],
    })
    const result = await importMapped(file, { data: { title: 'name' } })
    expect(result).toMatchObject({ created: 1, ignoredSheets: ['Notes'] })
    expect(await importMapped(file, { DATA: { title: 'name', iso2: 'iso2' } })).toMatchObject({ updated: 1 })
  })

  test.each<[string, ImportMapping, readonly string[]]>([
    ['an unknown header', { Kode: 'iso2' }, ['The file has no column "Kode". Did you mean "Code"?']],
    ['an unknown field', { Land: 'nmae' }, ['"Land": "nmae" is not imported. Did you mean "name"?']],
    [
      'a name in code',
      { Land: 'countries.Name' },
      ['"Land": "countries.Name" is not imported. Did you mean "countries.name"?'],
    ],
    [
      'two columns for one field',
      { Land: 'name', Name: 'name' },
      ['"Land" and "Name" cannot both be imported as "name".'],
    ],
    ['a field twice', { Land: ['name', 'name'] }, ['"Land" and "Land" cannot both be imported as "name".']],
  ])('refuses %s', async (_, mapping, messages) => {
    await expect(importMapped(countries, mapping)).rejects.toMatchObject({
      status: 400,
      message: messages[0],
      errors: { mapping: messages },
    })
    expect(await db.rows('countries', 'iso2')).toEqual([])
  })

  test('says which field is meant where two models have the name', async () => {
    const file = csv(['iso2', 'x'], ['DE', 'Germany'])
    await expect(importMapped(file, { x: 'name' }, all)).rejects.toMatchObject({
      errors: { mapping: ['"x": which one? Write "countries.name", "regions.name" or "cities.name".'] },
    })
  })

  test('of CSV, which has no sheets, says how its columns are named', async () => {
    await expect(importMapped(countries, { countries: { Land: 'name' } })).rejects.toMatchObject({
      errors: {
        mapping: [
          'The file has no sheet "countries", since it is CSV; name its columns without one, {"Airport code": "iata"}.',
        ],
      },
    })
  })

  test('tells of two columns with one header', async () => {
    await expect(importMapped(csv(['x', 'X'], ['DE', 'Germany']), { x: 'name' })).rejects.toMatchObject({
      errors: { mapping: ['The file has 2 columns "x"; write "(column 1)" for the first.'] },
    })
  })

  test('what it says is bounded, however much is wrong', async () => {
    const mapping = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${'h'.repeat(5_000)}${at}`, 'name']))
    const error = await importMapped(countries, mapping).catch(thrown => thrown)
    expect(error.errors.mapping).toHaveLength(1)
    expect(error.errors.mapping[0].length).toBeLessThan(500)
  })
})
