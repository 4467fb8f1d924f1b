import type Database from 'better-sqlite3'
import { type CityRow, selectPlaces } from './cities.ts'
import type { InTransaction, PlaceWriter } from './places.ts'
import { cityRow, type StoredCity } from './sqlite.ts'

const FIELDS = [
  ['name', 'name'],
  ['latitude', 'latitude'],
  ['longitude', 'longitude'],
  ['country_id', 'country'],
  ['region_id', 'region'],
] as const

const value = (field: string) => `json_extract(value, '$.${field}')`
const LISTED = 'in (select value from json_each(?))'

const MISSING = `
  select value from json_each(?) where value not in (select id from countries)
  union all
  select value from json_each(?) where value not in (select id from regions)`
const INSERT = `
  insert into places (id, name, latitude, longitude, country_id, region_id, created_at, updated_at, is_active)
  select ${['id', 'name', 'latitude', 'longitude', 'country', 'region', 'at', 'at'].map(value).join(', ')}, 1
  from json_each(?)`
// `json_type` tells a null that is sent from a field that is not.
const UPDATE = `update places set updated_at = ?, ${FIELDS.map(
  ([column, field]) => `${column} = case when v.has_${field} then v.${field} else places.${column} end`,
).join(', ')}
  from (select ${value('id')} as id, ${FIELDS.map(
    ([, field]) => `${value(field)} as ${field}, json_type(value, '$.${field}') is not null as has_${field}`,
  ).join(', ')} from json_each(?)) as v where places.id = v.id`

/** The places as the floor writes them on SQLite. */
export function placeTransactions(database: Database.Database): InTransaction {
  const writer = writerOn(database)
  // One connection has one transaction: requests take turns.
  let turn: Promise<unknown> = Promise.resolve()
  return fn => {
    const result = turn.then(async () => {
      database.exec('begin immediate')
      try {
        const answer = await fn(writer)
        database.exec('commit')
        return answer
      } catch (error) {
        database.exec('rollback')
        throw error
      }
    })
    turn = result.catch(() => {})
    return result
  }
}

function writerOn(database: Database.Database): PlaceWriter {
  const missing = database.prepare<[string, string], string>(MISSING).pluck()
  const insert = database.prepare<[string]>(INSERT)
  const lock = database.prepare<[string], string>(`select id from places where id ${LISTED}`).pluck()
  const update = database.prepare<[string, string]>(UPDATE)
  const read = database.prepare<[string], StoredCity>(selectPlaces(LISTED)).raw()
  const remove = database.prepare<[string]>(`delete from places where id ${LISTED}`)
  return {
    missing: (countries, regions) => missing.all(JSON.stringify(countries), JSON.stringify(regions)),
    insert: places => insert.run(JSON.stringify(places)),
    lock: ids => lock.all(JSON.stringify(ids)),
    update: (changes, at) => update.run(at, JSON.stringify(changes)),
    read: ids => read.all(JSON.stringify(ids)).map((row): CityRow => cityRow(row)),
    remove: ids => remove.run(JSON.stringify(ids)).changes,
  }
}
