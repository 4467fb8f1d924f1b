import type { Driver } from '../store/driver.ts'

/** Tables by any names, as a module of them exports them; what is no table is passed over. */
export type Schema = Readonly<Record<string, unknown>>

/** An empty database that nobody else uses, with all that differs between the databases in a test. */
export interface Temporary {
  /** The file of SQLite, the address of PostgreSQL. */
  readonly url: string
  readonly driver: Driver
  /** The statements that create the tables of `schema`, as drizzle-kit would write them into a migration. */
  statementsFor(schema: Schema): Promise<readonly string[]>
  /** Applies a folder of migrations, by Drizzle's own migrator. */
  migrate(migrationsFolder: string): Promise<void>
  /** Empties all tables but the migrator's own; numbering starts anew. */
  readonly clear: () => Promise<void>
  /** Removes the database, to which `driver` is not connected any more. */
  remove(): Promise<void>
}
