import './core/check-node.ts'

import { Database } from './store/connection/database.ts'
import { PostgresDriver } from './store/dialect/pg-driver.ts'
import { isServers, type PostgresServers, ReplicatedDriver } from './store/dialect/pg-replicated.ts'
import type { PostgresOptions, PostgresSource } from './store/dialect/pg-source.ts'

export { pgKit as kit } from './model/pg-kit.ts'
export type { PostgresOptions, PostgresServers, PostgresSource }

/**
 * A PostgreSQL database: by its address, `pg`'s configuration (TLS: `ssl`), your own pool, or a Drizzle database on
 * your own pool. Needs the package `pg`. `close()` does not end your own pool, and its settings stay as they are.
 *
 * `{ primary, replicas }` are several servers. A request that only reads (GET and exports) uses a replica with all
 * commits from before the request, or else the primary. Every write goes to the primary.
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
