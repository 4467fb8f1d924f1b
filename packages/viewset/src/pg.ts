import './core/check-node.ts'

import { Database } from './store/database.ts'
import { PostgresDriver } from './store/dialect/pg-driver.ts'
import type { PostgresOptions, PostgresSource } from './store/dialect/pg-source.ts'

export { pgKit as kit } from './model/pg-kit.ts'
export type { PostgresOptions, PostgresSource }

/**
 * A PostgreSQL database: by its address, `pg`'s configuration (TLS: `ssl`), a pool of your own, or a Drizzle database on
 * one. Needs the package `pg`. A pool of your own is not ended by `close()`, and its settings stay as they are.
 *
 * @throws ConfigError for anything else, and for options that your pool or configuration decides.
 * @example
 * const database = postgres('postgres://localhost/shop', { poolSize: 20 })
 * @example
 * const database = postgres({ host: 'db.example.org', database: 'shop', ssl: { ca } })
 */
export function postgres(source: PostgresSource, options: PostgresOptions = {}): Database {
  return new Database(new PostgresDriver(source, options))
}
