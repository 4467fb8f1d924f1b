import type Database from 'better-sqlite3'
import { type Change, givenFields, type NewPlace, type PlaceStore } from './places.ts'
import { cityRow, type StoredCity } from './sqlite.ts'

const FIELDS = [
  ['name', 'name'],
  ['latitude', 'latitude'],
  ['longitude', 'longitude'],
  ['country_id', 'country'],
  ['region_id', 'region'],
] as const

// As jsonb, and each row a list: half of the time that objects as json take.
const value = (at: number) => `value ->> ${at}`
const INSERTED = ['id', 'name', 'latitude', 'longitude', 'country', 'region', 'at', 'at'] as const
const LISTED = 'in (select value from json_each(?))'
const related = (table: string, key: string, column: string) => `(select ${column} from ${table} where id = ${key})`
const RETURNING = `returning id, name, latitude, longitude, created_at, updated_at,
  country_id, ${related('countries', 'country_id', 'code')}, ${related('countries', 'country_id', 'name')},
  region_id, ${related('regions', 'region_id', 'code')}, ${related('regions', 'region_id', 'name')}`

const COLUMNS = '(id, name, latitude, longitude, country_id, region_id, created_at, updated_at, is_active)'
const INSERT = `insert into places ${COLUMNS} values (+?, +?, +?, +?, +?, +?, +?, +?, 1) ${RETURNING}`
const INSERT_MANY = `
  insert into places ${COLUMNS}
  select ${INSERTED.map((_, at) => value(at)).join(', ')}, 1
  from jsonb_each(?) where true ${RETURNING}`
const updateManyOf = (set: string) => `update places set updated_at = ?, ${set}
  from (select ${value(0)} as key, ${value(1)} as given, ${FIELDS.map(([, field], n) => `${value(n + 2)} as ${field}`).join(', ')}
    from jsonb_each(?)) as v where places.id = v.key
  ${RETURNING.replaceAll(/\b(id|name|latitude|longitude),/g, 'places.$1,')}`
const UPDATE_ALL_FIELDS = updateManyOf(FIELDS.map(([column, field]) => `${column} = v.${field}`).join(', '))
const UPDATE_SOME_FIELDS = updateManyOf(
  FIELDS.map(
    ([column, field], n) => `${column} = case when v.given & ${1 << n} then v.${field} else places.${column} end`,
  ).join(', '),
)
const MISSING = `
  select value from json_each(?) where value not in (select id from countries)
  union all
  select value from json_each(?) where value not in (select id from regions)`

/** The places as the floor writes them on SQLite. */
export function placeStore(database: Database.Database): PlaceStore {
  const insert = database.prepare<unknown[], StoredCity>(INSERT).raw()
  const insertMany = database.prepare<[string], StoredCity>(INSERT_MANY).raw()
  const updates = new Map<string, Database.Statement<unknown[], StoredCity>>()
  const updateAllFields = database.prepare<[string, string], StoredCity>(UPDATE_ALL_FIELDS).raw()
  const updateSomeFields = database.prepare<[string, string], StoredCity>(UPDATE_SOME_FIELDS).raw()
  const remove = database.prepare<[string], string>(`delete from places where id ${LISTED} returning id`).pluck()
  const missing = database.prepare<[string, string], string>(MISSING).pluck()
  const allOrNothing = database.transaction((changes: readonly Change[], at: string) => {
    const sent = changes.map(change => [
      change.id,
      givenFields(change, FIELDS),
      ...FIELDS.map(([, field]) => change[field]),
    ])
    const isWhole = sent.every(([, given]) => given === 2 ** FIELDS.length - 1)
    const rows = (isWhole ? updateAllFields : updateSomeFields).all(at, JSON.stringify(sent))
    if (rows.length < changes.length) throw new SomeMissing()
    return rows.map(cityRow)
  })
  return {
    insert: ({ id, name, latitude, longitude, country, region, at }: NewPlace) => {
      const row = insert.get(id, name, latitude, longitude, country, region ?? null, at, at)
      return row && cityRow(row)
    },
    insertMany: places =>
      insertMany.all(JSON.stringify(places.map(place => INSERTED.map(field => place[field])))).map(cityRow),
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
