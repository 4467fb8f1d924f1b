/** A city as the wire shows it. */
export interface City {
  readonly id: string
  readonly name: string
  readonly latitude: string
  readonly longitude: string
  readonly country: Reference | null
  readonly region: Reference | null
  readonly created_at: string
  readonly updated_at: string
  index?: number
}

interface Reference {
  readonly id: string
  readonly code: string
  readonly name: string
}

/** The values of a city's row, in the order that the statements select them. */
export type CityRow = readonly [
  id: string,
  name: string,
  latitude: string,
  longitude: string,
  createdAt: string,
  updatedAt: string,
  countryId: string,
  countryCode: string,
  countryName: string,
  regionId: string | null,
  regionCode: string | null,
  regionName: string | null,
]

const COLUMNS = 'id, name, latitude, longitude, created_at, updated_at, country_id, region_id'

/** A page of cities with their country and region. The page is cut before it is joined: the joins then cost less. */
export function selectPage(limit: string, offset: string): string {
  const page = `select ${COLUMNS} from cities order by name, id limit ${limit} offset ${offset}`
  return `${selectFrom(`(${page})`)} order by c.name, c.id`
}

/** All cities, in the order of their names. */
export const SELECT_ALL = `${selectFrom('cities')} order by c.name, c.id`

/** One city with its country and region. */
export function selectCity(id: string): string {
  return `${selectFrom('cities')} where c.id = ${id}`
}

/** Rows of a table with the cities' columns, with their country and region. */
export function selectFrom(cities: string): string {
  return `
    select c.id, c.name, c.latitude, c.longitude, c.created_at, c.updated_at,
      countries.id, countries.code, countries.name, regions.id, regions.code, regions.name
    from ${cities} c
    left join countries on countries.id = c.country_id
    left join regions on regions.id = c.region_id`
}

export function cityOf(row: CityRow): City {
  return {
    id: row[0],
    name: row[1],
    latitude: row[2],
    longitude: row[3],
    country: referenceOf(row[6], row[7], row[8]),
    region: referenceOf(row[9], row[10], row[11]),
    created_at: row[4],
    updated_at: row[5],
  }
}

function referenceOf(id: string | null, code: string | null, name: string | null): Reference | null {
  return id === null || code === null || name === null ? null : { id, code, name }
}
