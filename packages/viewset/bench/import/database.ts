import type { Database } from 'viewset'
import { type Models, models } from './fixture.ts'

/** The database at `location`: a file for SQLite, a url for PostgreSQL. */
export async function openTowns(
  dialect: 'pg' | 'sqlite',
  location: string,
): Promise<{ readonly database: Database; readonly tables: Models }> {
  if (dialect === 'sqlite') {
    const { kit, sqlite } = await import('viewset/sqlite')
    // As the floor's connection has it, where nothing is set.
    return { database: sqlite(location, { synchronous: 'normal', ...readerOptions() }), tables: models(kit) }
  }
  const { kit, postgres } = await import('viewset/pg')
  return { database: postgres(location), tables: models(kit) }
}

function readerOptions() {
  const { READER_THREADS } = process.env
  return READER_THREADS === undefined ? {} : { readerThreads: Number(READER_THREADS) }
}
