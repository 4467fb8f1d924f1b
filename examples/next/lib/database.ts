import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { migrateSqlite, sqlite } from 'viewset/sqlite'

const path = process.env.DATABASE_PATH ?? 'data/books.db'

/** Opens the database, with its tables up to date. */
async function open() {
  mkdirSync(dirname(path), { recursive: true })
  await migrateSqlite(path, { migrationsFolder: 'migrations' })
  return sqlite(path)
}

// Next loads a module once for routes, once for pages, and again when it changes. The process has one database.
const shared = globalThis as { database?: ReturnType<typeof open> }
shared.database ??= open()

export const database = await shared.database
