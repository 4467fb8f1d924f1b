import { inArray, type SQL, sql } from 'drizzle-orm'
import { Database, type ImportFileConfig, importForeignKey, importModel, scoped } from 'viewset'
import { expect, test } from 'vitest'
import { CountingDriver } from '../support/counting-driver.ts'
import { describeDialects } from '../support/dialects.ts'
import { geography } from '../support/import-models.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'

describeDialects('unknown parents in a flat file', dialect => {
  const tables = geography(dialect.kit)
  const { countries, people, cities } = tables
  const db = useDatabase(dialect, tables)
  /** Each row has a person, a country and a city; the mayor may be somebody else. */
  const config: ImportFileConfig = {
    fileFormat: 'csv',
    order: ['people', 'countries', 'cities'],
    models: {
      people: importModel({ model: people, fields: ['name'], uniqueFields: ['name'] }),
      countries: importModel({ model: countries, fields: ['iso2', 'name'], uniqueFields: ['iso2'] }),
      cities: importModel({
        model: cities,
        fields: ['name'],
        uniqueFields: ['country', 'name'],
        foreignKeys: {
          country: importForeignKey({ model: countries, lookupField: 'name', sourceField: 'country' }),
          mayor: importForeignKey({ model: people, lookupField: 'name', sourceField: 'mayor' }),
        },
      }),
    },
  }
  const header = ['people.name', 'iso2', 'countries.name', 'cities.name', 'country', 'mayor']

  test('cost no more, however many they are', async () => {
    const statementsFor = async (rows: number) => {
      await db.clear()
      const counting = new CountingDriver(db.database.driver)
      const file = csv(
        header,
        ...Array.from({ length: rows }, (_, n) => [`P${n}`, 'NO', 'Norway', `C${n}`, 'Norway', `Nobody ${n}`]),
      )
      const { failed, processed } = await importOnce(config, file, { database: new Database(counting) })
      expect({ failed, processed }).toEqual({ failed: rows, processed: rows })
      expect(await db.rows('people', 'name')).toEqual([])
      return counting.statements.length
    }
    expect(await statementsFor(64)).toBe(await statementsFor(8))
  })

  test('cost no more where a scope hides them, as long as it looks at nothing but their own columns', async () => {
    const statementsFor = async (rows: number, scope: SQL) => {
      await db.clear()
      const model = scoped(people, () => scope)
      const cityRows = importModel({
        model: cities,
        fields: ['name'],
        uniqueFields: ['country', 'name'],
        foreignKeys: {
          country: importForeignKey({ model: countries, lookupField: 'name', sourceField: 'country' }),
          mayor: importForeignKey({ model, lookupField: 'name', sourceField: 'mayor' }),
        },
      })
      const counting = new CountingDriver(db.database.driver)
      const file = csv(
        header,
        ...Array.from({ length: rows }, (_, n) => [`P${n}`, 'NO', 'Norway', `C${n}`, 'Norway', `Nobody ${n}`]),
      )
      const used = { ...config, models: { ...config.models, cities: cityRows } }
      expect(await importOnce(used, file, { database: new Database(counting) })).toMatchObject({ failed: rows })
      return counting.statements.length
    }
    const own = inArray(people.name, ['P1', 'P2'])
    expect(await statementsFor(32, own)).toBe(await statementsFor(8, own))
    const others = sql`exists (select 1 from ${countries} where ${countries.name} = ${people.name})`
    expect(await statementsFor(32, others)).toBeGreaterThan(await statementsFor(8, others))
  })

  test('are those that only a failing row has, too', async () => {
    const file = csv(
      header,
      ['Ann', 'NO', 'Norway', 'Oslo', 'Norway', 'Nobody'],
      ['Bob', 'NO', 'Norway', 'Bergen', 'Norway', 'Ann'],
      ['Cy', 'NO', 'Norway', 'Hamar', 'Norway', 'Cy'],
      ['Di', 'NO', 'Norway', 'Molde', 'Norway', 'Cy'],
    )
    expect(await importOnce(config, file, { database: db.database })).toMatchObject({
      processed: 4,
      created: 2,
      errors: [
        { row: 2, field: 'mayor', message: 'There is no person with the name "Nobody".', model: 'cities' },
        { row: 3, field: 'mayor', message: 'There is no person with the name "Ann".', model: 'cities' },
      ],
    })
    expect(await db.rows('people', 'name')).toEqual([['Cy'], ['Di']])
    expect(await db.rows('cities', 'name')).toEqual([['Hamar'], ['Molde']])
  })

  test('are none where the row that writes them waits for a value of a row that fails', async () => {
    const country = importForeignKey({ model: countries, lookupField: 'iso2', sourceField: 'country' })
    const used: ImportFileConfig = {
      ...config,
      models: {
        people: config.models.people!,
        countries: importModel({ model: countries, fields: ['name', 'iso2'], uniqueFields: ['iso2'] }),
        cities: { ...config.models.cities!, foreignKeys: { ...config.models.cities!.foreignKeys, country } },
      },
    }
    const file = csv(
      header,
      ['Ann', 'XX', 'Norway', 'Oslo', 'XX', 'Nobody'],
      ['Bob', 'NO', 'Norway', 'Bergen', 'NO', 'Bob'],
      ['Cy', 'SE', 'Sweden', 'Hamar', 'NO', 'Cy'],
    )
    expect(await importOnce(used, file, { database: db.database })).toMatchObject({
      created: 2,
      errors: [{ row: 2, field: 'mayor', message: 'There is no person with the name "Nobody".', model: 'cities' }],
    })
    expect(await db.rows('cities', 'name')).toEqual([['Bergen'], ['Hamar']])
  })

  test('are none where the row that had renamed them fails', async () => {
    await importOnce(config, csv(header, ['Ann', 'NO', 'Norway', 'Oslo', 'Norway', 'Ann']), { database: db.database })
    const file = csv(
      header,
      ['Bob', 'NO', 'Norge', 'Bergen', 'Norge', 'Nobody'],
      ['Cy', 'SE', 'Sweden', 'Hamar', 'Norway', 'Cy'],
    )
    expect(await importOnce(config, file, { database: db.database })).toMatchObject({
      created: 1,
      errors: [{ row: 2, field: 'mayor', message: 'There is no person with the name "Nobody".', model: 'cities' }],
    })
    expect(await db.rows('cities', 'name')).toEqual([['Hamar'], ['Oslo']])
  })
})
