import type { SqliteRemoteDatabase } from 'drizzle-orm/sqlite-proxy'
import { Database } from './store/database.ts'
import { SqliteDriver, type SqliteOptions } from './store/dialect/sqlite-driver.ts'

export { sqliteKit as kit } from './model/sqlite-kit.ts'
export type { SqliteOptions }

/** Drizzle's database as plain SQLite tables see it: `currentDb<SqliteDrizzleDatabase>()`. */
export type SqliteDrizzleDatabase = SqliteRemoteDatabase

/**
 * An SQLite database in a file, which is created when it does not exist. Needs the package `better-sqlite3`.
 *
 * @example
 * const database = sqlite('data/shop.db')
 */
export function sqlite(path: string, options: SqliteOptions = {}): Database {
  return new Database(new SqliteDriver(path, options))
}
