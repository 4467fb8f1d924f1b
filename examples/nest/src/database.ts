import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import { sqlite } from 'viewset/sqlite'

const path = process.env.DATABASE_PATH ?? 'data/books.db'

/** Opens the database, with its tables up to date. */
export function openDatabase() {
  mkdirSync(dirname(path), { recursive: true })
  const connection = drizzle(path)
  migrate(connection, { migrationsFolder: 'migrations' })
  connection.$client.close()
  return sqlite(path)
}
