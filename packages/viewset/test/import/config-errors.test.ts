import { blob, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { type ImportFileConfig, ImportService, type ImportServiceOptions, importForeignKey, importModel } from 'viewset'
import { kit } from 'viewset/sqlite'
import { expect, test } from 'vitest'
import { atlasModels, geography } from '../support/import-models.ts'

const tables = geography(kit)
const { countries, cities, regions, samples } = tables
const models = atlasModels(tables)
const good: ImportFileConfig = { fileFormat: 'csv', order: ['countries', 'regions', 'cities'], models }
const files = sqliteTable('files', { name: text().primaryKey(), bytes: blob() })

/** A configuration that a program without types may give. */
const untyped = (config: object): ImportFileConfig => config as ImportFileConfig
const countriesWith = (changes: object): ImportFileConfig =>
  untyped({ ...good, order: ['countries'], models: { countries: { ...models.countries, ...changes } } })
const citiesWith = (changes: object): ImportFileConfig =>
  untyped({ ...good, models: { ...models, cities: { ...models.cities, ...changes } } })
const withCountry = (changes: object): ImportFileConfig =>
  citiesWith({ foreignKeys: { country: { model: countries, lookupField: 'iso2', sourceField: 'iso2', ...changes } } })

test.each<[string, ImportFileConfig, string]>([
  ['an unknown setting', untyped({ ...good, chunksize: 1 }), 'chunksize: unknown setting; did you mean "chunkSize"?'],
  [
    'an unknown format',
    untyped({ ...good, fileFormat: 'xlxs' }),
    'fileFormat: unknown format "xlxs"; did you mean "xls"?',
  ],
  ['no fileFormat', untyped({ ...good, fileFormat: undefined }), 'fileFormat: is required; known: csv, xls, xlsx'],
  [
    'a format that is no text',
    untyped({ ...good, fileFormat: [7] }),
    'fileFormat: unknown format "7"; known: "csv", "xls", "xlsx"',
  ],
  ['no format', untyped({ ...good, fileFormat: [] }), 'fileFormat: is required; known: csv, xls, xlsx'],
  ['a chunkSize of 0', { ...good, chunkSize: 0 }, 'chunkSize: must be a whole number above 0, not 0'],
  ['a chunkSize of 1.5', { ...good, chunkSize: 1.5 }, 'chunkSize: must be a whole number above 0, not 1.5'],
  [
    'a header for no field',
    untyped({ ...good, headers: { Town: 'cities.nmae' } }),
    'headers.Town: "cities.nmae" is not imported; did you mean "cities.name"?',
  ],
  [
    'a header for a field of several models',
    untyped({ ...good, headers: { Town: ['iso2', 'name'] } }),
    'headers.Town: which one? Write "countries.name" or "regions.name" or "cities.name"',
  ],
  ['a header for nothing', untyped({ ...good, headers: { Town: [] } }), 'headers.Town: names no field'],
  [
    'a header for no name',
    untyped({ ...good, headers: { Town: 7 } }),
    'headers.Town: must be a field or a list of fields',
  ],
  ['a header without text', untyped({ ...good, headers: { ' ': 'plate' } }), 'headers: has a header without text'],
  [
    'a header twice',
    untyped({ ...good, headers: { 'Big plate': 'plate', big_PLATE: 'area' } }),
    'headers.big_PLATE: is the same header as "Big plate"',
  ],
  [
    'a header that takes the name of another field',
    untyped({ ...good, headers: { Plate: 'area' } }),
    'headers.Plate: is what "cities.plate" is called by itself; give that a header of its own',
  ],
  ['headers that are no object', untyped({ ...good, headers: 'plate' }), 'headers: must be an object'],
  ['headers that are a list', untyped({ ...good, headers: ['plate'] }), 'headers: must be an object'],
  ['no models', untyped({ ...good, models: {} }), 'models: is required; describe at least one model'],
  [
    'a strange name in the order',
    { ...good, order: ['contries', 'regions', 'cities'] },
    'order: "contries" is not among the models; did you mean "countries"?',
  ],
  [
    'an order that misses a model',
    { ...good, order: ['countries', 'cities'] },
    'order: misses "regions", which is among the models',
  ],
  ['a name twice in the order', { ...good, order: ['countries', 'countries'] }, 'order: names "countries" twice'],
  [
    'a parent behind its child',
    { ...good, order: ['cities', 'countries', 'regions'] },
    'order: "cities" refers to "countries"; put "countries" before it',
  ],
  [
    'an unknown setting of a model',
    countriesWith({ uniqueField: [] }),
    'models.countries.uniqueField: unknown setting; did you mean "uniqueFields"?',
  ],
  [
    'an unknown field',
    countriesWith({ fields: ['iso2', 'nmae'] }),
    'models.countries.fields: "nmae" is not among the fields of "countries"; did you mean "name"?',
  ],
  [
    'a unique field that is not imported',
    countriesWith({ uniqueFields: ['id'] }),
    'models.countries.uniqueFields: "id" is not among the imported fields; known: "iso2", "name"',
  ],
  [
    'no unique fields',
    countriesWith({ uniqueFields: [] }),
    'models.countries.uniqueFields: is empty; name the fields that identify a record, or say createOnly',
  ],
  [
    'unique fields that are left out',
    countriesWith({ uniqueFields: undefined }),
    'models.countries.uniqueFields: is required; give a list of names',
  ],
  [
    'an unknown policy',
    countriesWith({ onExisting: 'skp' }),
    'models.countries.onExisting: unknown value "skp"; did you mean "skip"?',
  ],
  [
    'another unknown policy',
    countriesWith({ onMissing: 'update' }),
    'models.countries.onMissing: unknown value "update"; known: "create", "skip", "fail"',
  ],
  [
    'policies that write nothing',
    countriesWith({ onExisting: 'skip', onMissing: 'fail' }),
    "models.countries.onMissing: with onExisting: 'skip', no row would write anything",
  ],
  [
    'unchanged rows where none updates',
    countriesWith({ onExisting: 'skip', skipUnchanged: true }),
    "models.countries.skipUnchanged: skips rows that would update a record, and onExisting: 'skip' updates none",
  ],
  [
    'a skipUnchanged of 1',
    countriesWith({ skipUnchanged: 1 }),
    'models.countries.skipUnchanged: must be true or false',
  ],
  ['a createOnly of 1', countriesWith({ createOnly: 1 }), 'models.countries.createOnly: must be true or false'],
  [
    'createOnly with unique fields',
    countriesWith({ createOnly: true }),
    "models.countries.createOnly: creates a record for each row and looks for none; leave uniqueFields out, or say onExisting: 'fail'",
  ],
  [
    'createOnly with a policy for stored records',
    countriesWith({ createOnly: true, uniqueFields: [], onMissing: 'create' }),
    'models.countries.onMissing: is about a record that is found, and createOnly looks for none',
  ],
  [
    'a required field that is not imported',
    countriesWith({ fields: ['iso2'] }),
    'models.countries.fields: misses "name", which is required and has no default',
  ],
  [
    'an audit field',
    countriesWith({ fields: ['iso2', 'name', 'createdAt'] }),
    'models.countries.fields: "createdAt" is filled by itself and cannot be imported',
  ],
  [
    'a primary key that is not unique',
    countriesWith({ fields: ['iso2', 'name', 'id'] }),
    'models.countries.fields: "id" is the primary key, which an update cannot change; put it among the uniqueFields too',
  ],
  [
    'a foreign key that is none',
    citiesWith({ foreignKeys: { ...models.cities.foreignKeys, name: models.cities.foreignKeys?.country } }),
    'models.cities.foreignKeys.name: "name" is no foreign key; name it among the fields instead',
  ],
  [
    'a foreign key to another model',
    withCountry({ model: regions, lookupField: 'name' }),
    'models.cities.foreignKeys.country.model: "country" refers to "countries", not to "regions"',
  ],
  [
    'an unknown lookup field',
    withCountry({ lookupField: 'iso3' }),
    'models.cities.foreignKeys.country.lookupField: unknown field "iso3" of "countries"; did you mean "iso2"?',
  ],
  [
    'no source field',
    withCountry({ sourceField: ' ' }),
    'models.cities.foreignKeys.country.sourceField: is required; name the column of the file that holds the lookup value',
  ],
  [
    'a prepareRow that is no function',
    untyped({ ...good, prepareRow: 'trim' }),
    'prepareRow: must be a function of the row',
  ],
  [
    'a computed field that the model does not have',
    countriesWith({ computedFields: { nmae: () => 'x' } }),
    'models.countries.computedFields.nmae: unknown setting; did you mean "name"?',
  ],
  [
    'a computed field that is no function',
    countriesWith({ fields: ['iso2'], computedFields: { name: 'x' } }),
    'models.countries.computedFields.name: must be a function of the row',
  ],
  [
    'a field that is read and computed',
    countriesWith({ computedFields: { name: () => 'x' } }),
    'models.countries.computedFields.name: "name" stands in models.countries.fields, too; say where it comes from',
  ],
  [
    'a field that is computed and constant',
    countriesWith({ fields: ['iso2'], computedFields: { name: () => 'x' }, constantFields: { name: 'x' } }),
    'models.countries.constantFields.name: "name" stands in models.countries.computedFields, too; say where it comes from',
  ],
  [
    'a constant that no row could have',
    citiesWith({ fields: ['district', 'name', 'plate', 'area', 'kind'], constantFields: { population: 'many' } }),
    'models.cities.constantFields.population: "many" is not a whole number. Write it like 42.',
  ],
  [
    'a constant that is computed by the database',
    countriesWith({ constantFields: { createdAt: '2026-01-01T00:00:00Z' } }),
    'models.countries.fields: "createdAt" is filled by itself and cannot be imported',
  ],
  [
    'a locale that is none',
    untyped({ ...good, locale: 'German' }),
    'locale: "German" is not a language tag; did you mean "de"?',
  ],
  [
    'a locale with an underscore',
    { ...good, locale: 'de_DE' },
    'locale: "de_DE" is not a language tag; did you mean "de-DE"?',
  ],
  [
    'no text for a locale',
    untyped({ ...good, locale: 7 }),
    'locale: "7" is not a language tag; write a language tag, such as "de-DE"',
  ],
  [
    'a language that nobody speaks',
    { ...good, locale: 'xx-XX' },
    'locale: nothing is known of "xx-XX"; write a language tag, such as "de-DE"',
  ],
  [
    'a locale with another calendar',
    { ...good, locale: 'th-TH' },
    'locale: dates of the calendar "buddhist" cannot be read; write "th-TH-u-ca-gregory" for files with others',
  ],
])('%s is a ConfigError', (_what, config, message) => {
  expect(() => new ImportService(config)).toThrow(`ImportService: ${message}`)
})

test('columns that no file can hold are refused', () => {
  const config = (fields: string[]) =>
    untyped({
      fileFormat: 'csv',
      order: ['files'],
      models: { files: { model: files, fields, uniqueFields: ['name'] } },
    })
  expect(() => new ImportService(config(['name', 'bytes']))).toThrow(
    'ImportService: models.files.fields: "bytes" is of a type that no cell of a file can hold',
  )
  const byData = importModel({ model: samples, fields: ['code', 'data'], uniqueFields: ['data'] })
  expect(() => new ImportService({ fileFormat: 'csv', order: ['s'], models: { s: byData } })).toThrow(
    'ImportService: models.s.uniqueFields: "data" is of a type by which no record can be found',
  )
})

test.each<[string, ImportServiceOptions, string]>([
  [
    'of an unknown field',
    { transforms: { nmae: String } },
    'importTransforms.nmae: "nmae" is not imported; did you mean "name"?',
  ],
  [
    'of a name that several models have',
    { transforms: { name: String } },
    'importTransforms.name: which one? Write "countries.name" or "regions.name" or "cities.name"',
  ],
  [
    'that is no function',
    { transforms: { plate: 'x' as never } },
    'importTransforms.plate: must be a function of the value',
  ],
])('a transform %s is a ConfigError', (_what, options, message) => {
  expect(() => new ImportService(good, options)).toThrow(`ImportService: ${message}`)
})

test('the model of a resource must be among the models', () => {
  expect(() => new ImportService(good, { model: samples, subject: 'SampleViewSet' })).toThrow(
    'SampleViewSet: models: has no entry for "samples", which is the resource\'s',
  )
})

test('a foreign key may be read without a lookup, as what it holds', () => {
  const { plan } = new ImportService({
    fileFormat: ['csv', 'csv', 'xlsx'],
    order: ['cities'],
    models: { cities: importModel({ model: cities, fields: ['name', 'country'], uniqueFields: ['name'] }) },
  })
  expect(plan.formats).toEqual(['csv', 'xlsx'])
  expect(plan.models[0]?.columns.map(({ header, required, lookup }) => [header, required, lookup?.by.key])).toEqual([
    ['name', true, undefined],
    ['country', true, 'id'],
  ])
})

test('in a flat file, columns of one name that mean different things are called after their model', () => {
  const { plan } = new ImportService(good)
  expect(plan.models.map(({ columns }) => columns.map(({ flatHeader }) => flatHeader))).toEqual([
    ['iso2', 'countries.name'],
    ['regions.name', 'iso2'],
    ['district', 'cities.name', 'plate', 'population', 'area', 'kind', 'iso2', 'mayor'],
  ])
  expect(importForeignKey({ model: countries, lookupField: 'iso2', sourceField: 'iso2' }).sourceField).toBe('iso2')
})
