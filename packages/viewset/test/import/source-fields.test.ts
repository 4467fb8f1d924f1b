import { randomUUID } from 'node:crypto'
import { type ImportFileConfig, type ImportServiceOptions, importForeignKey, importModel } from 'viewset'
import { expect, test } from 'vitest'
import { describeOneDialect } from '../support/dialects.ts'
import { geography } from '../support/import-models.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'
import { workbook } from '../support/workbook.ts'

/** The configurations that the reference's own documentation shows, in the names of code. */
describeOneDialect("the reference's documented configurations are accepted", dialect => {
  const c = dialect.kit
  const id = () => c.uuid().primaryKey().$defaultFn(randomUUID)
  const countries = c.table('countries', { id: id(), name: c.text(50).notNull(), code: c.text(2).notNull().unique() })
  const cities = c.table(
    'cities',
    { id: id(), name: c.text(50).notNull(), country: c.foreignKey(countries).notNull() },
    t => [c.unique(t.name, t.country)],
  )
  const people = c.table('people', {
    id: id(),
    firstName: c.text(50).notNull(),
    lastName: c.text(50).notNull(),
    email: c.text(100).notNull().unique(),
    city: c.foreignKey(cities),
  })
  const tables = { countries, cities, people }
  const db = useDatabase(dialect, tables)
  const country = importForeignKey({ model: countries, lookupField: 'code', sourceField: 'country_code' })
  const city = importForeignKey({ model: cities, lookupField: 'name', sourceField: 'city_name' })
  const services: ImportFileConfig = {
    fileFormat: 'xlsx',
    order: ['country', 'city', 'person'],
    models: {
      country: importModel({ model: countries, fields: ['name', 'code'], uniqueFields: ['code'] }),
      city: importModel({
        model: cities,
        fields: ['name', 'country_code'],
        uniqueFields: ['name', 'country_code'],
        foreignKeys: { country },
      }),
      person: importModel({
        model: people,
        fields: ['firstName', 'lastName', 'email', 'city_name'],
        uniqueFields: ['email'],
        foreignKeys: { city },
      }),
    },
    chunkSize: 500,
  }

  test('with a sheet for each model, source columns among the fields and the unique ones, and transforms', async () => {
    const transforms = {
      email: (value: unknown) => String(value).trim().toLowerCase(),
      firstName: (value: unknown) => String(value).trim(),
    }
    const file = await workbook({
      country: [
        ['name', 'code'],
        ['Norway', 'NO'],
      ],
      city: [
        ['name', 'country_code'],
        ['Oslo', 'NO'],
      ],
      person: [
        ['first_name', 'last_name', 'email', 'city_name'],
        [' Ada ', 'Lovelace', ' ADA@example.org', 'Oslo'],
      ],
    })
    const told: number[] = []
    const onProgress = (processed: number) => void told.push(processed)
    expect(await importOnce(services, file, { database: db.database, transforms, onProgress })).toMatchObject({
      processed: 3,
      created: 3,
      failed: 0,
    })
    expect(told.at(-1)).toBe(3)
    expect(await db.rows('people', 'first_name', 'email')).toEqual([['Ada', 'ada@example.org']])
    expect(await importOnce(services, file, { database: db.database, transforms })).toMatchObject({ updated: 3 })
  })

  test('with models of one file that have nothing to do with each other', async () => {
    const views: ImportFileConfig = {
      fileFormat: 'xlsx',
      order: ['country', 'person'],
      models: {
        country: importModel({ model: countries, fields: ['name', 'code'], uniqueFields: ['code'] }),
        person: importModel({ model: people, fields: ['firstName', 'lastName', 'email'], uniqueFields: ['email'] }),
      },
    }
    const file = await workbook({
      country: [
        ['name', 'code'],
        ['Norway', 'NO'],
      ],
      person: [
        ['first_name', 'last_name', 'email'],
        ['Ada', 'Lovelace', 'ada@example.org'],
      ],
    })
    expect(await importOnce(views, file, { database: db.database })).toMatchObject({ created: 2, failed: 0 })
  })
})

describeOneDialect('a column of the file that only feeds a foreign key', dialect => {
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
