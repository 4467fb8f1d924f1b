import Sqlite from 'better-sqlite3'
import type { TownWriter } from './floor.ts'

const UPSERT = `
  insert into towns (id, created_at, updated_at, country_id, name, latitude, longitude, population, founded, is_active)
  select r.value->>0, :now, :now, r.value->>1, r.value->>2, r.value->>3, r.value->>4, r.value->>5, r.value->>6, 1
  from json_each(:rows) as r where true
  on conflict (country_id, name) do update set updated_at = :now, latitude = excluded.latitude,
    longitude = excluded.longitude, population = excluded.population, founded = excluded.founded`

/** Towns on SQLite. */
export async function upsertTowns(file: string): Promise<TownWriter> {
  const database = new Sqlite(file)
  database.pragma('journal_mode = wal')
  const countries = database.prepare<[], [string, string]>('select code, id from countries').raw()
  const upsert = database.prepare(UPSERT)
  const count = database.prepare<[], number>('select count(*) from towns').pluck()
  let now = ''
  let stored = 0
  return {
    begin: () => {
      database.exec('begin immediate')
      now = new Date().toISOString()
      stored = count.get() as number
      return new Map(countries.all())
    },
    upsert: rows => {
      upsert.run({ rows: JSON.stringify(rows), now })
      const before = stored
      stored = count.get() as number
      return stored - before
    },
    commit: () => void database.exec('commit'),
  }
}
