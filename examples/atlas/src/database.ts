import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ColumnKit, Database } from 'viewset'
import { folder, type JobFiles, type JobQueue } from 'viewset/jobs'
import { databaseError, StartError } from './start-error.ts'

/** A database, the kit for its models, and the files and the queue of its jobs. */
export interface AtlasDatabase {
  readonly database: Database
  readonly kit: ColumnKit
  /** The place of the data, for people. */
  readonly description: string
  migrate(): Promise<void>
  /** Without a queue, the server runs the jobs itself. */
  readonly jobs: { readonly files: JobFiles; readonly queue?: JobQueue }
}

/** Opens PostgreSQL if `DATABASE_URL` is set, or else an SQLite file in `ATLAS_DATA_DIR` (default `./data`). */
export async function openDatabase(environment: Readonly<Record<string, string | undefined>>): Promise<AtlasDatabase> {
  const { DATABASE_URL: url, ATLAS_DATA_DIR } = environment
  const directory = ATLAS_DATA_DIR || 'data'
  return url ? openPostgres(url, directory) : openSqlite(directory)
}

export async function openPostgres(url: string, directory = 'data'): Promise<AtlasDatabase> {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new StartError(
      'DATABASE_URL must be an address such as postgres://me@localhost/atlas. Without it, the atlas uses SQLite.',
    )
  }
  const { kit, postgres } = await import('viewset/pg')
  const { pgBossQueue } = await import('viewset/jobs')
  return {
    kit,
    database: postgres(url),
    description: `PostgreSQL at ${new URL(url).host}`,
    // Several processes share the database, and pg-boss hands each job to one of them.
    jobs: { files: jobFiles(directory), queue: pgBossQueue(url) },
    migrate: async () => {
      const { drizzle } = await import('drizzle-orm/node-postgres')
      const { migrate } = await import('drizzle-orm/node-postgres/migrator')
      const connection = drizzle(url)
      await migrate(connection, { migrationsFolder: migrationsFolder('pg') }).finally(() => connection.$client.end())
    },
  }
}

export async function openSqlite(directory: string): Promise<AtlasDatabase> {
  const { kit, migrateSqlite, sqlite } = await import('viewset/sqlite')
  const path = join(directory, 'atlas.db')
  const description = `SQLite in ${path}`
  return {
    kit,
    database: open(() => {
      mkdirSync(directory, { recursive: true })
      return sqlite(path)
    }, description),
    description,
    jobs: { files: jobFiles(directory) },
    migrate: () => migrateSqlite(path, { migrationsFolder: migrationsFolder('sqlite') }),
  }
}

function jobFiles(directory: string): JobFiles {
  return folder(join(directory, 'jobs'))
}

function open(fn: () => Database, description: string): Database {
  try {
    return fn()
  } catch (error) {
    throw databaseError(error, description)
  }
}

function migrationsFolder(dialect: string): string {
  return fileURLToPath(new URL(`../migrations/${dialect}`, import.meta.url))
}
