import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import { sqlite } from 'viewset/sqlite'

const path = process.env.DATABASE_PATH ?? 'data/books.db'

/** Opens the database, with its tables up to date. */
function open() {
  mkdirSync(dirname(path), { recursive: true })
  const connection = drizzle(path)
  migrate(connection, { migrationsFolder: 'migrations' })
  connection.$client.close()
  return sqlite(path)
}

// Next loads a module once for routes, once for pages, and anew when it is changed: the database is one of the process.
const shared = globalThis as { database?: ReturnType<typeof open> }
shared.database ??= open()

export const database = shared.database
