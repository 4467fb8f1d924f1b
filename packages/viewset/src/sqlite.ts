import './core/check-node.ts'

import type { SqliteRemoteDatabase } from 'drizzle-orm/sqlite-proxy'
import { Database } from './store/connection/database.ts'
import type { SqliteHandle } from './store/dialect/sqlite-connection.ts'
import { SqliteDriver } from './store/dialect/sqlite-driver.ts'
import type { SqliteOptions, SqliteSource } from './store/dialect/sqlite-source.ts'

export { sqliteKit as kit } from './model/sqlite-kit.ts'
export { type MigrateSqliteOptions, migrateSqlite } from './store/dialect/migrate-sqlite.ts'
export type { SqliteHandle, SqliteOptions, SqliteSource }

/** The type of Drizzle's database for plain SQLite tables: `currentDb<SqliteDrizzleDatabase>()`. */
export type SqliteDrizzleDatabase = SqliteRemoteDatabase

/**
 * An SQLite database in a file, which is created if it does not exist. Needs the package `better-sqlite3`.
 *
 * Instead of the path, you can give your own handle, or a Drizzle database on one. Viewset then opens further
 * connections to the handle's file. Only for a database in memory does it use your handle itself. It never closes your
 * handle.
 *
 * @throws ConfigError for other values, for a handle without `journal_mode = wal`, and for wrong options.
 * @example
 * const database = sqlite('data/shop.db')
 */
export function sqlite(source: SqliteSource, options: SqliteOptions = {}): Database {
  return new Database(new SqliteDriver(source, options))
}
