import { eq } from 'drizzle-orm'
import {
  BaseModelSerializer,
  IdToDataField,
  type ImportFileConfig,
  importForeignKey,
  importManyToMany,
  importModel,
  scoped,
} from 'viewset'
import { expect, test } from 'vitest'
import { describeDialects } from '../support/dialects.ts'
import { atlasModels, geography } from '../support/import-models.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'

describeDialects('the diff of an import', dialect => {
  const tables = geography(dialect.kit)
  const { countries, people, cities, labels, cityLabels, samples } = tables
  const db = useDatabase(dialect, tables)
  const models = atlasModels(tables)
  const countryConfig: ImportFileConfig = {
    fileFormat: 'csv',
    order: ['countries'],
    models: { countries: models.countries },
  }
  const byText = importManyToMany({ model: labels, lookupField: 'text', sourceField: 'labels', through: cityLabels })
  const cityRows = importModel({
    model: cities,
    fields: ['name', 'population', 'area'],
    uniqueFields: ['country', 'name'],
    foreignKeys: {
      country: importForeignKey({ model: countries, lookupField: 'iso2', sourceField: 'country_code' }),
      mayor: importForeignKey({ model: people, lookupField: 'name', sourceField: 'mayor' }),
    },
    manyToMany: { labels: byText },
    deleteWhen: { sourceField: 'gone', equals: ['x'] },
  })
  const cityConfig: ImportFileConfig = { fileFormat: 'csv', order: ['cities'], models: { cities: cityRows } }
  const header = ['country_code', 'name', 'population', 'area', 'mayor', 'labels', 'gone']
  const run = (config: ImportFileConfig, file: Buffer, options = {}) =>
    importOnce(config, file, { database: db.database, dryRun: true, diff: true, ...options })
  const store = (config: ImportFileConfig, file: Buffer) => importOnce(config, file, { database: db.database })
  const prepare = async () => {
    await store(countryConfig, csv(['iso2', 'name'], ['DE', 'Germany'], ['FR', 'France']))
    await db.run(
      `insert into people (id, name) values ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'Ann'), ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12', 'Ben')`,
    )
    await db.run(
      `insert into labels (id, text) values ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380b11', 'a'), ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380b12', 'b')`,
    )
    await store(
      cityConfig,
      csv(
        header,
        ['DE', 'Berlin', '3', '1.5', 'Ann', 'a', ''],
        ['DE', 'Bonn', '1', '', '', '', ''],
        ['FR', 'Paris', '2', '', '', '', ''],
      ),
    )
  }

  test('tells old and new values as JSON has them, foreign keys and links as the file does', async () => {
    await prepare()
    const before = await db.rows('cities', 'name', 'population')
    const file = csv(
      header,
      ['DE', 'Berlin', '4', '1.50', 'Ben', 'b; a', ''],
      ['DE', 'Bonn', '1', '', '', '', ''],
      ['FR', 'Paris', '', '', '', '', 'x'],
      ['FR', 'Nice', '', '2', '', '', ''],
      ['DE', 'Kiel', 'x', '', '', '', ''],
      ['FR', 'Nice', '', '2', '', '', ''],
    )
    const { diff, ...result } = await run(cityConfig, file)
    expect(result).toMatchObject({ processed: 6, created: 1, updated: 3, deleted: 1, failed: 1 })
    expect(diff).toEqual({
      rows: [
        {
          row: 2,
          model: 'cities',
          action: 'update',
          changes: { population: [3, 4], mayor: ['Ann', 'Ben'], labels: [['a'], ['a', 'b']] },
        },
        {
          row: 4,
          model: 'cities',
          action: 'delete',
          changes: { name: ['Paris', null], population: [2, null], country_code: ['FR', null], labels: [[], null] },
        },
        {
          row: 5,
          model: 'cities',
          action: 'create',
          changes: { name: [null, 'Nice'], area: [null, '2.00'], country_code: [null, 'FR'], labels: [null, []] },
        },
      ],
      totals: { create: 1, update: 1, delete: 1, unchanged: 2 },
    })
    expect(await db.rows('cities', 'name', 'population')).toEqual(before)
  })

  test('has each record of a row that changes anything, and none of a row that does not, fails or is left out', async () => {
    await store({ ...countryConfig }, csv(['iso2', 'name'], ['DE', 'Germany']))
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['countries', 'regions'],
      models: { countries: { ...models.countries, skipUnchanged: true }, regions: models.regions },
    }
    const file = csv(
      ['iso2', 'countries.name', 'regions.name'],
      ['DE', 'Germany', 'North'],
      ['FR', 'France', ''],
      ['FR', 'France', 'South'],
      ['DE', 'Germany', 'North'],
      ['FR', 'Francia', 'South'],
    )
    expect((await run(config, file)).diff).toEqual({
      rows: [
        { row: 2, model: 'countries', action: 'unchanged', changes: {} },
        { row: 2, model: 'regions', action: 'create', changes: { name: [null, 'North'], iso2: [null, 'DE'] } },
        { row: 4, model: 'countries', action: 'create', changes: { iso2: [null, 'FR'], name: [null, 'France'] } },
        { row: 4, model: 'regions', action: 'create', changes: { name: [null, 'South'], iso2: [null, 'FR'] } },
        { row: 6, model: 'countries', action: 'update', changes: { name: ['France', 'Francia'] } },
        { row: 6, model: 'regions', action: 'unchanged', changes: {} },
      ],
      totals: { create: 2, update: 0, delete: 0, unchanged: 2 },
    })
  })

  test('has the creation of a parent by the first row that is stored, though a row before it failed', async () => {
    await store(countryConfig, csv(['iso2', 'name'], ['DE', 'Germany']))
    const both = { countries: models.countries, cities: models.cities }
    const config: ImportFileConfig = { fileFormat: 'csv', order: ['countries', 'cities'], models: both }
    const file = csv(
      ['iso2', 'countries.name', 'district', 'cities.name', 'plate', 'population', 'area', 'kind', 'mayor'],
      ['DE', 'Germany', '', 'Bonn', 'x', '', '', '', ''],
      ['FR', 'France', '', 'Nice', 'x', '', '', '', ''],
      ['FR', 'France', '', 'Paris', 'y', '', '', '', ''],
      ['FR', 'France', '', 'Lille', 'z', '', '', '', ''],
    )
    const { diff, errors } = await run(config, file)
    expect(errors.map(({ row, field }) => [row, field])).toEqual([[3, 'plate']])
    expect(diff?.rows.map(({ row, model, action }) => [row, model, action])).toEqual([
      [2, 'countries', 'unchanged'],
      [2, 'cities', 'create'],
      [4, 'countries', 'create'],
      [4, 'cities', 'create'],
      [5, 'countries', 'unchanged'],
      [5, 'cities', 'create'],
    ])
  })

  test('lists 100 rows and counts all, in chunks and without a dry run as well', async () => {
    const codes = Array.from({ length: 150 }, (_, i) => String.fromCharCode(65 + Math.floor(i / 26), 65 + (i % 26)))
    const rows = codes.map(code => [code, `Name of ${code}`])
    const { diff } = await run({ ...countryConfig, chunkSize: 40 }, csv(['iso2', 'name'], ...rows), { dryRun: false })
    expect(diff?.totals).toEqual({ create: 150, update: 0, delete: 0, unchanged: 0 })
    expect(diff?.rows.map(({ row }) => row)).toEqual(Array.from({ length: 100 }, (_, i) => i + 2))
    const changed = rows.map(([code, name], at) => [String(code), at < 30 ? String(name) : `New ${code}`])
    const again = (await run({ ...countryConfig, chunkSize: 40 }, csv(['iso2', 'name'], ...changed), { dryRun: false }))
      .diff
    expect(again?.totals).toEqual({ create: 0, update: 120, delete: 0, unchanged: 30 })
    expect(again?.rows.map(({ row }) => row)).toEqual(Array.from({ length: 100 }, (_, i) => i + 32))
    expect(again?.rows[0]).toEqual({
      row: 32,
      model: 'countries',
      action: 'update',
      changes: { name: ['Name of BE', 'New BE'] },
    })
  })

  test('a replace says what it deletes; one that fails changes nothing', async () => {
    await store(countryConfig, csv(['iso2', 'name'], ['DE', 'Germany'], ['FR', 'France']))
    const { diff } = await run(countryConfig, csv(['iso2', 'name'], ['DE', 'Germany']), { append: false })
    expect(diff).toEqual({
      rows: [
        { row: 2, model: 'countries', action: 'create', changes: { iso2: [null, 'DE'], name: [null, 'Germany'] } },
      ],
      totals: { create: 1, update: 0, delete: 0, unchanged: 0 },
      replaced: { deleted: 2, records: expect.arrayContaining([{ iso2: 'DE' }, { iso2: 'FR' }]) },
    })
    const failing = await run(countryConfig, csv(['iso2', 'name'], ['DE', 'Germany'], ['DEU', 'x']), { append: false })
    expect(failing.diff).toEqual({ rows: [], totals: { create: 0, update: 0, delete: 0, unchanged: 0 } })
  })

  test('is absent where nobody asks for it', async () => {
    expect(await store(countryConfig, csv(['iso2', 'name'], ['DE', 'Germany']))).not.toHaveProperty('diff')
  })

  test('shows no field that the serializer does not, nor whether one that can only be written holds a value', async () => {
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['samples'],
      models: {
        samples: importModel({
          model: samples,
          fields: ['code', 'text', 'number'],
          uniqueFields: ['code'],
          skipUnchanged: true,
        }),
      },
    }
    const file = (text: string, number: string) => csv(['code', 'text', 'number'], ['a', text, number])
    await store(config, file('pin', '1'))
    const hidden = BaseModelSerializer(samples, { fields: ['id', 'code', 'number'] })
    expect((await run(config, file('new', '1'), { serializer: hidden })).diff?.rows).toEqual([
      { row: 2, model: 'samples', action: 'update', changes: {} },
    ])
    const secret = BaseModelSerializer(samples, { fields: ['id', 'code', 'text', 'number'], writeOnly: ['text'] })
    const tries = [
      await run(config, file('pin', '1'), { serializer: secret }),
      await run(config, file('guess', '1'), { serializer: secret }),
    ]
    expect(tries[0]).toEqual(tries[1])
    expect(tries[0]?.diff?.rows).toEqual([{ row: 2, model: 'samples', action: 'update', changes: {} }])
    expect(tries[0]).toMatchObject({ updated: 1, unchanged: 0 })
  })

  test('of other models shows what the relations of the serializer do; who may not be referred to has no name', async () => {
    await prepare()
    const CountryName = BaseModelSerializer(countries, { fields: ['name'] })
    const visible = scoped(people, () => eq(people.name, 'Ben'))
    const serializer = BaseModelSerializer(cities, {
      fields: ['name', 'population'],
      extra: {
        country: IdToDataField({ queryset: countries, serializer: CountryName }),
        mayor: IdToDataField({ queryset: visible, serializer: BaseModelSerializer(people, { fields: ['id'] }) }),
      },
    })
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['countries', 'cities'],
      models: {
        countries: models.countries,
        cities: importModel({
          model: cities,
          fields: ['name', 'area'],
          uniqueFields: ['country', 'name'],
          foreignKeys: {
            country: importForeignKey({ model: countries, lookupField: 'iso2', sourceField: 'iso2' }),
            mayor: importForeignKey({ model: people, lookupField: 'name', sourceField: 'mayor' }),
          },
        }),
      },
    }
    const file = csv(
      ['iso2', 'countries.name', 'cities.name', 'area', 'mayor'],
      ['DE', 'Deutschland', 'Berlin', '9', 'Ben'],
      ['IT', 'Italy', 'Rome', '1', ''],
    )
    expect((await run(config, file, { serializer, model: cities })).diff?.rows).toEqual([
      { row: 2, model: 'countries', action: 'update', changes: { name: ['Germany', 'Deutschland'] } },
      { row: 2, model: 'cities', action: 'update', changes: { mayor: [null, 'Ben'] } },
      { row: 3, model: 'countries', action: 'create', changes: { name: [null, 'Italy'] } },
      { row: 3, model: 'cities', action: 'create', changes: { name: [null, 'Rome'], iso2: [null, 'IT'] } },
    ])
  })
})
