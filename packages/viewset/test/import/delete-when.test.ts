import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { type ImportFileConfig, ImportService, importModel, PermissionDenied, type RecordList } from 'viewset'
import { kit } from 'viewset/sqlite'
import { expect, test } from 'vitest'
import { describeDialects } from '../support/dialects.ts'
import { atlasModels, type Geography, geography } from '../support/import-models.ts'
import { csv, importOnce, querysetOf, useDatabase } from '../support/imports.ts'

const deleteWhen = { sourceField: 'deleted', equals: ['yes', 'X', true] } as const

const countryConfig = ({ countries }: Geography, more = {}): ImportFileConfig => ({
  fileFormat: 'csv',
  order: ['countries'],
  models: {
    countries: importModel({ model: countries, fields: ['iso2', 'name'], uniqueFields: ['iso2'], deleteWhen, ...more }),
  },
})

describeDialects('rows that delete', dialect => {
  const tables = geography(dialect.kit)
  const db = useDatabase(dialect, tables)
  const stored = () => db.rows('countries', 'iso2', 'name')
  const header = ['iso2', 'name', 'deleted']
  const run = (rows: string[][], more = {}, options = {}) =>
    importOnce(countryConfig(tables, more), csv(header, ...rows), { database: db.database, ...options })

  test('delete the records that they find; of their cells only those count that find them', async () => {
    await run([
      ['DE', 'Germany', ''],
      ['FR', 'France', 'no'],
      ['IT', 'Italy', ''],
      ['ES', 'Spain', ''],
    ])
    expect(
      await run([
        ['DE', '', ' x '],
        ['FR', 'France', 'YES'],
        ['IT', 'a name that is much too long for its column', 'true'],
        ['ES', 'Spain!', 'xx'],
      ]),
    ).toEqual({
      success: true,
      processed: 4,
      failed: 0,
      errors: [],
      created: 0,
      updated: 1,
      skipped: 0,
      ignoredColumns: [],
      deleted: 3,
    })
    expect(await stored()).toEqual([['ES', 'Spain!']])
  })

  test('that find none are left out, so that a file can be imported again; or fail where records may not be missing', async () => {
    await run([['DE', 'Germany', '']])
    const rows = [
      ['DE', '', 'x'],
      ['FR', '', 'x'],
      ['DE', '', 'x'],
    ]
    expect(await run(rows)).toMatchObject({ success: true, deleted: 1, skipped: 2 })
    expect(await run(rows)).toMatchObject({ success: true, deleted: 0, skipped: 3 })
    await run([['DE', 'Germany', '']])
    expect(await run(rows, { onMissing: 'fail' })).toMatchObject({
      deleted: 1,
      failed: 2,
      errors: [
        {
          row: 3,
          field: 'iso2',
          column: 'iso2',
          message: 'There is no record with the same iso2.',
          model: 'countries',
        },
        {
          row: 4,
          field: 'iso2',
          column: 'iso2',
          message: 'There is no record with the same iso2.',
          model: 'countries',
        },
      ],
    })
  })

  test('count in the order of the file: what a row writes behind a deletion is new, and its unique values are free', async () => {
    await run([
      ['DE', 'Germany', ''],
      ['FR', 'France', ''],
    ])
    const result = await run([
      ['IT', 'Germany', ''],
      ['DE', '', 'x'],
      ['ES', 'Germany', ''],
      ['ES', '', 'x'],
      ['DE', 'Germany', ''],
      ['FR', '', 'x'],
    ])
    expect(result).toMatchObject({ created: 2, deleted: 3, failed: 1, errors: [{ row: 2, field: 'name' }] })
    expect(await stored()).toEqual([['DE', 'Germany']])
  })

  test('a file without the column deletes nothing', async () => {
    const result = await importOnce(countryConfig(tables), csv(['iso2', 'name'], ['DE', 'Germany']), {
      database: db.database,
    })
    expect(result).toMatchObject({ created: 1, deleted: 0, skipped: 0 })
  })

  test('a record that others refer to, and one that may not be deleted, are errors of their rows', async () => {
    await run([
      ['DE', 'Germany', ''],
      ['FR', 'France', ''],
      ['IT', 'Italy', ''],
    ])
    await db.run(
      "insert into cities (id, country_id, name, created_at, updated_at, is_active) select id, id, 'Berlin', created_at, updated_at, is_active from countries where iso2 = 'DE'",
    )
    const checkRecord = async (record: object) => {
      if ('iso2' in record && record.iso2 === 'FR') throw new PermissionDenied()
    }
    const rows = ['DE', 'FR', 'IT'].map(iso2 => [iso2, '', 'x'])
    expect(await run(rows, {}, { hooks: { checkRecord } })).toMatchObject({
      deleted: 1,
      failed: 2,
      errors: [
        {
          row: 2,
          field: 'non_field_errors',
          message: 'Records of "cities" refer to this one. Delete them first, or let them refer to another record.',
        },
        { row: 3, field: 'non_field_errors', message: 'You do not have permission to perform this action.' },
      ],
    })
    expect((await stored()).map(([iso2]) => iso2)).toEqual(['DE', 'FR'])
  })

  test('a record that the user may not see is not there', async () => {
    await run([
      ['DE', 'Germany', ''],
      ['FR', 'France', ''],
    ])
    const queryset = querysetOf(db.database, tables.countries, eq(tables.countries.iso2, 'FR'))
    const rows = [
      ['DE', '', 'x'],
      ['FR', '', 'x'],
      ['IT', '', 'x'],
    ]
    expect(await run(rows, {}, { queryset })).toMatchObject({ deleted: 1, skipped: 2 })
    const errors = (await run(rows, { onMissing: 'fail' }, { queryset })).errors.map(({ message }) => message)
    expect(new Set(errors)).toEqual(new Set(['There is no record with the same iso2.']))
    expect(await stored()).toEqual([['DE', 'Germany']])
  })

  test('delete as the resource does', async () => {
    await run([
      ['DE', 'Germany', ''],
      ['FR', 'France', ''],
    ])
    const gone: unknown[] = []
    const hooks = {
      async delete(records: { length: number; records(): Promise<{ softDelete?(): Promise<unknown> }[]> }) {
        for (const record of await records.records()) gone.push(await record.softDelete?.())
        return records.length
      },
    }
    expect(
      await run(
        [
          ['DE', '', 'x'],
          ['FR', '', 'x'],
        ],
        {},
        { hooks },
      ),
    ).toMatchObject({ deleted: 2 })
    expect(gone).toHaveLength(2)
    expect(await db.rows('countries', 'iso2')).toEqual([['DE'], ['FR']])
    await db.run('delete from countries where is_active')
    expect(await db.rows('countries', 'iso2')).toEqual([['DE'], ['FR']])
  })

  test('that find several records fail, for it is not clear which one is meant', async () => {
    await db.run(`insert into people (id, name) values ('${randomUUID()}', 'Ann'), ('${randomUUID()}', 'Ann')`)
    const people = importModel({ model: tables.people, fields: ['name'], uniqueFields: ['name'], deleteWhen })
    const result = await importOnce(
      { fileFormat: 'csv', order: ['people'], models: { people } },
      csv(['name', 'deleted'], ['Ann', 'x'], ['Bob', '']),
      { database: db.database },
    )
    const message = 'Several records have the same name. Correct them, so that only one has it.'
    expect(result).toMatchObject({ created: 1, deleted: 0, errors: [{ row: 2, field: 'name', message }] })
    expect(await db.rows('people', 'name')).toEqual([['Ann'], ['Ann'], ['Bob']])
  })

  const bothGo = [
    ['DE', '', 'x'],
    ['FR', '', 'x'],
  ]

  test('of which the resource deletes fewer than there are fail, with what it did undone', async () => {
    await run([
      ['DE', 'Germany', ''],
      ['FR', 'France', ''],
    ])
    const hooks = {
      async delete(records: RecordList) {
        const france = (await records.records()).filter(record => 'iso2' in record && record.iso2 === 'FR')
        for (const record of france) await record.delete()
        return france.length
      },
    }
    expect(await run(bothGo, {}, { hooks })).toMatchObject({
      deleted: 1,
      errors: [{ row: 2, field: 'non_field_errors', message: 'The database did not delete this record.' }],
    })
    expect(await stored()).toEqual([['DE', 'Germany']])
  })

  test('end the import where the resource fails by a fault of its own', async () => {
    await run([
      ['DE', 'Germany', ''],
      ['FR', 'France', ''],
    ])
    const broken = new TypeError('broken')
    const hooks = {
      async delete() {
        throw broken
      },
    }
    await expect(run(bothGo, {}, { hooks })).rejects.toBe(broken)
    expect(await stored()).toHaveLength(2)
  })

  test('nothing is deleted by a dry run, nor where a replace fails; a replace finds nothing to delete', async () => {
    await run([['DE', 'Germany', '']])
    expect(await run([['DE', '', 'x']], {}, { dryRun: true })).toMatchObject({ deleted: 1, dryRun: true })
    expect(
      await run(
        [
          ['DE', '', 'x'],
          ['FR', '', ''],
        ],
        {},
        { append: false },
      ),
    ).toMatchObject({ deleted: 0, failed: 1 })
    expect(await stored()).toEqual([['DE', 'Germany']])
    expect(
      await run(
        [
          ['DE', '', 'x'],
          ['FR', 'France', ''],
        ],
        {},
        { append: false },
      ),
    ).toMatchObject({
      deleted: 1,
      created: 1,
      skipped: 1,
    })
    expect(await stored()).toEqual([['FR', 'France']])
  })

  test('of a flat file delete records of the last model and write no others', async () => {
    const { countries, regions, cities } = atlasModels(tables)
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['countries', 'regions', 'cities'],
      // The column of a field may say it, too.
      models: { countries, regions, cities: { ...cities, deleteWhen: { sourceField: 'kind', equals: ['gone'] } } },
    }
    const flat = [
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
    ]
    const line = (iso2: string, country: string, city: string, kind: string) => [
      iso2,
      country,
      'North',
      '',
      city,
      '',
      '',
      '',
      '',
      kind,
    ]
    const send = (...rows: string[][]) => importOnce(config, csv(flat, ...rows), { database: db.database })
    await send(line('DE', 'Germany', 'Berlin', 'town'), line('DE', 'Germany', 'Bonn', 'village'))
    const result = await send(
      line('DE', 'changed', 'Berlin', 'gone'),
      line('FR', 'France', 'Paris', 'gone'),
      line('DE', 'Germany', 'Kiel', 'town'),
    )
    expect(result).toMatchObject({ created: 1, deleted: 1, failed: 1 })
    expect(result.errors.map(({ row, message }) => [row, message])).toEqual([
      [3, 'There is no country with the iso2 "FR".'],
    ])
    expect(await stored()).toEqual([['DE', 'Germany']])
    expect((await db.rows('cities', 'name')).flat()).toEqual(['Bonn', 'Kiel'])
  })
})

test('what cannot delete is a ConfigError', () => {
  const tables = geography(kit)
  const models = atlasModels(tables)
  const make = (changes: object) => () => new ImportService(countryConfig(tables, changes))
  const at = 'ImportService: models.countries.deleteWhen'
  expect(make({ deleteWhen: { sourceField: 'deleted' } })).toThrow(
    `${at}.equals: is required; list what its cells say in rows that delete, as in ['yes', 'x']`,
  )
  expect(make({ deleteWhen: { sourceField: 'deleted', equals: ['x', ''] } })).toThrow(`${at}.equals: is required`)
  expect(make({ deleteWhen: { sourceField: ' ', equals: ['x'] } })).toThrow(`${at}.sourceField: is required`)
  expect(make({ deleteWhen: { sourceFeld: 'deleted', equals: ['x'] } })).toThrow(
    `${at}.sourceFeld: unknown setting; did you mean "sourceField"?`,
  )
  expect(make({ createOnly: true, uniqueFields: [] })).toThrow(
    `${at}: is about a record that is found, and createOnly looks for none`,
  )
  expect(
    () =>
      new ImportService({
        fileFormat: 'csv',
        order: ['countries', 'regions', 'cities'],
        models: { ...models, regions: { ...models.regions, deleteWhen } },
      }),
  ).toThrow('models.regions.deleteWhen: is for the last model of the order, which a row counts for')
})
