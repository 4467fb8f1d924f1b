import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { migrateSqlite, sqlite } from 'viewset/sqlite'

const path = process.env.DATABASE_PATH ?? 'data/books.db'

/** Brings the tables up to date. */
export async function migrateDatabase() {
  mkdirSync(dirname(path), { recursive: true })
  await migrateSqlite(path, { migrationsFolder: 'migrations' })
}

export function openDatabase() {
  return sqlite(path)
}
