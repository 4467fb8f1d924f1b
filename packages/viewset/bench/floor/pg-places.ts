import type pg from 'pg'
import { type CityRow, selectPlaces } from './cities.ts'
import type { Change, InTransaction, NewPlace, PlaceWriter } from './places.ts'

const CHANGEABLE = ['name', 'latitude', 'longitude', 'country_id', 'region_id']
const TYPES = ['uuid', 'text', 'decimal', 'decimal', 'uuid', 'uuid']

const MISSING = {
  name: 'places_missing',
  rowMode: 'array',
  text: `
    select id from unnest($1::uuid[]) as wanted(id) where not exists (select 1 from countries c where c.id = wanted.id)
    union all
    select id from unnest($2::uuid[]) as wanted(id) where not exists (select 1 from regions r where r.id = wanted.id)`,
} as const
const INSERT = {
  name: 'places_insert',
  text: `
    insert into places (id, name, latitude, longitude, country_id, region_id, created_at, updated_at, is_active)
    select id, name, latitude, longitude, country, region, at, at, true
    from json_to_recordset($1::json) as rows(
      id uuid, name text, latitude decimal, longitude decimal, country uuid, region uuid, at timestamptz
    )`,
}
const LOCK = {
  name: 'places_lock',
  rowMode: 'array',
  text: 'select id from places where id = any($1::uuid[]) order by id for no key update',
} as const
const UPDATE = { name: 'places_update', text: updateText() }
const READ = { name: 'places_read', rowMode: 'array', text: selectPlaces('= any($1::uuid[])') } as const
const REMOVE = { name: 'places_remove', text: 'delete from places where id = any($1::uuid[])' }

/** A column of values and one that tells which of them are given, for each that a PATCH may bring. */
function updateText(): string {
  const arrays = [...TYPES, ...CHANGEABLE.map(() => 'boolean')].map((type, i) => `$${i + 2}::${type}[]`)
  const columns = ['id', ...CHANGEABLE, ...CHANGEABLE.map(name => `has_${name}`)]
  const set = CHANGEABLE.map(name => `${name} = case when v.has_${name} then v.${name} else places.${name} end`)
  return `update places set updated_at = $1, ${set.join(', ')}
    from unnest(${arrays.join(', ')}) as v(${columns.join(', ')}) where places.id = v.id`
}

/** The places as the floor writes them on PostgreSQL. */
export function placeTransactions(pool: pg.Pool): InTransaction {
  return async fn => {
    const client = await pool.connect()
    try {
      await client.query('begin')
      const result = await fn(writerOn(client))
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback')
      throw error
    } finally {
      client.release()
    }
  }
}

function writerOn(client: pg.PoolClient): PlaceWriter {
  const firsts = async (query: typeof MISSING | typeof LOCK, values: unknown[]) => {
    const { rows } = await client.query<[string]>({ ...query, values })
    return rows.map(([id]) => id)
  }
  return {
    missing: (countries, regions) => firsts(MISSING, [countries, regions]),
    insert: (places: readonly NewPlace[]) => client.query({ ...INSERT, values: [JSON.stringify(places)] }),
    lock: ids => firsts(LOCK, [ids]),
    update: (changes, at) => client.query({ ...UPDATE, values: [at, ...arraysOf(changes)] }),
    read: async ids => (await client.query<[...CityRow]>({ ...READ, values: [ids] })).rows,
    remove: async ids => (await client.query({ ...REMOVE, values: [ids] })).rowCount ?? 0,
  }
}

function arraysOf(changes: readonly Change[]): unknown[][] {
  const fields = ['name', 'latitude', 'longitude', 'country', 'region'] as const
  const values = fields.map(field => changes.map(change => change[field] ?? null))
  const given = fields.map(field => changes.map(change => change[field] !== undefined))
  return [changes.map(({ id }) => id), ...values, ...given]
}
