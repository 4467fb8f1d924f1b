import type Database from 'better-sqlite3'
import { type CityRow, SELECT_ALL, selectCity, selectPage } from './cities.ts'
import { type CountryRow, selectCountries } from './countries.ts'
import type { CityReader, PageReader } from './pages.ts'

/** A city's row as SQLite has it. */
export type StoredCity = [id: string, name: string, latitude: number, longitude: number, ...rest: string[]]

// `+?`: with a plain `?`, SQLite would plan a joined statement anew whenever it runs.

/** The list's two statements, prepared once. */
export function cityReader(database: Database.Database): CityReader {
  const count = database.prepare<[], number>('select count(*) from cities').pluck()
  const page = database.prepare<[number, number], StoredCity>(selectPage('+?', '+?')).raw()
  return {
    count: () => count.get() as number,
    rows: (limit, offset) => page.all(limit, offset).map(cityRow),
  }
}

/** The same of the countries. */
export function countryReader(database: Database.Database): PageReader<CountryRow> {
  const count = database.prepare<[], number>('select count(*) from countries').pluck()
  const page = database.prepare<[number, number], CountryRow>(selectCountries('+?', '+?')).raw()
  return {
    count: () => count.get() as number,
    rows: (limit, offset) => page.all(limit, offset),
  }
}

/** Reads one city. */
export function cityFinder(database: Database.Database): (id: string) => CityRow | undefined {
  const statement = database.prepare<[string], StoredCity>(selectCity('+?')).raw()
  return id => {
    const row = statement.get(id)
    return row && cityRow(row)
  }
}

/** Reads all cities, row by row. */
export function allCities(database: Database.Database): () => Iterable<CityRow> {
  const statement = database.prepare<[], StoredCity>(SELECT_ALL).raw()
  return function* () {
    for (const row of statement.iterate()) yield cityRow(row)
  }
}

/** SQLite keeps decimals as numbers; the wire shows their scale. */
export function cityRow(row: StoredCity): CityRow {
  const [latitude, longitude] = [row[2].toFixed(5), row[3].toFixed(5)]
  const stored: unknown[] = row
  stored[2] = latitude
  stored[3] = longitude
  return stored as unknown as CityRow
}
