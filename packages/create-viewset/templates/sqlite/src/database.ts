import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'viewset'
import { migrateSqlite, sqlite } from 'viewset/sqlite'

/** Opens the SQLite file at `path`. */
export function openDatabase(path: string): Database {
  return sqlite(path)
}

/** Applies the migrations. Creates the file if there is none. */
export async function migrateDatabase(path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true })
  await migrateSqlite(path, { migrationsFolder: 'migrations' })
}
