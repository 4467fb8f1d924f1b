import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import type { Database } from 'viewset'
import { sqlite } from 'viewset/sqlite'

/** Opens the SQLite file at `path`. */
export function openDatabase(path: string): Database {
  return sqlite(path)
}

/** Applies the migrations. Creates the file if there is none. */
export async function migrateDatabase(path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true })
  const connection = drizzle(path)
  try {
    migrate(connection, { migrationsFolder: 'migrations' })
  } finally {
    connection.$client.close()
  }
}
