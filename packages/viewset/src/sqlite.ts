import './core/check-node.ts'

import type { SqliteRemoteDatabase } from 'drizzle-orm/sqlite-proxy'
import { Database } from './store/connection/database.ts'
import type { SqliteHandle } from './store/dialect/sqlite-connection.ts'
import { SqliteDriver } from './store/dialect/sqlite-driver.ts'
import type { SqliteOptions, SqliteSource } from './store/dialect/sqlite-source.ts'

export { sqliteKit as kit } from './model/sqlite-kit.ts'
export type { SqliteHandle, SqliteOptions, SqliteSource }

/** Drizzle's database as plain SQLite tables see it: `currentDb<SqliteDrizzleDatabase>()`. */
export type SqliteDrizzleDatabase = SqliteRemoteDatabase

/**
 * An SQLite database in a file, which is created when it does not exist. Needs the package `better-sqlite3`.
 *
 * Instead of the path, a handle of your own (or a Drizzle database on one) names the file, which then gets further
 * connections beside it; only a database in memory is used through your handle itself. It is never closed.
 *
 * @throws ConfigError for other values, for a handle without `journal_mode = wal`, and for wrong options.
 * @example
 * const database = sqlite('data/shop.db')
 */
export function sqlite(source: SqliteSource, options: SqliteOptions = {}): Database {
  return new Database(new SqliteDriver(source, options))
}
