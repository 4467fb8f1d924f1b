import { eq, sql } from 'drizzle-orm'
import { Conflict, type ImportFileConfig, importModel, scoped } from 'viewset'
import { expect, test } from 'vitest'
import { describeDialects } from '../support/dialects.ts'
import { atlasModels, geography } from '../support/import-models.ts'
import { csv, importOnce, querysetOf, useDatabase } from '../support/imports.ts'

const EMPTY = 'The file has no rows, so nothing was replaced.'

describeDialects('a replace, a dry run and the bounds of an import', dialect => {
  const tables = geography(dialect.kit)
  const db = useDatabase(dialect, tables)
  const { countries } = atlasModels(tables)
  const config: ImportFileConfig = { fileFormat: 'csv', order: ['countries'], models: { countries } }
  const start = (...rows: (readonly [string, string])[]) =>
    importOnce(config, csv(['iso2', 'name'], ...rows), { database: db.database })

  test('a replace deletes what was there and stores the file', async () => {
    await start(['DE', 'Germany'], ['FR', 'France'])
    const file = csv(['iso2', 'name'], ['IT', 'Italy'], ['FR', 'Frankreich'])
    expect(await importOnce(config, file, { database: db.database, append: false })).toEqual({
      success: true,
      processed: 2,
      failed: 0,
      errors: [],
      created: 2,
      updated: 0,
      deleted: 2,
      ignoredColumns: [],
    })
    expect(await db.rows('countries', 'iso2', 'name')).toEqual([
      ['FR', 'Frankreich'],
      ['IT', 'Italy'],
    ])
  })

  test('a replace with one failed row leaves everything as it was', async () => {
    await start(['DE', 'Germany'])
    const file = csv(['iso2', 'name'], ['IT', 'Italy'], ['FRA', 'France'])
    expect(await importOnce(config, file, { database: db.database, append: false })).toEqual({
      success: false,
      processed: 2,
      failed: 1,
      errors: [
        {
          row: 3,
          field: 'iso2',
          column: 'iso2',
          message: 'Ensure this field has no more than 2 characters.',
          model: 'countries',
        },
      ],
      created: 0,
      updated: 0,
      deleted: 0,
      ignoredColumns: [],
      rolledBack: true,
      errorGroups: expect.any(Array),
    })
    expect(await db.rows('countries', 'iso2')).toEqual([['DE']])
  })

  test('a replace with an empty file deletes nothing', async () => {
    await start(['DE', 'Germany'])
    const replace = importOnce(config, csv(['iso2', 'name']), { database: db.database, append: false })
    await expect(replace).rejects.toMatchObject({ status: 400, message: EMPTY, errors: { file: [EMPTY] } })
    expect(await db.rows('countries', 'iso2')).toEqual([['DE']])
  })

  test('a replace deletes only the records of its queryset', async () => {
    await start(['DE', 'Germany'], ['FR', 'France'])
    const queryset = querysetOf(db.database, tables.countries, eq(tables.countries.iso2, 'FR'))
    const file = csv(['iso2', 'name'], ['IT', 'Italy'])
    const result = await importOnce(config, file, { database: db.database, append: false, queryset })
    expect(result).toMatchObject({ success: true, created: 1, deleted: 1 })
    expect(await db.rows('countries', 'iso2')).toEqual([['DE'], ['IT']])
  })

  test('a foreign key that keeps a record from being deleted is a conflict', async () => {
    await importOnce(
      { fileFormat: 'csv', order: ['countries', 'regions', 'cities'], models: atlasModels(tables) },
      csv(
        [
          'iso2',
          'countries.name',
          'regions.name',
          'district',
          'cities.name',
          'mayor',
          'plate',
          'population',
          'area',
          'kind',
        ],
        ['DE', 'Germany', 'Hesse', '', 'Kassel', '', '', '', '', ''],
      ),
      { database: db.database },
    )
    const replace = importOnce(config, csv(['iso2', 'name'], ['IT', 'Italy']), { database: db.database, append: false })
    await expect(replace).rejects.toThrow(Conflict)
    expect(await db.rows('countries', 'iso2')).toEqual([['DE']])
  })

  test('a dry run tells what would happen and stores nothing, whatever the chunkSize', async () => {
    await start(['DE', 'Germany'])
    const file = csv(['iso2', 'name'], ['IT', 'Italy'], ['DE', 'Deutschland'], ['FRA', 'France'])
    const dry = { database: db.database, dryRun: true }
    const expected = { success: false, processed: 3, failed: 1, created: 1, updated: 1, dryRun: true }
    expect(await importOnce(config, file, dry)).toMatchObject(expected)
    expect(await importOnce({ ...config, chunkSize: 1 }, file, dry)).toMatchObject(expected)
    expect(await importOnce(config, csv(['iso2', 'name'], ['IT', 'Italy']), { ...dry, append: false })).toMatchObject({
      created: 1,
      deleted: 1,
      dryRun: true,
    })
    expect(await db.rows('countries', 'iso2', 'name')).toEqual([['DE', 'Germany']])
  })

  test('unique fields of a record outside the queryset are an error of the row', async () => {
    await start(['DE', 'Germany'], ['FR', 'France'])
    const where = eq(tables.countries.iso2, 'FR')
    const expected = {
      processed: 2,
      failed: 1,
      updated: 1,
      errors: [
        {
          row: 2,
          field: 'iso2',
          column: 'iso2',
          message: 'Another record already has this value.',
          model: 'countries',
        },
      ],
    }
    const file = csv(['iso2', 'name'], ['DE', 'Stolen'], ['FR', 'Frankreich'])
    const queryset = querysetOf(db.database, tables.countries, where)
    expect(await importOnce(config, file, { database: db.database, queryset })).toMatchObject(expected)
    const bounded = importModel({
      model: scoped(tables.countries, () => where),
      fields: ['iso2', 'name'],
      uniqueFields: ['iso2'],
    })
    const again = { ...config, models: { countries: bounded } }
    expect(await importOnce(again, file, { database: db.database })).toMatchObject(expected)
    expect(await db.rows('countries', 'iso2', 'name')).toEqual([
      ['DE', 'Germany'],
      ['FR', 'Frankreich'],
    ])
  })

  test('several records with the unique fields of a row are an error of the row', async () => {
    const people = importModel({ model: tables.people, fields: ['name'], uniqueFields: ['name'] })
    const ann = sql`insert into people (id, name) values ('00000000-0000-4000-8000-000000000001', 'Ann'), ('00000000-0000-4000-8000-000000000002', 'Ann')`
    await db.run(String(ann.queryChunks.flatMap(chunk => (chunk as { value: string[] }).value).join('')))
    const result = await importOnce(
      { fileFormat: 'csv', order: ['people'], models: { people } },
      csv(['name'], ['Ann'], ['Ben']),
      { database: db.database },
    )
    expect(result).toMatchObject({
      created: 1,
      errors: [
        {
          row: 2,
          field: 'name',
          column: 'name',
          message: 'Several records have the same name. Correct them, so that only one has it.',
        },
      ],
    })
  })
})
