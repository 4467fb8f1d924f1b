import { eq } from 'drizzle-orm'
import { type ImportFileConfig, type ImportPolicy, ImportService, importForeignKey, importModel } from 'viewset'
import { expect, test } from 'vitest'
import { describeDialects } from '../support/dialects.ts'
import { type Geography, geography } from '../support/import-models.ts'
import { csv, importOnce, querysetOf, useDatabase } from '../support/imports.ts'

type Policy = Omit<ImportPolicy, 'createOnly'>

const countryConfig = ({ countries }: Geography, policy: Policy): ImportFileConfig => ({
  fileFormat: 'csv',
  order: ['countries'],
  models: { countries: importModel({ model: countries, fields: ['iso2', 'name'], uniqueFields: ['iso2'], ...policy }) },
})

/** Regions, each in a row with its country. */
const regionConfig = ({ countries, regions }: Geography, country: Policy, region: Policy = {}): ImportFileConfig => ({
  fileFormat: 'csv',
  order: ['countries', 'regions'],
  models: {
    countries: importModel({ model: countries, fields: ['iso2', 'name'], uniqueFields: ['iso2'], ...country }),
    regions: importModel({
      model: regions,
      fields: ['name'],
      uniqueFields: ['country', 'name'],
      foreignKeys: { country: importForeignKey({ model: countries, lookupField: 'iso2', sourceField: 'iso2' }) },
      ...region,
    }),
  },
})

const existing = {
  field: 'iso2',
  column: 'iso2',
  message: 'A record with the same iso2 exists already.',
  model: 'countries',
}
const missing = { ...existing, message: 'There is no record with the same iso2.' }

describeDialects('what rows do with records that are stored, and without them', dialect => {
  const tables = geography(dialect.kit)
  const db = useDatabase(dialect, tables)
  const stored = () => db.rows('countries', 'iso2', 'name')
  const store = (...rows: [string, string][]) =>
    importOnce(countryConfig(tables, {}), csv(['iso2', 'name'], ...rows), { database: db.database })
  const run = (policy: Policy, ...rows: [string, string][]) =>
    importOnce(countryConfig(tables, policy), csv(['iso2', 'name'], ...rows), { database: db.database })
  const regions = (country: Policy, region: Policy, ...rows: [string, string, string][]) =>
    importOnce(regionConfig(tables, country, region), csv(['iso2', 'countries.name', 'regions.name'], ...rows), {
      database: db.database,
    })

  test("onExisting: 'skip' leaves stored records as they are", async () => {
    await store(['DE', 'Germany'])
    const result = await run({ onExisting: 'skip' }, ['DE', 'x'], ['FR', 'a'], ['FR', 'b'], ['FR', 'a'])
    expect(result).toEqual({
      success: true,
      processed: 4,
      failed: 0,
      errors: [],
      created: 1,
      updated: 0,
      skipped: 3,
      ignoredColumns: [],
    })
    expect(await stored()).toEqual([
      ['DE', 'Germany'],
      ['FR', 'a'],
    ])
  })

  test("onExisting: 'fail' is an error of the rows that find a record, also one of the same file", async () => {
    await store(['DE', 'Germany'])
    const result = await run({ onExisting: 'fail' }, ['DE', 'x'], ['FR', 'a'], ['FR', 'a'], ['FR', 'b'])
    expect(result).toMatchObject({ processed: 4, failed: 3, created: 1, updated: 0 })
    expect(result.errors).toEqual([2, 4, 5].map(row => ({ row, ...existing })))
    expect(result).not.toHaveProperty('skipped')
    expect(await stored()).toEqual([
      ['DE', 'Germany'],
      ['FR', 'a'],
    ])
  })

  test("onMissing: 'skip' leaves rows out that find no record, and 'fail' is their error", async () => {
    await store(['DE', 'Germny'])
    expect(await run({ onMissing: 'skip' }, ['DE', 'Germany'], ['FR', 'a'], ['FR', 'a'])).toMatchObject({
      success: true,
      processed: 3,
      created: 0,
      updated: 1,
      skipped: 2,
    })
    const result = await run({ onMissing: 'fail' }, ['FR', 'a'], ['DE', 'Deutschland'], ['FR', 'b'])
    expect(result).toMatchObject({ failed: 2, created: 0, updated: 1 })
    expect(result.errors).toEqual([2, 4].map(row => ({ row, ...missing })))
    expect(await stored()).toEqual([['DE', 'Deutschland']])
  })

  test('a record that the user may not see is an error where rows create, and not there where they do not', async () => {
    await store(['DE', 'Germany'], ['FR', 'France'])
    const queryset = querysetOf(db.database, tables.countries, eq(tables.countries.iso2, 'FR'))
    const seen = (policy: Policy) =>
      importOnce(countryConfig(tables, policy), csv(['iso2', 'name'], ['DE', 'x'], ['FR', 'France']), {
        database: db.database,
        queryset,
      })
    const hidden = { row: 2, ...existing, message: 'Another record already has this value.' }
    expect((await seen({ onExisting: 'skip' })).errors).toEqual([hidden])
    expect((await seen({ onExisting: 'fail' })).errors).toEqual([hidden, { row: 3, ...existing }])
    expect((await seen({ onMissing: 'fail' })).errors).toEqual([{ row: 2, ...missing }])
    expect(await seen({ onMissing: 'skip' })).toMatchObject({ failed: 0, updated: 1, skipped: 1 })
  })

  test('a parent that is skipped is used and not written', async () => {
    await store(['DE', 'Germany'])
    const result = await regions({ onExisting: 'skip' }, {}, ['DE', 'x', 'North'], ['FR', 'France', 'South'])
    expect(result).toMatchObject({ created: 2, updated: 0, skipped: 0 })
    expect(await stored()).toEqual([
      ['DE', 'Germany'],
      ['FR', 'France'],
    ])
    expect(await db.rows('regions', 'name')).toEqual([['North'], ['South']])
  })

  test('of a row whose parent is missing and must not be created nothing is stored', async () => {
    await store(['DE', 'Germany'])
    const rows: [string, string, string][] = [
      ['FR', 'France', 'South'],
      ['DE', 'Germany', 'North'],
      ['IT', 'Italy', 'East'],
    ]
    expect(await regions({ onMissing: 'skip' }, {}, ...rows)).toMatchObject({ failed: 0, created: 1, skipped: 2 })
    expect(await db.rows('regions', 'name')).toEqual([['North']])
    expect(await regions({ onMissing: 'fail' }, {}, ...rows)).toMatchObject({ failed: 2, updated: 1 })
    expect(await stored()).toEqual([['DE', 'Germany']])
  })

  test('a row that is left out, or that fails, since its last record is missing writes no parent', async () => {
    await store(['DE', 'Germany'])
    const rows: [string, string, string][] = [
      ['DE', 'x', 'North'],
      ['FR', 'France', 'South'],
    ]
    expect(await regions({}, { onMissing: 'skip' }, ...rows)).toMatchObject({ failed: 0, created: 0, skipped: 2 })
    expect(await regions({}, { onMissing: 'fail' }, ...rows)).toMatchObject({ failed: 2, created: 0 })
    expect(await stored()).toEqual([['DE', 'Germany']])
  })

  test('parents of a row whose last record is skipped are written as they are configured', async () => {
    await regions({}, {}, ['DE', 'Germny', 'North'])
    const result = await regions({}, { onExisting: 'skip' }, ['DE', 'Germany', 'North'])
    expect(result).toMatchObject({ created: 0, updated: 0, skipped: 1 })
    expect(await stored()).toEqual([['DE', 'Germany']])
  })

  test('a parent that must not exist may be created by one row of the file only', async () => {
    const result = await regions(
      { onExisting: 'fail' },
      {},
      ['DE', 'Germany', ''],
      ['FR', 'France', 'South'],
      ['DE', 'Germany', 'North'],
      ['FR', 'France', 'West'],
    )
    expect(result).toMatchObject({ processed: 4, failed: 2, created: 2 })
    expect(result.errors.map(({ row, message }) => [row, message])).toEqual([
      [2, 'This cell is empty, and a value is required.'],
      [5, 'A record with the same iso2 exists already.'],
    ])
    expect(await db.rows('regions', 'name')).toEqual([['North'], ['South']])
  })

  test('skipUnchanged writes nothing for rows that say what is stored', async () => {
    await store(['DE', 'Germany'], ['FR', 'France'])
    const before = await db.rows('countries', 'iso2', 'updated_at')
    const rows: [string, string][] = [
      ['DE', 'Germany'],
      ['FR', 'Francia'],
      ['FR', 'Francia'],
      ['IT', 'Italy'],
      ['IT', 'Italy'],
    ]
    expect(await run({ skipUnchanged: true }, ...rows)).toEqual({
      success: true,
      processed: 5,
      failed: 0,
      errors: [],
      created: 1,
      updated: 1,
      unchanged: 3,
      ignoredColumns: [],
    })
    const after = await db.rows('countries', 'iso2', 'updated_at')
    expect(after[0]).toEqual(before[0])
    expect(after[1]).not.toEqual(before[1])
    expect(await run({ skipUnchanged: true }, ...rows)).toMatchObject({ created: 0, updated: 0, unchanged: 5 })
    expect(await db.rows('countries', 'iso2', 'updated_at')).toEqual(after)
  })

  test('values are compared by what they mean in their columns', async () => {
    const { samples } = tables
    const fields = [
      'code',
      'text',
      'number',
      'big',
      'price',
      'flag',
      'day',
      'moment',
      'reference',
      'data',
      'kind',
    ] as const
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['samples'],
      models: { samples: importModel({ model: samples, fields, uniqueFields: ['code'], skipUnchanged: true }) },
    }
    const id = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'
    const line = [
      'a',
      'x',
      '7',
      '9007199254740993',
      '1.50',
      'true',
      '2026-01-15',
      '2026-01-15T10:30:00Z',
      id,
      '{"a":[1,{"b":2,"c":null}],"d":1.5}',
      'a',
    ]
    const same = [
      'a',
      'x',
      '+7',
      '9007199254740993',
      '01.5',
      'yes',
      '2026-01-15',
      '2026-01-15T12:30+02:00',
      id.toUpperCase(),
      '{"d":1.50,"a":[1,{"c":null,"b":2}]}',
      'a',
    ]
    const send = (...rows: string[][]) => importOnce(config, csv([...fields], ...rows), { database: db.database })
    expect(await send(line, ['empty', ...line.slice(1).map(() => '')])).toMatchObject({ created: 2, unchanged: 0 })
    expect(await send(same, ['empty', ...line.slice(1).map(() => '')])).toMatchObject({ updated: 0, unchanged: 2 })
    // A text that reads like nothing is still one, and JSON knows one zero.
    await send(line.with(0, 'n').with(1, 'null').with(9, '{"z":0}'))
    const emptied = line.with(0, 'n').with(1, '').with(9, '{"z":0}')
    expect(await send(emptied)).toMatchObject({ updated: 1, unchanged: 0 })
    expect(await send(emptied.with(9, '{"z":-0}'))).toMatchObject({ updated: 0, unchanged: 1 })
    for (const [at, value] of [
      'A',
      'X',
      '8',
      '9007199254740992',
      '1.501',
      'false',
      '2026-01-16',
      '2026-01-15T10:30:00.000001Z',
      id.replace('a', 'b'),
      '{"a":[1,{"b":2,"c":1}],"d":1.5}',
      '',
    ].entries()) {
      expect([fields[at], await send(line.with(at, value))]).toMatchObject([fields[at], { updated: 1, unchanged: 0 }])
      await send(line)
    }
  })

  test('createOnly makes a record for each row, again and again; what the database keeps unique is an error', async () => {
    const { people } = tables
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['people'],
      models: { people: importModel({ model: people, fields: ['name'], createOnly: true }) },
    }
    const file = csv(['name'], ['Ann'], ['Ann'], ['Ben'])
    expect(await importOnce(config, file, { database: db.database })).toMatchObject({
      created: 3,
      updated: 0,
      failed: 0,
    })
    expect(await importOnce(config, file, { database: db.database })).toMatchObject({ created: 3 })
    expect((await db.rows('people', 'name')).flat()).toEqual(['Ann', 'Ann', 'Ann', 'Ann', 'Ben', 'Ben'])

    await store(['DE', 'Germany'])
    const countries = importModel({
      model: tables.countries,
      fields: ['iso2', 'name'],
      uniqueFields: [],
      createOnly: true,
    })
    const result = await new ImportService(
      { fileFormat: 'csv', order: ['countries'], models: { countries } },
      { database: db.database },
    ).import(csv(['iso2', 'name'], ['DE', 'x'], ['FR', 'France'], ['FR', 'Francia'], ['IT', 'Italy']), { append: true })
    expect(result).toMatchObject({ created: 2, failed: 2 })
    expect(result.errors.map(({ row, field, message }) => [row, field, message])).toEqual([
      [2, 'iso2', 'Another record already has this value.'],
      [4, 'iso2', 'Another record already has this value.'],
    ])
  })

  test('policies hold in chunks, in a dry run and in a replace', async () => {
    await store(['DE', 'Germany'])
    const config = { ...countryConfig(tables, { onExisting: 'skip' }), chunkSize: 1 }
    const rows = csv(['iso2', 'name'], ['FR', 'France'], ['FR', 'x'], ['DE', 'y'])
    const dry = await importOnce(config, rows, { database: db.database, dryRun: true })
    expect(dry).toMatchObject({ created: 1, skipped: 2, dryRun: true })
    expect(await stored()).toEqual([['DE', 'Germany']])
    expect(await importOnce(config, rows, { database: db.database })).toMatchObject({ created: 1, skipped: 2 })
    const replaced = await importOnce(config, rows, { database: db.database, append: false })
    expect(replaced).toMatchObject({ created: 2, skipped: 1, deleted: 2 })
    expect(await stored()).toEqual([
      ['DE', 'y'],
      ['FR', 'France'],
    ])
  })
})
