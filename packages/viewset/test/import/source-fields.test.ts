import { type ImportFileConfig, type ImportServiceOptions, importForeignKey, importModel } from 'viewset'
import { expect, test } from 'vitest'
import { describeDialects } from '../support/dialects.ts'
import { geography } from '../support/import-models.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'

describeDialects('a column of the file that only feeds a foreign key', dialect => {
  const tables = geography(dialect.kit)
  const { countries, regions } = tables
  const db = useDatabase(dialect, tables)
  const foreignKeys = {
    country: importForeignKey({ model: countries, lookupField: 'iso2', sourceField: 'country_code' }),
  }
  const run = (model: ImportFileConfig['models'][string], options: ImportServiceOptions = {}) =>
    importOnce(
      {
        fileFormat: 'csv',
        order: ['countries', 'regions'],
        models: {
          countries: importModel({ model: countries, fields: ['iso2', 'name'], uniqueFields: ['iso2'] }),
          regions: model,
        },
      },
      csv(
        ['iso2', 'countries.name', 'regions.name', 'country_code'],
        ['DE', 'Germany', 'Hesse', 'DE'],
        ['FR', 'France', 'Alsace', 'DE'],
        ['FR', 'France', 'Hesse', 'DE'],
      ),
      { database: db.database, ...options },
    )

  test('may be named among the fields, and among the unique ones in place of its relation', async () => {
    const fields = ['name', 'country_code'] as const
    const both = [
      importModel({ model: regions, fields: [...fields], uniqueFields: ['country_code', 'name'], foreignKeys }),
      importModel({ model: regions, fields: [...fields, 'country'], uniqueFields: ['country', 'name'], foreignKeys }),
      importModel({ model: regions, fields: ['name'], uniqueFields: ['name', 'country_code'], foreignKeys }),
    ]
    for (const model of both) {
      await db.clear()
      expect(await run(model)).toMatchObject({ created: 2, updated: 1, failed: 0, ignoredColumns: [] })
      expect(await db.rows('regions', 'name')).toEqual([['Alsace'], ['Hesse']])
    }
  })

  test('is transformed by its name', async () => {
    const model = importModel({ model: regions, fields: ['name', 'country_code'], uniqueFields: ['name'], foreignKeys })
    await db.run(
      "insert into countries (id, iso2, name, created_at, updated_at, is_active) values ('00000000-0000-7000-8000-000000000001', 'IT', 'Italy', '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z', true)",
    )
    const result = await run(model, { transforms: { country_code: () => 'IT' } })
    expect(result).toMatchObject({ created: 2, updated: 1, failed: 0 })
    expect(new Set((await db.rows('regions', 'country_id')).flat()).size).toBe(1)
  })
})
