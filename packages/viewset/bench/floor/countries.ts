/** A country with the number of its cities, as the wire shows it. */
interface Country {
  readonly id: string
  readonly code: string
  readonly name: string
  readonly city_count: number
  index?: number
}

/** The values of a country's row; PostgreSQL's driver gives a 64-bit count as text. */
export type CountryRow = readonly [id: string, code: string, name: string, cityCount: string | number]

/** A page of countries, those with the most cities first. */
export function selectCountries(limit: string, offset: string): string {
  return `
    select id, code, name, (select count(*) from cities where cities.country_id = countries.id) as city_count
    from countries order by city_count desc, id limit ${limit} offset ${offset}`
}

export function countryOf([id, code, name, cityCount]: CountryRow): Country {
  return { id, code, name, city_count: Number(cityCount) }
}
