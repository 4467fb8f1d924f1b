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
  /** The labels that it is linked to, as a cell names them; only where the import is told of links. */
  readonly labels: string | null
  /** Whether it deletes its city; only where the import is told of deletions. */
  readonly isGone: boolean
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
  /** In the order of the alphabet, with blanks between. */
  labels: string
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

/** What rows do with records of one model: its settings in the configuration. */
export interface OraclePolicy {
  readonly onExisting: 'update' | 'skip' | 'fail'
  readonly onMissing: 'create' | 'skip' | 'fail'
  readonly skipUnchanged: boolean
  readonly createOnly: boolean
}
export interface OraclePolicies {
  readonly countries: OraclePolicy
  readonly regions: OraclePolicy
  readonly cities: OraclePolicy
  readonly hasLinks: boolean
  readonly hasDeletions: boolean
}

/** The labels that there are. */
export const LABELS = ['a', 'b']

/** What became of a row: the fields at fault, or how it was stored. */
export type Outcome = 'created' | 'updated' | 'unchanged' | 'skipped' | 'deleted' | readonly string[]

/** What a row does with one of its records. */
type Step = 'create' | 'update' | 'unchanged' | 'use' | 'leave out' | 'fail'

function stepOf(
  { onExisting, onMissing, skipUnchanged }: OraclePolicy,
  stored: object | undefined,
  said: object,
): Step {
  if (!stored) return onMissing === 'skip' ? 'leave out' : onMissing
  if (onExisting !== 'update') return onExisting === 'skip' ? 'use' : 'fail'
  const isSame = Object.entries(said).every(([key, value]) => stored[key as keyof typeof stored] === value)
  return skipUnchanged && isSame ? 'unchanged' : 'update'
}

/** Imports one row into a copy of the world; the world itself stays as it is when the row fails or is left out. */
export function importRow(
  world: World,
  row: OracleRow,
  policies: OraclePolicies,
): { readonly world: World; readonly outcome: Outcome } {
  if (policies.hasDeletions && row.isGone) return deleteCity(world, row, policies.cities)
  const labels = policies.hasLinks ? labelsIn(row) : []
  const faults = [
    ...cellFaults(row),
    ...(row.mayor === null ? [] : mayorFault(world, row.mayor)),
    ...(labels.every(label => LABELS.includes(label)) ? [] : ['labels']),
  ]
  if (faults.length > 0) return { world, outcome: faults }
  const next = world.copy()
  const iso2 = row.iso2 as string

  const name = row.country as string
  const country = next.countries.get(iso2)
  const countryStep = stepOf(policies.countries, country, { name })
  if (countryStep === 'fail') return { world, outcome: ['iso2'] }
  if (countryStep === 'leave out') return { world, outcome: 'skipped' }
  if (countryStep === 'create' || countryStep === 'update') {
    const rival = [...next.countries].some(([code, other]) => code !== iso2 && other.name === name)
    if (rival) return { world, outcome: ['countries.name'] }
    next.countries.set(iso2, { name })
  }

  const region = next.regions.find(stored => stored.iso2 === iso2 && stored.name === row.region)
  const regionStep = stepOf(policies.regions, region, {})
  if (regionStep === 'fail') return { world, outcome: ['non_field_errors'] }
  if (regionStep === 'leave out') return { world, outcome: 'skipped' }
  // An index that no model tells of keeps it unique.
  if (regionStep === 'create' && row.region === 'West' && next.regions.some(({ name }) => name === 'West')) {
    return { world, outcome: ['regions.name'] }
  }
  if (regionStep === 'create') next.regions.push({ iso2, name: row.region as string })

  const same = next.cities.filter(
    city => city.iso2 === iso2 && city.district === row.district && city.name === row.city,
  )
  const [city, ...others] = policies.cities.createOnly ? [] : same
  if (others.length > 0) return { world, outcome: ['non_field_errors'] }
  const { mayor, plate } = row
  const population = row.population === null ? null : Number(row.population)
  const values = { mayor, plate, population, ...(policies.hasLinks && { labels: labels.join(' ') }) }
  const cityStep = stepOf(policies.cities, city, values)
  if (cityStep === 'fail') return { world, outcome: ['non_field_errors'] }
  if (cityStep === 'leave out') return { world, outcome: 'skipped' }
  if (cityStep === 'use') return { world: next, outcome: 'skipped' }
  if (cityStep === 'unchanged') return { world: next, outcome: 'unchanged' }
  if (plate !== null && next.cities.some(other => other !== city && other.plate === plate)) {
    return { world, outcome: ['plate'] }
  }
  // A trigger refuses this number, of what is valid otherwise.
  if (row.population === '666') return { world, outcome: ['non_field_errors'] }
  if (city) Object.assign(city, values)
  else next.cities.push({ iso2, district: row.district, name: row.city as string, labels: '', ...values })
  return { world: next, outcome: city ? 'updated' : 'created' }
}

/** Of the cells of a row that deletes, only those count that find its city. A country is looked up if none is empty. */
function deleteCity(
  world: World,
  { iso2, district, city }: OracleRow,
  { onMissing }: OraclePolicy,
): { readonly world: World; readonly outcome: Outcome } {
  const faults = [...(iso2 === null ? ['iso2'] : []), ...(city === null ? ['cities.name'] : [])]
  if (iso2 === null || faults.length > 0) return { world, outcome: faults }
  if (!world.countries.has(iso2)) return { world, outcome: ['iso2'] }
  const same = world.cities.filter(
    stored => stored.iso2 === iso2 && stored.district === district && stored.name === city,
  )
  if (same.length > 1) return { world, outcome: ['non_field_errors'] }
  if (same.length === 0) return { world, outcome: onMissing === 'fail' ? ['non_field_errors'] : 'skipped' }
  const next = world.copy()
  next.cities = world.cities.filter(stored => stored !== same[0])
  return { world: next, outcome: 'deleted' }
}

function labelsIn({ labels }: OracleRow): readonly string[] {
  const names = (labels ?? '').split(';').map(name => name.trim())
  return [...new Set(names.filter(name => name !== ''))].sort()
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
