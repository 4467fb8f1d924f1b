import type Database from 'better-sqlite3'
import type { Change, NewPlace, PlaceStore } from './places.ts'
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
const related = (table: string, key: string, column: string) => `(select ${column} from ${table} where id = ${key})`
const RETURNING = `returning id, name, latitude, longitude, created_at, updated_at,
  country_id, ${related('countries', 'country_id', 'code')}, ${related('countries', 'country_id', 'name')},
  region_id, ${related('regions', 'region_id', 'code')}, ${related('regions', 'region_id', 'name')}`

const COLUMNS = '(id, name, latitude, longitude, country_id, region_id, created_at, updated_at, is_active)'
const INSERT = `insert into places ${COLUMNS} values (+?, +?, +?, +?, +?, +?, +?, +?, 1) ${RETURNING}`
const INSERT_MANY = `
  insert into places ${COLUMNS}
  select ${['id', 'name', 'latitude', 'longitude', 'country', 'region', 'at', 'at'].map(value).join(', ')}, 1
  from json_each(?) ${RETURNING}`
// `json_type` tells a null that is sent from a field that is not.
const UPDATE_MANY = `update places set updated_at = ?, ${FIELDS.map(
  ([column, field]) => `${column} = case when v.has_${field} then v.${field} else places.${column} end`,
).join(', ')}
  from (select ${value('id')} as key, ${FIELDS.map(
    ([, field]) => `${value(field)} as ${field}, json_type(value, '$.${field}') is not null as has_${field}`,
  ).join(', ')} from json_each(?)) as v where places.id = v.key
  ${RETURNING.replaceAll(/\b(id|name|latitude|longitude),/g, 'places.$1,')}`
const MISSING = `
  select value from json_each(?) where value not in (select id from countries)
  union all
  select value from json_each(?) where value not in (select id from regions)`

/** The places as the floor writes them on SQLite. */
export function placeStore(database: Database.Database): PlaceStore {
  const insert = database.prepare<unknown[], StoredCity>(INSERT).raw()
  const insertMany = database.prepare<[string], StoredCity>(INSERT_MANY).raw()
  const updates = new Map<string, Database.Statement<unknown[], StoredCity>>()
  const updateMany = database.prepare<[string, string], StoredCity>(UPDATE_MANY).raw()
  const remove = database.prepare<[string], string>(`delete from places where id ${LISTED} returning id`).pluck()
  const missing = database.prepare<[string, string], string>(MISSING).pluck()
  const allOrNothing = database.transaction((changes: readonly Change[], at: string) => {
    const rows = updateMany.all(at, JSON.stringify(changes))
    if (rows.length < changes.length) throw new SomeMissing()
    return rows.map(cityRow)
  })
  return {
    insert: ({ id, name, latitude, longitude, country, region, at }: NewPlace) => {
      const row = insert.get(id, name, latitude, longitude, country, region ?? null, at, at)
      return row && cityRow(row)
    },
    insertMany: places => insertMany.all(JSON.stringify(places)).map(cityRow),
    update: (change, at) => {
      const given = FIELDS.filter(([, field]) => change[field] !== undefined)
      const set = given.map(([column]) => `${column} = +?, `).join('')
      const known = updates.get(set)
      const statement =
        known ?? database.prepare(`update places set ${set}updated_at = +? where id = +? ${RETURNING}`).raw()
      if (!known) updates.set(set, statement as Database.Statement<unknown[], StoredCity>)
      const row = statement.get(...given.map(([, field]) => change[field]), at, change.id) as StoredCity | undefined
      return row && cityRow(row)
    },
    updateMany: (changes, at) => {
      try {
        return allOrNothing.immediate(changes, at)
      } catch (error) {
        if (error instanceof SomeMissing) return []
        throw error
      }
    },
    remove: ids => remove.all(JSON.stringify(ids)),
    missing: (countries, regions) => missing.all(JSON.stringify(countries), JSON.stringify(regions)),
    isMissingParent: error => (error as { code?: unknown }).code === 'SQLITE_CONSTRAINT_FOREIGNKEY',
  }
}

class SomeMissing extends Error {}
