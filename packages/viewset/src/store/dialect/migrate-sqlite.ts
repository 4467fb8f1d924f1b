import type { SqliteHandle } from './sqlite-connection.ts'

/** Options of {@link migrateSqlite}. */
export interface MigrateSqliteOptions {
  /** The folder into which drizzle-kit writes the migrations. */
  readonly migrationsFolder: string
}

interface Dangling {
  readonly table: string
  readonly parent: string
}

/**
 * Applies drizzle-kit's migrations to an SQLite file, which is created if it does not exist. Needs the package
 * `better-sqlite3`.
 *
 * To change a column, drizzle-kit creates the table again and drops the old one. Drizzle's migrator then deletes the
 * rows that refer to the table, or fails, because SQLite ignores `PRAGMA foreign_keys=OFF` in a transaction. This
 * function keeps them.
 *
 * @throws Error if rows refer to missing ones after the migrations, which are then undone.
 * @example
 * await migrateSqlite('data/shop.db', { migrationsFolder: 'migrations' })
 */
export async function migrateSqlite(path: string, { migrationsFolder }: MigrateSqliteOptions): Promise<void> {
  // Loaded here, because most processes do not migrate.
  const { drizzle } = await import('drizzle-orm/better-sqlite3')
  const { migrate } = await import('drizzle-orm/better-sqlite3/migrator')
  // The migrator has no other place between its last statement and the end of its transaction.
  const logQuery = (query: string) => {
    if (query === 'COMMIT') refuseDangling(connection.$client)
  }
  const connection = drizzle(path, { logger: { logQuery } })
  try {
    connection.$client.pragma('foreign_keys = off')
    migrate(connection, { migrationsFolder })
  } catch (error) {
    throw error instanceof Error && error.cause instanceof DanglingRows ? error.cause : error
  } finally {
    connection.$client.close()
  }
}

/** The migrator wraps it like the errors of statements. */
class DanglingRows extends Error {}

/** Like Django, after migrations only: the check reads all rows that have a foreign key. */
function refuseDangling(client: SqliteHandle): void {
  if (client.prepare('select total_changes()').pluck().get() === 0) return
  const all = client.pragma('foreign_key_check') as readonly Dangling[]
  const [first] = all
  if (first === undefined) return
  const { table, parent } = first
  const count = all.filter(row => row.table === table && row.parent === parent).length
  const rows = count === 1 ? '1 row of' : `${count} rows of`
  const problem = `The migrations leave ${rows} "${table}" that ${count === 1 ? 'refers' : 'refer'} to no row of "${parent}"`
  throw new DanglingRows(`${problem}. Nothing was migrated.`)
}
