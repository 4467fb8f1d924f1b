import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DialectName } from '../case.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'

/** Where a database is while it is measured. */
export interface Place {
  readonly location: string
  /** For files of the same measurement. */
  readonly folder: string
  readonly postgres: PostgresServer | undefined
  remove(): Promise<void>
}

/** A folder for SQLite's file, or a PostgreSQL of its own; nothing is in it. */
export async function openPlace(dialect: DialectName): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'viewset-bench-'))
  const postgres = dialect === 'pg' ? await startPostgres() : undefined
  return {
    location: postgres?.url ?? join(folder, 'bench.db'),
    folder,
    postgres,
    remove: async () => {
      await postgres?.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
