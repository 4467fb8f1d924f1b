import { importForeignKey, importModel } from 'viewset'
import type { Models } from './models.ts'

/** The columns of files for each model, and the fields that identify a stored record. */
export function imports({ continents, countries, regions, cities }: Models) {
  const country = importForeignKey({ model: countries, lookupField: 'code', sourceField: 'country_code' })
  return {
    continents: importModel({ model: continents, fields: ['code', 'name'], uniqueFields: ['code'] }),
    countries: importModel({
      model: countries,
      fields: ['code', 'name', 'nativeName', 'capital', 'phonePrefixes', 'currencies', 'languages'],
      uniqueFields: ['code'],
      foreignKeys: {
        continent: importForeignKey({ model: continents, lookupField: 'code', sourceField: 'continent_code' }),
      },
    }),
    regions: importModel({
      model: regions,
      fields: ['code', 'name'],
      uniqueFields: ['code'],
      foreignKeys: { country },
    }),
    cities: importModel({
      model: cities,
      fields: ['name', 'latitude', 'longitude'],
      uniqueFields: ['country', 'region', 'name', 'latitude', 'longitude'],
      matchWithoutIndex: true,
      foreignKeys: {
        country,
        region: importForeignKey({ model: regions, lookupField: 'code', sourceField: 'region_code' }),
      },
    }),
  }
}

/** The example rows of the templates. */
export const examples = {
  countries: {
    code: 'NO',
    name: 'Norway',
    nativeName: 'Norge',
    capital: 'Oslo',
    phonePrefixes: '47',
    currencies: 'NOK',
    languages: 'no, nb, nn',
    continent_code: 'EU',
  },
  regions: { code: 'NO.12', name: 'Oslo', country_code: 'NO' },
  cities: { name: 'Oslo', latitude: '59.91273', longitude: '10.74609', country_code: 'NO', region_code: 'NO.12' },
} as const
