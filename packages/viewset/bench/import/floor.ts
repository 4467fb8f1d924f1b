import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'
import pg from 'pg'

const BATCH = 2_000

const UPSERT = `
  with written as (
    insert into towns (id, created_at, updated_at, country_id, name, latitude, longitude, population, founded, is_active)
    select id, now(), now(), country_id, name, latitude, longitude, population, founded, true
    from json_to_recordset($1::json) as rows(id uuid, country_id uuid, name text, latitude numeric, longitude numeric, population int, founded date)
    on conflict (country_id, name) do update set updated_at = now(), latitude = excluded.latitude, longitude = excluded.longitude,
      population = excluded.population, founded = excluded.founded
    returning xmax = 0 as is_new
  )
  select count(*) filter (where is_new) as created, count(*) filter (where not is_new) as updated from written`

/** What a good engineer would write by hand for a file that has no bad row, on PostgreSQL. */
export async function floorImport(url: string, path: string): Promise<object> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows: countries } = await client.query<{ id: string; code: string }>('select id, code from countries')
  const ids = new Map(countries.map(({ id, code }) => [code, id]))
  let created = 0
  let updated = 0
  let batch: object[] = []
  const flush = async () => {
    const { rows } = await client.query({ name: 'upsert', text: UPSERT, values: [JSON.stringify(batch)] })
    created += Number(rows[0].created)
    updated += Number(rows[0].updated)
    batch = []
  }
  await client.query('begin')
  for await (const [code, name, latitude, longitude, population, founded] of createReadStream(path).pipe(
    parse({ from_line: 2 }),
  )) {
    batch.push({ id: randomUUID(), country_id: ids.get(code), name, latitude, longitude, population, founded })
    if (batch.length === BATCH) await flush()
  }
  if (batch.length > 0) await flush()
  await client.query('commit')
  await client.end()
  return { created, updated, failed: 0 }
}
