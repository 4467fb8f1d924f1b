import './core/check-node.ts'

import { Database } from './store/connection/database.ts'
import { PostgresDriver } from './store/dialect/pg-driver.ts'
import { isServers, type PostgresServers, ReplicatedDriver } from './store/dialect/pg-replicated.ts'
import type { PostgresOptions, PostgresSource } from './store/dialect/pg-source.ts'

export { pgKit as kit } from './model/pg-kit.ts'
export type { PostgresOptions, PostgresServers, PostgresSource }

/**
 * A PostgreSQL database: by its address, `pg`'s configuration (TLS: `ssl`), a pool of your own, or a Drizzle database on
 * one. Needs the package `pg`. A pool of your own is not ended by `close()`, and its settings stay as they are.
 *
 * `{ primary, replicas }` are several servers. A request that only reads (GET, and exports) reads a replica that shows
 * all that was committed when the request began, or else the primary; whatever writes is the primary's alone.
 *
 * @throws ConfigError for other values, and for options that your pool or configuration sets.
 * @example
 * const database = postgres('postgres://localhost/shop', { poolSize: 20 })
 * @example
 * const database = postgres({ host: 'db.example.org', database: 'shop', ssl: { ca } })
 * @example
 * const database = postgres({ primary: 'postgres://db-1/shop', replicas: ['postgres://db-2/shop'] })
 */
export function postgres(source: PostgresSource | PostgresServers, options: PostgresOptions = {}): Database {
  return new Database(isServers(source) ? new ReplicatedDriver(source, options) : new PostgresDriver(source, options))
}
