import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError } from '../core/errors.ts'
import { quoteName } from '../model/drizzle.ts'
import type { Driver, Executor } from '../store/connection/driver.ts'

/** Values other than tables are ignored. */
export type Schema = Readonly<Record<string, unknown>>

interface Temporary {
  readonly url: string
  readonly driver: Driver
  statementsFor(schema: Schema): Promise<readonly string[]>
  migrate(migrationsFolder: string): Promise<void>
  /** Numbering restarts. Drizzle's migration table keeps its rows. */
  readonly clear: () => Promise<void>
  remove(): Promise<void>
}

/** All tables but those of Drizzle's migrator and of extensions, and whether a sequence of theirs has begun. */
const POSTGRES_TABLES = `
  select format('%I.%I', n.nspname, c.relname), exists (
    select from pg_depend d join pg_sequence s on s.seqrelid = d.objid
    where d.classid = 'pg_class'::regclass and d.refobjid = c.oid and pg_sequence_last_value(s.seqrelid) is not null)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and n.nspname <> 'drizzle' and n.nspname !~ '^(pg_|information_schema$)'
    and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')`

/** Milliseconds that a database which is dropped waits for its connections. */
const PATIENCE = 2_000
const PAUSE = 10

export async function temporaryPostgres(serverUrl: string): Promise<Temporary> {
  if (!/^postgres(ql)?:\/\//.test(serverUrl) || !URL.canParse(serverUrl)) {
    throw new ConfigError(
      'testing',
      'postgres',
      'must be the address of a server, such as "postgres://localhost/postgres"',
    )
  }
  // Loaded here, so that the other driver is not required.
  const { PostgresDriver } = await import('../store/dialect/pg-driver.ts')
  const name = `viewset_test_${randomBytes(8).toString('hex')}`
  const administer = async (use: (server: Driver) => Promise<unknown>) => {
    const server = new PostgresDriver(serverUrl, { poolSize: 1, statementTimeout: 60_000 })
    await use(server).finally(() => server.close())
  }

  // No connection can be open to template0, which would block the copy.
  await administer(server => server.run({ text: `create database ${name} template template0` }, []))
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

    clear: () => inTransaction(driver, clearPostgres),

    remove: () =>
      administer(async server => {
        // The end of a pool does not wait until the server has closed its connections. A forced drop would send them an
        // error, which ends a process whose pool has no listener for it.
        const open = {
          text: `select from pg_stat_activity where datname = '${name}' and backend_type = 'client backend'`,
        }
        for (let waited = 0; waited < PATIENCE && (await server.run(open, [])).rows.length > 0; waited += PAUSE) {
          await sleep(PAUSE)
        }
        await server.run({ text: `drop database if exists ${name} with (force)` }, [])
      }),
  }
}

/** All tables but those of Drizzle's migrator and of search indexes, which triggers empty. */
const SQLITE_TABLES = `
  select name from pragma_table_list as own
  where schema = 'main' and type = 'table' and name not in ('sqlite_schema', '__drizzle_migrations')
    and not exists (select 1 from pragma_table_list as found where found.type = 'virtual' and own.name = found.name || '_keys')`

/** A file in a temporary folder. The store needs several connections, which an in-memory database does not allow. */
export async function temporarySqlite(): Promise<Temporary> {
  // Loaded here, so that the other driver is not required.
  const { SqliteDriver } = await import('../store/dialect/sqlite-driver.ts')
  const folder = await mkdtemp(join(tmpdir(), 'viewset-test-'))
  const url = join(folder, 'test.db')
  // Test data need not survive a power cut.
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
      const { migrateSqlite } = await import('../store/dialect/migrate-sqlite.ts')
      await migrateSqlite(url, { migrationsFolder })
    },

    clear: () => inTransaction(driver, clearSqlite),

    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function inTransaction(driver: Driver, fn: (connection: Executor) => Promise<void>): Promise<void> {
  const transaction = await driver.begin()
  try {
    await fn(transaction)
  } catch (error) {
    await transaction.rollback()
    throw error
  }
  await transaction.commit()
}

async function clearPostgres(connection: Executor): Promise<void> {
  const { rows } = await connection.run({ text: POSTGRES_TABLES }, [])
  if (rows.length === 0) return
  const tables = rows.map(([name]) => String(name))
  // Waits for the end of transactions that write. Else their rows could come after the look for rows.
  await connection.run({ text: `lock table ${tables.join(', ')} in access exclusive mode` }, [])
  // Truncating makes new files, also for an empty table. Most tests write to few tables.
  const looks = tables.map((name, at) => `select ${at} where exists (select from ${name})`)
  const filled = await connection.run({ text: looks.join(' union all ') }, [])
  const indexes = new Set(filled.rows.map(([at]) => Number(at)))
  const used = tables.filter((_, at) => indexes.has(at) || rows[at]?.[1] === 't')
  if (used.length > 0) await connection.run({ text: `truncate ${used.join(', ')} restart identity cascade` }, [])
}

async function clearSqlite(connection: Executor): Promise<void> {
  // Outside of the transaction, a reader thread would list the tables, since pragmas are virtual tables.
  const { rows } = await connection.run({ text: SQLITE_TABLES }, [])
  // Foreign keys are checked at the commit, when all tables are empty, so their order does not matter.
  await connection.run({ text: 'pragma defer_foreign_keys = on' }, [])
  for (const [name] of rows) await connection.run({ text: `delete from ${quoteName(String(name))}` }, [])
}

type DrizzleKit = typeof import('drizzle-kit/api')

/** The tables of tests equal those of drizzle-kit's migrations. */
function drizzleKit(): DrizzleKit {
  try {
    // The CommonJS build loads five times as fast.
    const kit = createRequire(import.meta.url)('drizzle-kit/api') as DrizzleKit
    // drizzle-kit adds an enumerable method to all arrays, which would break `for...in`.
    if ('random' in Array.prototype) Object.defineProperty(Array.prototype, 'random', { enumerable: false })
    return kit
  } catch (cause) {
    const problem = 'needs the package drizzle-kit (npm install --save-dev drizzle-kit), or give migrations instead'
    throw Object.assign(new ConfigError('testing', 'schema', problem), { cause })
  }
}
