import pg from 'pg'
import { type CityRow, SELECT_ALL, selectCity, selectPage } from './cities.ts'
import { type CountryRow, selectCountries } from './countries.ts'
import type { CityReader, PageReader } from './pages.ts'

// A Date would lose the microseconds.
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, isoTimestamp)

const COUNT = { name: 'cities_count', text: 'select count(*) from cities', rowMode: 'array' } as const
const PAGE = { name: 'cities_page', text: selectPage('$1', '$2'), rowMode: 'array' } as const
const FIND = { name: 'cities_find', text: selectCity('$1'), rowMode: 'array' } as const

const COUNTRY_COUNT = { name: 'countries_count', text: 'select count(*) from countries', rowMode: 'array' } as const
const COUNTRY_PAGE = { name: 'countries_page', text: selectCountries('$1', '$2'), rowMode: 'array' } as const

/** The list's two statements, named, so that each connection prepares them once. */
export function cityReader(pool: pg.Pool): CityReader {
  return {
    count: sharedCount(pool, COUNT),
    rows: async (limit, offset) => (await pool.query<[...CityRow]>({ ...PAGE, values: [limit, offset] })).rows,
  }
}

/** The same of the countries. */
export function countryReader(pool: pg.Pool): PageReader<CountryRow> {
  return {
    count: sharedCount(pool, COUNTRY_COUNT),
    rows: async (limit, offset) =>
      (await pool.query<[...CountryRow]>({ ...COUNTRY_PAGE, values: [limit, offset] })).rows,
  }
}

/** Counts once for all that wait: whoever asks while a count runs gets the one after it, which knows all writes by then. */
function sharedCount(pool: pg.Pool, query: pg.QueryArrayConfig): () => Promise<number> {
  let running: Promise<number> | undefined
  let next: Promise<number> | undefined
  const start = () => {
    next = undefined
    const count = pool.query<[string]>(query).then(({ rows }) => Number(rows[0]?.[0]))
    running = count
    const end = () => {
      if (running === count) running = undefined
    }
    count.then(end, end)
    return count
  }
  return () => {
    if (!running) return start()
    next ??= running.then(start, start)
    return next
  }
}

/** Reads one city. */
export function cityFinder(pool: pg.Pool): (id: string) => Promise<CityRow | undefined> {
  return async id => (await pool.query<[...CityRow]>({ ...FIND, values: [id] })).rows[0]
}

/** Reads all cities through a cursor. */
export async function* allCities(pool: pg.Pool): AsyncGenerator<CityRow> {
  const client = await pool.connect()
  try {
    await client.query(`begin; declare all_cities no scroll cursor for ${SELECT_ALL}`)
    for (;;) {
      const { rows } = await client.query<[...CityRow]>({ text: 'fetch 1000 from all_cities', rowMode: 'array' })
      if (rows.length === 0) break
      yield* rows
    }
  } finally {
    await client.query('rollback')
    client.release()
  }
}

/** `2026-01-15 10:30:00.12+00` as ISO 8601; the server shows a fraction without the zeros at its end. */
function isoTimestamp(text: string): string {
  const fraction = text.slice(20, text.indexOf('+'))
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(6, '0')}Z`
}
