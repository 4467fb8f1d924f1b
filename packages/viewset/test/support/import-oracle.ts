/** What a row of the property test says; `null` is an empty cell. */
export interface OracleRow {
  readonly iso2: string | null
  readonly country: string | null
  readonly region: string | null
  readonly district: string | null
  readonly city: string | null
  readonly mayor: string | null
  readonly plate: string | null
  readonly population: string | null
}

interface Country {
  name: string
}
interface Region {
  readonly iso2: string
  readonly name: string
}
export interface City {
  readonly iso2: string
  readonly district: string | null
  readonly name: string
  mayor: string | null
  plate: string | null
  population: number | null
}

/** All that is stored, as plain data: what an import of one row after the other makes of it is easy to see. */
export class World {
  countries = new Map<string, Country>()
  regions: Region[] = []
  cities: City[] = []
  /** People by their name, of whom some share one. */
  readonly people: readonly string[]

  constructor(people: readonly string[]) {
    this.people = people
  }

  copy(): World {
    const copy = new World(this.people)
    copy.countries = new Map([...this.countries].map(([iso2, country]) => [iso2, { ...country }]))
    copy.regions = this.regions.map(region => ({ ...region }))
    copy.cities = this.cities.map(city => ({ ...city }))
    return copy
  }
}

/** What became of a row: the fields at fault, or how it was stored. */
export type Outcome = 'created' | 'updated' | readonly string[]

/** Imports one row into a copy of the world; the world itself stays as it is when the row fails. */
export function importRow(world: World, row: OracleRow): { readonly world: World; readonly outcome: Outcome } {
  const faults = [...cellFaults(row), ...(row.mayor === null ? [] : mayorFault(world, row.mayor))]
  if (faults.length > 0) return { world, outcome: faults }
  const next = world.copy()
  const iso2 = row.iso2 as string
  const known = next.countries.get(iso2)
  const rival = [...next.countries].some(([code, { name }]) => code !== iso2 && name === row.country)
  if (rival) return { world, outcome: ['countries.name'] }
  if (known) known.name = row.country as string
  else next.countries.set(iso2, { name: row.country as string })
  const region = row.region as string
  if (!next.regions.some(stored => stored.iso2 === iso2 && stored.name === region)) {
    next.regions.push({ iso2, name: region })
  }
  const same = next.cities.filter(
    city => city.iso2 === iso2 && city.district === row.district && city.name === row.city,
  )
  if (same.length > 1) return { world, outcome: ['non_field_errors'] }
  const plate = row.plate
  if (plate !== null && next.cities.some(city => city !== same[0] && city.plate === plate)) {
    return { world, outcome: ['plate'] }
  }
  // A trigger refuses this number, of what is valid otherwise.
  if (row.population === '666') return { world, outcome: ['non_field_errors'] }
  const values = { mayor: row.mayor, plate, population: row.population === null ? null : Number(row.population) }
  if (same[0]) Object.assign(same[0], values)
  else next.cities.push({ iso2, district: row.district, name: row.city as string, ...values })
  return { world: next, outcome: same[0] ? 'updated' : 'created' }
}

function cellFaults({ iso2, country, region, city, population, plate }: OracleRow): string[] {
  return [
    ...(iso2 === null || iso2.length > 2 ? ['iso2', 'iso2', 'iso2'] : []),
    ...(country === null ? ['countries.name'] : []),
    ...(region === null ? ['regions.name'] : []),
    ...(city === null ? ['cities.name'] : []),
    ...(plate !== null && plate.length > 5 ? ['plate'] : []),
    ...(population !== null && !/^-?\d{1,9}$/.test(population) ? ['population'] : []),
  ]
}

function mayorFault({ people }: World, mayor: string): string[] {
  return people.filter(name => name === mayor).length === 1 ? [] : ['mayor']
}
