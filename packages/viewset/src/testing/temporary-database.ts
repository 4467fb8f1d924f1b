import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '../core/errors.ts'
import { quoteName } from '../model/drizzle.ts'
import type { Driver } from '../store/driver.ts'

/** Tables by any names, as a module of them exports them; what is no table is passed over. */
export type Schema = Readonly<Record<string, unknown>>

/** An empty database that nobody else uses, with all that differs between the databases in a test. */
interface Temporary {
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

/** All tables but those of Drizzle's migrator and of extensions. */
const POSTGRES_TABLES = `
  select format('%I.%I', n.nspname, c.relname)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and n.nspname <> 'drizzle' and n.nspname !~ '^(pg_|information_schema$)'
    and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')`

/** A database of its own on the server of `serverUrl`, whose user may create databases. */
export async function temporaryPostgres(serverUrl: string): Promise<Temporary> {
  if (!/^postgres(ql)?:\/\//.test(serverUrl) || !URL.canParse(serverUrl)) {
    throw new ConfigError(
      'testing',
      'postgres',
      'must be the address of a server, such as "postgres://localhost/postgres"',
    )
  }
  // Loaded here, so that nobody needs the driver of the other database.
  const { PostgresDriver } = await import('../store/dialect/pg-driver.ts')
  const name = `viewset_test_${randomBytes(8).toString('hex')}`
  const administer = async (text: string) => {
    const server = new PostgresDriver(serverUrl, { poolSize: 1, statementTimeout: 60_000 })
    await server.run({ text }, []).finally(() => server.close())
  }

  // Nobody is ever connected to template0, which would be in the way of a copy.
  await administer(`create database ${name} template template0`)
  const address = new URL(serverUrl)
  address.pathname = name
  const url = address.href
  const driver = new PostgresDriver(url, {})

  return {
    url,
    driver,

    async statementsFor(schema) {
      const { generateDrizzleJson, generateMigration } = drizzleKit()
      return generateMigration(generateDrizzleJson({}), generateDrizzleJson({ ...schema }))
    },

    async migrate(migrationsFolder) {
      const { drizzle } = await import('drizzle-orm/node-postgres')
      const { migrate } = await import('drizzle-orm/node-postgres/migrator')
      const connection = drizzle(url)
      await migrate(connection, { migrationsFolder }).finally(() => connection.$client.end())
    },

    async clear() {
      const { rows } = await driver.run({ text: POSTGRES_TABLES }, [])
      if (rows.length > 0) await driver.run({ text: `truncate ${rows.join(', ')} restart identity cascade` }, [])
    },

    remove: () => administer(`drop database if exists ${name} with (force)`),
  }
}

/** All tables but those of Drizzle's migrator, and of indexes for search, which triggers empty. */
const SQLITE_TABLES = `
  select name from pragma_table_list as own
  where schema = 'main' and type = 'table' and name not in ('sqlite_schema', '__drizzle_migrations')
    and not exists (select 1 from pragma_table_list as found where found.type = 'virtual' and own.name = found.name || '_keys')`

/** A file in a temporary folder: the store needs several connections, which a database in memory does not have. */
export async function temporarySqlite(): Promise<Temporary> {
  // Loaded here, so that nobody needs the driver of the other database.
  const { SqliteDriver } = await import('../store/dialect/sqlite-driver.ts')
  const folder = await mkdtemp(join(tmpdir(), 'viewset-test-'))
  const url = join(folder, 'test.db')
  // No test's data has to survive a power cut.
  const driver = new SqliteDriver(url, { synchronous: 'normal' })

  return {
    url,
    driver,

    async statementsFor(schema) {
      const { generateSQLiteDrizzleJson, generateSQLiteMigration } = drizzleKit()
      return generateSQLiteMigration(
        await generateSQLiteDrizzleJson({}),
        await generateSQLiteDrizzleJson({ ...schema }),
      )
    },

    async migrate(migrationsFolder) {
      const { drizzle } = await import('drizzle-orm/better-sqlite3')
      const { migrate } = await import('drizzle-orm/better-sqlite3/migrator')
      const connection = drizzle(url)
      try {
        migrate(connection, { migrationsFolder })
      } finally {
        connection.$client.close()
      }
    },

    async clear() {
      const { rows } = await driver.run({ text: SQLITE_TABLES }, [])
      const transaction = await driver.begin()
      try {
        // References are checked at the commit, where nothing is left: no order of the tables matters.
        await transaction.run({ text: 'pragma defer_foreign_keys = on' }, [])
        for (const [name] of rows) await transaction.run({ text: `delete from ${quoteName(String(name))}` }, [])
      } catch (error) {
        await transaction.rollback()
        throw error
      }
      await transaction.commit()
    },

    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

type DrizzleKit = typeof import('drizzle-kit/api')

/** drizzle-kit's own reading of a schema: tables in tests are what its migrations would make. */
function drizzleKit(): DrizzleKit {
  try {
    // The CommonJS build loads in a fifth of the time.
    const kit = createRequire(import.meta.url)('drizzle-kit/api') as DrizzleKit
    // It adds a method to all arrays, which `for...in` of somebody else's code must not meet.
    if ('random' in Array.prototype) Object.defineProperty(Array.prototype, 'random', { enumerable: false })
    return kit
  } catch (cause) {
    const problem = 'needs the package drizzle-kit (npm install --save-dev drizzle-kit), or give migrations instead'
    throw Object.assign(new ConfigError('testing', 'schema', problem), { cause })
  }
}
