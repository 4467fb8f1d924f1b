import { Database } from './store/database.ts'
import { PostgresDriver, type PostgresOptions } from './store/dialect/pg-driver.ts'

export { pgKit as kit } from './model/pg-kit.ts'
export type { PostgresOptions }

/**
 * A PostgreSQL database. Needs the package `pg`.
 *
 * @example
 * const database = postgres('postgres://localhost/shop', { poolSize: 20 })
 */
export function postgres(url: string, options: PostgresOptions = {}): Database {
  return new Database(new PostgresDriver(url, options))
}
