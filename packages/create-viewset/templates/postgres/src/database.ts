import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { Client } from 'pg'
import type { Database } from 'viewset'
import { postgres } from 'viewset/pg'

/** Opens the PostgreSQL database at `url`. It connects for the first statement. */
export function openDatabase(url: string): Database {
  return postgres(url)
}

/** Applies the migrations. */
export async function migrateDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    // Of several processes that start together, one migrates. The others wait until this connection ends.
    await client.query('select pg_advisory_lock(1)')
    await migrate(drizzle(client), { migrationsFolder: 'migrations' })
  } finally {
    await client.end()
  }
}
