import pg from 'pg'
import type { TownWriter } from './floor.ts'

const UPSERT = `
  with written as (
    insert into towns (id, created_at, updated_at, country_id, name, latitude, longitude, population, founded, is_active)
    select (r->>0)::uuid, now(), now(), (r->>1)::uuid, r->>2, (r->>3)::numeric, (r->>4)::numeric, (r->>5)::int, (r->>6)::date, true
    from json_array_elements($1::json) as rows(r)
    on conflict (country_id, name) do update set updated_at = now(), latitude = excluded.latitude,
      longitude = excluded.longitude, population = excluded.population, founded = excluded.founded
    returning xmax = 0 as is_new
  )
  select count(*) filter (where is_new) as created from written`

/** Towns on PostgreSQL. */
export async function upsertTowns(url: string): Promise<TownWriter> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    begin: async () => {
      await client.query('begin')
      const { rows } = await client.query<{ id: string; code: string }>('select id, code from countries')
      return new Map(rows.map(({ id, code }) => [code, id]))
    },
    upsert: async rows => {
      const result = await client.query({ name: 'upsert', text: UPSERT, values: [JSON.stringify(rows)] })
      return Number(result.rows[0].created)
    },
    commit: async () => void (await client.query('commit')),
  }
}
