import fc from 'fast-check'
import { currentDb, type Database, type ImportFileConfig } from 'viewset'
import { expect } from 'vitest'
import { atlasModels, type Geography } from './import-models.ts'
import {
  type City,
  importRow,
  type OraclePolicies,
  type OraclePolicy,
  type OracleRow,
  type Outcome,
  World,
} from './import-oracle.ts'
import { csv, type ImportFixture, importOnce } from './imports.ts'

const PEOPLE = ['Ann', 'Ben', 'Cleo', 'Cleo']
/** A country that no row is about, with a name and a city with a plate that others may want. */
const RESERVED = { iso2: 'ZZ', name: 'Taken', plate: 'TAKEN' }

const rare = <T>(common: fc.Arbitrary<T>, odd: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 12, arbitrary: common }, { weight: 1, arbitrary: odd })
const codes = fc.constantFrom('DE', 'FR', 'IT', 'ES')

/** Rows of a file that share countries, claim each other's names and plates, and have bad cells anywhere. */
const row: fc.Arbitrary<OracleRow> = codes.chain(iso2 =>
  fc.record({
    iso2: rare<string | null>(fc.constant(iso2), fc.constantFrom(null, 'DEU')),
    country: rare<string | null>(fc.constant(`Name of ${iso2}`), fc.constantFrom('Shared', RESERVED.name, null)),
    region: rare<string | null>(fc.constantFrom('North', 'South'), fc.constant(null)),
    district: fc.constantFrom(null, null, 'Old'),
    city: rare<string | null>(fc.constantFrom('A', 'B', 'C'), fc.constant(null)),
    mayor: rare<string | null>(fc.constantFrom(null, 'Ann', 'Ben'), fc.constantFrom('Cleo', 'Nobody')),
    plate: rare<string | null>(
      fc.constantFrom(null, null, 'P1', 'P2', 'P3'),
      fc.constantFrom(RESERVED.plate, 'TOOLONG'),
    ),
    population: rare<string | null>(fc.constantFrom(null, '1', '20'), fc.constantFrom('666', '1.5', '1e3', 'many')),
  }),
)

/** Cities that are stored before; some twice, so that a row about them cannot tell which one it means. */
const storedCity: fc.Arbitrary<City> = fc.record({
  iso2: codes,
  district: fc.constantFrom(null, 'Old'),
  name: fc.constantFrom('A', 'B'),
  mayor: fc.constant(null),
  plate: fc.constant(null),
  population: fc.constant(7),
})

/** Most models are as they are without settings; no policy may exclude all writes. */
const policy = fc.constantFrom<OraclePolicy[]>(
  { onExisting: 'update', onMissing: 'create', skipUnchanged: false },
  { onExisting: 'update', onMissing: 'create', skipUnchanged: true },
  { onExisting: 'skip', onMissing: 'create', skipUnchanged: false },
  { onExisting: 'fail', onMissing: 'create', skipUnchanged: false },
  { onExisting: 'update', onMissing: 'skip', skipUnchanged: true },
  { onExisting: 'update', onMissing: 'fail', skipUnchanged: false },
)
const plainPolicy = fc.constant<OraclePolicy>({ onExisting: 'update', onMissing: 'create', skipUnchanged: false })
const somePolicy = fc.oneof({ weight: 2, arbitrary: plainPolicy }, { weight: 3, arbitrary: policy })

/** What records of each model meet. */
export const somePolicies = fc.record({ countries: somePolicy, regions: somePolicy, cities: somePolicy })

/** What is stored before an import, its file, and how it is imported. */
export const scenario = fc.record({
  policies: somePolicies,
  cities: fc.array(storedCity, { maxLength: 3 }),
  rows: fc.array(row, { minLength: 1, maxLength: 14 }),
  chunkSize: fc.constantFrom(undefined, 1, 2, 3, 5),
  mode: fc.constantFrom('append' as const, 'append' as const, 'replace' as const, 'dry run' as const),
})

const HEADER = [
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

/** The statements that make a trigger which refuses a city of 666 people, as a rule of the database's own. */
export function refusingTrigger(dialect: 'pg' | 'sqlite'): readonly string[] {
  if (dialect === 'sqlite') {
    return ['insert', 'update'].map(
      event =>
        `create trigger refuse_${event} before ${event} on cities when new.population = 666 begin select raise(abort, 'secret'); end`,
    )
  }
  return [
    `create function refuse() returns trigger language plpgsql as $$ begin if new.population = 666 then raise exception 'secret'; end if; return new; end $$`,
    'create trigger refuse before insert or update on cities for each row execute function refuse()',
  ]
}

/** Imports random files and holds report and database against what an import of row after row makes of them. */
export async function checkRandomImports(db: ImportFixture, tables: Geography, numRuns: number): Promise<void> {
  const property = fc.asyncProperty(scenario, async ({ cities, rows, chunkSize, mode, policies }) => {
    await db.clear()
    const world = await store(db.database, tables, cities)
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['countries', 'regions', 'cities'],
      models: withPolicies(atlasModels(tables), policies),
      ...(chunkSize !== undefined && { chunkSize }),
    }
    const file = fileOf(rows)
    const isReplace = mode === 'replace'
    const result = await importOnce(config, file, {
      database: db.database,
      append: !isReplace,
      dryRun: mode === 'dry run',
    })
    const start = isReplace ? emptied(world) : world
    const { after, outcomes } = importAll(start, rows, policies)
    const failed = outcomes.filter(outcome => typeof outcome !== 'string').length
    const isUndone = isReplace && failed > 0
    const all = (which: Outcome) => outcomes.filter(outcome => outcome === which).length
    const count = (which: Outcome) => (isUndone ? 0 : all(which))
    const used = Object.values(policies)
    expect(result).toEqual({
      success: failed === 0,
      processed: rows.length,
      failed,
      errors: expect.any(Array),
      created: count('created'),
      updated: count('updated'),
      ...(used.some(({ skipUnchanged }) => skipUnchanged) && { unchanged: count('unchanged') }),
      ...(used.some(({ onExisting, onMissing }) => [onExisting, onMissing].includes('skip')) && {
        skipped: all('skipped'),
      }),
      ignoredColumns: [],
      ...(isReplace && { deleted: isUndone ? 0 : world.cities.length }),
      ...(mode === 'dry run' && { dryRun: true }),
    })
    const fields = result.errors.map(({ row, field }) => [row, field])
    expect(new Set(fields.map(String))).toEqual(
      new Set(
        outcomes.flatMap((outcome, at) => (typeof outcome === 'string' ? [] : outcome.map(f => `${at + 2},${f}`))),
      ),
    )
    expect(JSON.stringify(result)).not.toContain('secret')
    expect(await stored(db)).toEqual(plain(mode === 'dry run' || isUndone ? world : after))
  })
  await fc.assert(property, { numRuns })
}

/** The rows as a file that is uploaded. */
export function fileOf(rows: readonly OracleRow[]): Buffer {
  return csv(
    HEADER,
    ...rows.map(r => [r.iso2, r.country, r.region, r.district, r.city, r.mayor, r.plate, r.population, null, null]),
  )
}

/** The models with their policies, as a configuration has them. */
export function withPolicies(models: ReturnType<typeof atlasModels>, policies: OraclePolicies) {
  return {
    countries: { ...models.countries, ...policies.countries },
    regions: { ...models.regions, ...policies.regions },
    cities: { ...models.cities, ...policies.cities },
  }
}

export function importAll(
  start: World,
  rows: readonly OracleRow[],
  policies: OraclePolicies,
): { after: World; outcomes: Outcome[] } {
  let after = start
  const outcomes = rows.map(row => {
    const { world, outcome } = importRow(after, row, policies)
    after = world
    return outcome
  })
  return { after, outcomes }
}

export function emptied(world: World): World {
  const copy = world.copy()
  copy.cities = []
  return copy
}

export async function store(database: Database, tables: Geography, cities: readonly City[]): Promise<World> {
  const world = new World(PEOPLE)
  const ids = new Map<string, string>()
  await database.transaction(async () => {
    await currentDb()
      .insert(tables.people)
      .values(PEOPLE.map(name => ({ name })))
    const reserved: City = { ...RESERVED, name: 'Z', district: null, mayor: null, population: null }
    for (const { iso2, district, name, plate, population } of [...cities, reserved]) {
      if (!ids.has(iso2)) {
        const label = iso2 === RESERVED.iso2 ? RESERVED.name : `Name of ${iso2}`
        world.countries.set(iso2, { name: label })
        const [country] = await currentDb().insert(tables.countries).values({ iso2, name: label }).returning()
        ids.set(iso2, String(country?.id))
      }
      world.cities.push({ iso2, district, name, mayor: null, plate, population })
      await currentDb()
        .insert(tables.cities)
        .values({ country: ids.get(iso2) as string, district, name, plate, population })
    }
  })
  return world
}

type Line = readonly (string | null)[]

export function plain({ countries, regions, cities }: World): Record<string, string[]> {
  const text = (lines: readonly Line[]) => lines.map(line => JSON.stringify(line)).sort()
  return {
    countries: text([...countries].map(([iso2, { name }]) => [iso2, name])),
    regions: text(regions.map(({ iso2, name }) => [iso2, name])),
    cities: text(
      cities.map(({ iso2, district, name, mayor, plate, population }) => [
        iso2,
        district,
        name,
        mayor,
        plate,
        population === null ? null : String(population),
      ]),
    ),
  }
}

export async function stored({ database }: Pick<ImportFixture, 'database'>): Promise<Record<string, string[]>> {
  const read = async (text: string) => {
    const { rows } = await database.driver.run({ text }, [])
    return rows.map(row => JSON.stringify(row.map(value => (value === null ? null : String(value))))).sort()
  }
  const country = 'join countries on countries.id = country_id'
  return {
    countries: await read('select iso2, name from countries'),
    regions: await read(`select iso2, regions.name from regions ${country}`),
    cities: await read(
      `select iso2, district, cities.name, people.name, plate, population from cities ${country} left join people on people.id = mayor_id`,
    ),
  }
}
