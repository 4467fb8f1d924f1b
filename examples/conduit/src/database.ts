import { fileURLToPath } from 'node:url'
import type { ColumnKit, Database } from 'viewset'

export interface ConduitDatabase {
  readonly database: Database
  readonly kit: ColumnKit
}

/** Opens PostgreSQL if `DATABASE_URL` is set, or else the SQLite file `CONDUIT_FILE`. Creates missing tables. */
export async function openDatabase({
  DATABASE_URL: url,
  CONDUIT_FILE: file = 'conduit.db',
}: NodeJS.ProcessEnv): Promise<ConduitDatabase> {
  if (!url) {
    const { kit, migrateSqlite, sqlite } = await import('viewset/sqlite')
    await migrateSqlite(file, { migrationsFolder: migrations('sqlite') })
    return { kit, database: sqlite(file) }
  }
  const { kit, postgres } = await import('viewset/pg')
  const { drizzle } = await import('drizzle-orm/node-postgres')
  const { migrate } = await import('drizzle-orm/node-postgres/migrator')
  const connection = drizzle(url)
  await migrate(connection, { migrationsFolder: migrations('pg') }).finally(() => connection.$client.end())
  return { kit, database: postgres(url) }
}

function migrations(dialect: string): string {
  return fileURLToPath(new URL(`../migrations/${dialect}`, import.meta.url))
}
