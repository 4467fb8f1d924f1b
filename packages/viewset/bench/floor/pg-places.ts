import type pg from 'pg'
import { type CityRow, selectFrom } from './cities.ts'
import { givenFields, type NewPlace, type PlaceStore } from './places.ts'

const FIELDS = [
  ['name', 'name', 'text'],
  ['latitude', 'latitude', 'decimal'],
  ['longitude', 'longitude', 'decimal'],
  ['country_id', 'country', 'uuid'],
  ['region_id', 'region', 'uuid'],
] as const

const COLUMNS = '(id, name, latitude, longitude, country_id, region_id, created_at, updated_at, is_active)'
const NAMES = FIELDS.map(([, field]) => field).join(', ')
/** The arrays of the fields, as parameters from a position on. */
const arraysFrom = (position: number) => FIELDS.map(([, , type], n) => `$${n + position}::${type}[]`).join(', ')

/** Writes rows and reads them with their country and region, in one statement. */
const read = (name: string, write: string, before = '') =>
  ({ name, rowMode: 'array', text: `with ${before} written as (${write}) ${selectFrom('written')}` }) as const

const INSERT = read(
  'place_insert',
  `insert into places ${COLUMNS} values ($1, $2, $3, $4, $5, $6, $7, $7, true) returning *`,
)
const INSERT_MANY = read(
  'places_insert',
  `insert into places ${COLUMNS} select id, name, latitude, longitude, country, region, $2::timestamptz, $2, true
    from unnest($1::uuid[], ${arraysFrom(3)}) as rows(id, ${NAMES}) returning *`,
)
// Locked in the order of their ids, so that two requests for the same rows do not wait for each other.
const LOCKED = `locked as materialized (select id from places where id = any($1::uuid[]) order by id for no key update),`
const updateMany = (name: string, set: string) =>
  read(
    name,
    `update places set updated_at = $2, ${set}
      from unnest($1::uuid[], ${arraysFrom(3)}, $${FIELDS.length + 3}::int[]) as v(id, ${NAMES}, given) join locked using (id)
      where places.id = v.id and (select count(*) from locked) = cardinality($1::uuid[]) returning places.*`,
    LOCKED,
  )
const UPDATE_ALL_FIELDS = updateMany('places_put', FIELDS.map(([column, field]) => `${column} = v.${field}`).join(', '))
const UPDATE_SOME_FIELDS = updateMany(
  'places_patch',
  FIELDS.map(
    ([column, field], n) => `${column} = case when v.given & ${1 << n} = 0 then places.${column} else v.${field} end`,
  ).join(', '),
)
const REMOVE = {
  name: 'places_remove',
  rowMode: 'array',
  text: 'delete from places where id = any($1::uuid[]) returning id',
} as const
const MISSING = {
  name: 'places_missing',
  rowMode: 'array',
  text: `
    select id from unnest($1::uuid[]) as wanted(id) where not exists (select 1 from countries c where c.id = wanted.id)
    union all
    select id from unnest($2::uuid[]) as wanted(id) where not exists (select 1 from regions r where r.id = wanted.id)`,
} as const

/** The places as the floor writes them on PostgreSQL. */
export function placeStore(pool: pg.Pool): PlaceStore {
  const rows = async (query: pg.QueryArrayConfig, values: unknown[]) =>
    (await pool.query<[...CityRow]>({ ...query, values })).rows
  const ids = async (query: pg.QueryArrayConfig, values: unknown[]) =>
    (await pool.query<[string]>({ ...query, values })).rows.map(([id]) => id)
  const updates = new Map<string, pg.QueryArrayConfig>()
  const updateOf = (given: readonly (typeof FIELDS)[number][]) => {
    const set = given.map(([column], n) => `${column} = $${n + 3}, `).join('')
    const known = updates.get(set)
    if (known) return known
    const query = read(
      `place_update_${updates.size}`,
      `update places set ${set}updated_at = $2 where id = $1 returning *`,
    )
    updates.set(set, query)
    return query
  }
  return {
    insert: async ({ id, name, latitude, longitude, country, region, at }: NewPlace) =>
      (await rows(INSERT, [id, name, latitude, longitude, country, region, at]))[0],
    insertMany: places => {
      const values = FIELDS.map(([, field]) => listOf(places.map(place => place[field])))
      return rows(INSERT_MANY, [listOf(places.map(({ id }) => id)), places[0]?.at, ...values])
    },
    update: async (change, at) => {
      const given = FIELDS.filter(([, field]) => change[field] !== undefined)
      return (await rows(updateOf(given), [change.id, at, ...given.map(([, field]) => change[field])]))[0]
    },
    updateMany: (changes, at) => {
      const given = changes.map(change => givenFields(change, FIELDS))
      const isWhole = given.every(bits => bits === 2 ** FIELDS.length - 1)
      const values = FIELDS.map(([, field]) => listOf(changes.map(change => change[field])))
      const keys = listOf(changes.map(({ id }) => id))
      return rows(isWhole ? UPDATE_ALL_FIELDS : UPDATE_SOME_FIELDS, [keys, at, ...values, listOf(given)])
    },
    remove: keys => ids(REMOVE, [keys]),
    missing: (countries, regions) => ids(MISSING, [countries, regions]),
    isMissingParent: error => (error as { code?: unknown }).code === '23503',
  }
}

/** A list as PostgreSQL reads it: what JSON writes, where nothing but quotes and backslashes is escaped. */
function listOf(values: readonly unknown[]): unknown {
  const json = JSON.stringify(values)
  return /\\[^"\\]/.test(json) ? values : `{${json.slice(1, -1)}}`
}
