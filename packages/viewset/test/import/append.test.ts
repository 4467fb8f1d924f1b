import type { ImportFileConfig } from 'viewset'
import { expect, test } from 'vitest'
import { describeDialects } from '../support/dialects.ts'
import { atlasModels, geography } from '../support/import-models.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'

describeDialects('an import that appends', dialect => {
  const tables = geography(dialect.kit)
  const db = useDatabase(dialect, tables)
  const { countries } = atlasModels(tables)
  const config: ImportFileConfig = { fileFormat: 'csv', order: ['countries'], models: { countries } }

  test('creates what is new and updates what has the same unique fields', async () => {
    await importOnce(config, csv(['iso2', 'name'], ['DE', 'Germny']), { database: db.database })
    const result = await importOnce(config, csv(['iso2', 'name'], ['FR', 'France'], ['DE', 'Germany']), {
      database: db.database,
    })
    expect(result).toEqual({
      success: true,
      processed: 2,
      failed: 0,
      errors: [],
      created: 1,
      updated: 1,
      ignoredColumns: [],
    })
    expect(await db.rows('countries', 'iso2', 'name')).toEqual([
      ['DE', 'Germany'],
      ['FR', 'France'],
    ])
  })

  test('reports a bad row and stores all others', async () => {
    const result = await importOnce(config, csv(['iso2', 'name'], ['FR', 'France'], ['DEU', ''], ['IT', 'Italy']), {
      database: db.database,
    })
    expect(result).toEqual({
      success: false,
      processed: 3,
      failed: 1,
      errors: [
        {
          row: 3,
          field: 'iso2',
          column: 'iso2',
          message: 'Ensure this field has no more than 2 characters.',
          model: 'countries',
        },
        {
          row: 3,
          field: 'name',
          column: 'name',
          message: 'This cell is empty, and a value is required.',
          model: 'countries',
        },
      ],
      created: 2,
      updated: 0,
      ignoredColumns: [],
      errorGroups: [
        { code: 'max_length', rows: '3', count: 1, examples: ['DEU'] },
        { code: 'required', rows: '3', count: 1, examples: [] },
      ].map(group => expect.objectContaining(group)),
    })
    expect(await db.rows('countries', 'iso2')).toEqual([['FR'], ['IT']])
  })

  test('a later row with the same key updates the earlier', async () => {
    const result = await importOnce(
      config,
      csv(['iso2', 'name'], ['FR', 'a'], ['DE', 'b'], ['FR', 'c'], ['FR', 'c'], ['FR', 'd'], ['FR', 'a']),
      { database: db.database },
    )
    expect(result).toMatchObject({ processed: 6, created: 2, updated: 4, failed: 0 })
    expect(await db.rows('countries', 'iso2', 'name')).toEqual([
      ['DE', 'b'],
      ['FR', 'a'],
    ])
  })

  test('a flat file feeds every model; a row writes all of its models or none', async () => {
    const models = atlasModels(tables)
    const result = await importOnce(
      { fileFormat: 'csv', order: ['countries', 'regions', 'cities'], models },
      csv(
        [
          'iso2',
          'Countries.name',
          'regions.name',
          'cities.name',
          'plate',
          'population',
          'area',
          'kind',
          'note',
          'district',
          'mayor',
        ],
        ['DE', 'Germany', 'Bavaria', 'Munich', 'M', 1_500_000, '310.70', 'town', 'x'],
        ['DE', 'Germany', 'Hesse', 'Frankfurt', 'F', '', '', '', ''],
        ['AT', 'Austria', 'Tyrol', 'Innsbruck', 'M', 1, 1, 'town', ''],
        ['CH', 'Switzerland', 'Uri', 'Altdorf', 'UR', '1,5', '1e', 'hamlet', ''],
        ['AT', 'Austria', 'Styria', 'Graz', 'G', 1, 1, 'town', ''],
      ),
      { database: db.database },
    )
    expect(result).toEqual({
      success: false,
      processed: 5,
      failed: 2,
      errors: [
        { row: 4, field: 'plate', column: 'plate', message: 'Another record already has this value.', model: 'cities' },
        {
          row: 5,
          field: 'population',
          column: 'population',
          message: '"1,5" has a comma. Write the whole number without separators, like 5000.',
          model: 'cities',
        },
        {
          row: 5,
          field: 'area',
          column: 'area',
          message: '"1e" is not a number. Write it like 90.5.',
          model: 'cities',
        },
        {
          row: 5,
          field: 'kind',
          column: 'kind',
          message: '"hamlet" is not a valid choice. Choose one of: town, village.',
          model: 'cities',
        },
      ],
      created: 3,
      updated: 0,
      ignoredColumns: ['note'],
      errorGroups: expect.any(Array),
    })
    expect(await db.rows('countries', 'iso2')).toEqual([['AT'], ['DE']])
    expect(await db.rows('regions', 'name')).toEqual([['Bavaria'], ['Hesse'], ['Styria']])
    expect(await db.rows('cities', 'name', 'kind', 'area')).toEqual([
      ['Frankfurt', 'town', null],
      ['Graz', 'town', dialect.name === 'pg' ? '1.00' : '1'],
      ['Munich', 'town', dialect.name === 'pg' ? '310.70' : '310.7'],
    ])
  })
})
