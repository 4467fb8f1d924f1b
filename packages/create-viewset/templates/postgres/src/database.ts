import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { Client } from 'pg'
import type { Database } from 'viewset'
import { postgres } from 'viewset/pg'

/** The PostgreSQL database at `url`; it connects when it is first asked. */
export function openDatabase(url: string): Database {
  return postgres(url)
}

/** Brings the tables up to date. */
export async function migrateDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    // Of several processes that start together, one migrates; the others wait until this connection ends.
    await client.query('select pg_advisory_lock(1)')
    await migrate(drizzle(client), { migrationsFolder: 'migrations' })
  } finally {
    await client.end()
  }
}
