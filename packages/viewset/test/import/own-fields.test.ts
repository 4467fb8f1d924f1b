import { eq } from 'drizzle-orm'
import {
  type ImportFileConfig,
  ImportService,
  type ImportServiceOptions,
  importForeignKey,
  importModel,
  scoped,
  ValidationError,
} from 'viewset'
import { expect, test, vi } from 'vitest'
import { describeOneDialect } from '../support/dialects.ts'
import { geography } from '../support/import-models.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'
import { workbook } from '../support/workbook.ts'

describeOneDialect('fields that no file has', dialect => {
  const tables = geography(dialect.kit)
  const { countries, regions, cities, samples } = tables
  const db = useDatabase(dialect, tables)
  const run = (config: ImportFileConfig, file: Buffer, options: ImportServiceOptions = {}) =>
    importOnce(config, file, { database: db.database, ...options })

  test('are computed from the cells of the row, or are the same in all rows, and may be unique', async () => {
    const config: ImportFileConfig = {
      fileFormat: ['csv', 'xlsx'],
      order: ['samples'],
      models: {
        samples: importModel({
          model: samples,
          fields: ['number'],
          uniqueFields: ['code', 'kind'],
          computedFields: { code: row => `${row.number}-${row.Rest}`, text: row => String(row.Rest).toUpperCase() },
          constantFields: { kind: 'a', price: '1.50', flag: true, day: '2026-01-15', big: 9007199254740993n },
        }),
      },
    }
    const rows = [
      ['Number', 'Rest'],
      ['1', 'x'],
      ['2', 'y'],
      ['1', 'x'],
    ]
    const file = csv(...rows)
    expect(await run(config, file)).toEqual({
      success: true,
      processed: 3,
      failed: 0,
      errors: [],
      created: 2,
      updated: 1,
      ignoredColumns: ['Rest'],
    })
    expect(await run(config, await workbook({ samples: rows }))).toMatchObject({ created: 0, updated: 3 })
    const stored = await db.rows('samples', 'code', 'text', 'price', 'kind', 'big', 'day')
    expect(stored.map(([code, text, price, ...rest]) => [code, text, Number(price), ...rest])).toEqual([
      ['1-x', 'X', 1.5, 'a', '9007199254740993', expect.stringContaining('2026')],
      ['2-y', 'Y', 1.5, 'a', '9007199254740993', expect.stringContaining('2026')],
    ])
  })

  test('are read as if they had stood in the file: by the rules of their column, and with errors of their own', async () => {
    const stderr = vi.spyOn(console, 'error').mockReturnValue()
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['samples'],
      models: {
        samples: importModel({
          model: samples,
          fields: ['code', 'text'],
          uniqueFields: ['code'],
          computedFields: {
            number: ({ text }) => {
              if (text === 'refused') throw new ValidationError('Not this one.')
              if (text === 'broken') throw new TypeError('secret')
              return text
            },
          },
        }),
      },
    }
    const file = csv(
      ['code', 'text'],
      ['a', '5'],
      ['b', 'many'],
      ['c', ''],
      ['d', 'refused'],
      ['e', 'broken'],
      ['f', 'broken'],
    )
    const { errors, ...counts } = await run(config, file)
    expect(counts).toMatchObject({ created: 2, failed: 4 })
    const told = expect.stringMatching(/^This value is not acceptable\. Please quote error id [0-9a-f-]{36}\.$/)
    expect(errors).toEqual([
      { row: 3, field: 'number', message: '"many" is not a whole number. Write it like 42.', model: 'samples' },
      { row: 5, field: 'number', message: 'Not this one.', model: 'samples' },
      { row: 6, field: 'number', message: told, model: 'samples' },
      { row: 7, field: 'number', message: told, model: 'samples' },
    ])
    expect(stderr.mock.calls.map(([text]) => text)).toEqual([
      expect.stringContaining('the import function of "number" failed'),
    ])
    stderr.mockRestore()
    expect(await db.rows('samples', 'code', 'number')).toEqual([
      ['a', '5'],
      ['c', null],
    ])
  })

  test('come behind prepareRow, whose cells they are made from', async () => {
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['countries'],
      models: {
        countries: importModel({
          model: countries,
          fields: ['iso2'],
          uniqueFields: ['iso2'],
          computedFields: { name: row => `Land ${row.iso2}, ${row.made}` },
        }),
      },
      prepareRow: row => ({ ...row, iso2: String(row.iso2).toUpperCase(), made: 'so' }),
    }
    expect(await run(config, csv(['iso2'], ['de']))).toMatchObject({ created: 1, skipped: 0 })
    expect(await db.rows('countries', 'name')).toEqual([['Land DE, so']])
  })

  test('a foreign key is computed as what it is looked up by, under its name or its source field', async () => {
    const country = importForeignKey({ model: countries, lookupField: 'iso2', sourceField: 'country_code' })
    const models = (computed: object) => ({
      countries: importModel({
        model: countries,
        fields: [],
        uniqueFields: ['iso2'],
        computedFields: { iso2: row => String(row.code).slice(0, 2), name: row => row.code },
      }),
      regions: importModel({
        model: regions,
        fields: ['name'],
        uniqueFields: ['country_code', 'name'],
        foreignKeys: { country },
        ...computed,
      }),
    })
    const file = csv(['code', 'name'], ['DE-HE', 'Hesse'], ['DE-BY', 'Bavaria'])
    for (const name of ['country', 'country_code']) {
      const computed = { computedFields: { [name]: (row: Record<string, unknown>) => String(row.code).slice(0, 2) } }
      const config: ImportFileConfig = { fileFormat: 'csv', order: ['countries', 'regions'], models: models(computed) }
      expect(await run(config, file)).toMatchObject({ failed: 0, processed: 2 })
      expect(await db.rows('regions', 'name')).toEqual([['Bavaria'], ['Hesse']])
    }
    const constant = { constantFields: { country: 'XX' } }
    const config: ImportFileConfig = { fileFormat: 'csv', order: ['countries', 'regions'], models: models(constant) }
    expect((await run(config, file)).errors).toEqual(
      [2, 3].map(row => ({
        row,
        field: 'country_code',
        message: 'There is no country with the iso2 "XX".',
        model: 'regions',
      })),
    )
  })

  test('what the resource fixes wins over them, and what they would say is no error', async () => {
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['samples'],
      models: {
        samples: importModel({
          model: scoped(samples, () => eq(samples.kind, 'a'), {
            fixedValues: () => ({ kind: 'a' as const, number: 5 }),
          }),
          fields: ['code'],
          uniqueFields: ['code'],
          computedFields: { number: () => 'many' },
          constantFields: { kind: 'B c' },
        }),
      },
    }
    expect(await run(config, csv(['code'], ['x']))).toMatchObject({ created: 1, failed: 0 })
    expect(await db.rows('samples', 'code', 'number', 'kind')).toEqual([['x', '5', 'a']])
  })

  test('one column may feed several fields of one model, and of several', async () => {
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['countries', 'cities'],
      models: {
        countries: importModel({
          model: countries,
          fields: ['iso2'],
          uniqueFields: ['iso2'],
          computedFields: { name: row => `Land ${row.iso2}` },
        }),
        cities: importModel({
          model: cities,
          fields: ['name', 'plate'],
          uniqueFields: ['country', 'name'],
          foreignKeys: { country: importForeignKey({ model: countries, lookupField: 'iso2', sourceField: 'iso2' }) },
          computedFields: { district: row => row.name },
        }),
      },
    }
    const file = csv(['iso2', 'name', 'plate'], ['DE', 'Kassel', 'KS'], ['FR', 'Lyon', ''], ['DE', 'Fulda', 'FD'])
    expect(await run(config, file)).toMatchObject({ created: 3, failed: 0, ignoredColumns: [] })
    expect(await db.rows('countries', 'iso2', 'name')).toEqual([
      ['DE', 'Land DE'],
      ['FR', 'Land FR'],
    ])
    expect(await db.rows('cities', 'name', 'district')).toEqual([
      ['Fulda', 'Fulda'],
      ['Kassel', 'Kassel'],
      ['Lyon', 'Lyon'],
    ])
  })

  test('two relations may be found by one column', async () => {
    const { people } = tables
    await db.run("insert into people (id, name) values ('00000000-0000-7000-8000-000000000001', 'DE')")
    const config: ImportFileConfig = {
      fileFormat: ['csv', 'xlsx'],
      order: ['countries', 'cities'],
      models: {
        countries: importModel({ model: countries, fields: ['iso2', 'name'], uniqueFields: ['iso2'] }),
        cities: importModel({
          model: cities,
          fields: ['plate'],
          uniqueFields: ['country', 'mayor', 'name'],
          foreignKeys: {
            country: importForeignKey({ model: countries, lookupField: 'iso2', sourceField: 'iso2' }),
            mayor: importForeignKey({ model: people, lookupField: 'name', sourceField: 'iso2' }),
          },
          computedFields: { name: () => 'Kassel' },
        }),
      },
    }
    const file = await workbook({
      countries: [
        ['iso2', 'name'],
        ['DE', 'Germany'],
      ],
      cities: [
        ['iso2', 'plate'],
        ['DE', 'KS'],
      ],
    })
    expect(await run(config, file)).toMatchObject({ created: 2, failed: 0 })
    expect(await run(config, csv(['iso2', 'name', 'plate'], ['DE', 'Germany', 'KA']))).toMatchObject({ updated: 1 })
    expect((await db.rows('cities', 'mayor_id')).flat()).toEqual(['00000000-0000-7000-8000-000000000001'])
  })

  test('are no columns of the template', async () => {
    const service = new ImportService({
      fileFormat: 'csv',
      order: ['samples'],
      models: {
        samples: importModel({
          model: samples,
          fields: ['text'],
          uniqueFields: ['code'],
          computedFields: { code: row => row.text },
          constantFields: { kind: 'a' },
        }),
      },
    })
    expect(
      service.plan.models[0]?.columns.filter(({ appValue }) => appValue === undefined).map(({ header }) => header),
    ).toEqual(['text'])
  })
})
