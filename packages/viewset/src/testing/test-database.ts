import { getTableName, is, Table } from 'drizzle-orm'
import { ConfigError } from '../core/errors.ts'
import { checkOptions, setting } from '../core/setting-rules.ts'
import type { Dialect } from '../model/dialect/dialect.ts'
import { dialectOf, wrongDatabase } from '../model/dialect/dialects.ts'
import { postgresDialect } from '../model/dialect/postgres.ts'
import { sqliteDialect } from '../model/dialect/sqlite.ts'
import { tableInfo } from '../model/model-info.ts'
import { Database } from '../store/connection/database.ts'
import { searchIndexStatements } from '../store/search-index.ts'
import { type Schema, temporaryPostgres, temporarySqlite } from './temporary-database.ts'

/** Options of a test database. */
export interface TestDatabaseOptions {
  /** The module with your tables (`import * as schema from './schema.ts'`), which are created. Needs `drizzle-kit`. */
  readonly schema?: Readonly<Record<string, unknown>>
  /** In place of `schema`: the folder of drizzle-kit's migrations, which are applied. */
  readonly migrations?: string
  /**
   * URL of a PostgreSQL server on which a database is created and dropped at the end. Its user needs that permission.
   * Without it, the database is an SQLite file.
   */
  readonly postgres?: string
}

/**
 * A database for tests; see {@link createTestDatabase}. Its members work without `this`, as in `const { drop } = ...`.
 */
export interface TestDatabase {
  readonly database: Database
  /** The file of SQLite, the URL of PostgreSQL: for code that opens the database itself. */
  readonly url: string
  /** Empties all tables despite references; numbering restarts. */
  readonly clear: () => Promise<void>
  /** Closes and removes the database. */
  readonly drop: () => Promise<void>
}

const RULES = { schema: setting.object, migrations: setting.text, postgres: setting.text }

/**
 * Creates a separate database for tests.
 *
 * @throws ConfigError for an unknown option, both `schema` and `migrations`, and tables of the other database.
 * @example
 * const { database, drop } = await createTestDatabase({ schema: { articles } })
 * await database.transaction(() => createRecord(articles, { title: 'First' }))
 * await drop()
 */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  checkOptions('testing', RULES, options)
  checkTables(options)
  const { schema, migrations, postgres } = options
  const temporary = await (postgres === undefined ? temporarySqlite() : temporaryPostgres(postgres))
  const { url, driver, clear } = temporary
  const database = new Database(driver)
  const drop = async () => {
    await database.close()
    await temporary.remove()
  }
  try {
    if (migrations !== undefined) await temporary.migrate(migrations)
    if (schema !== undefined) {
      const { before, after } = searchIndexStatements(tablesOf(schema).map(tableInfo))
      const statements = [...before, ...(await temporary.statementsFor(schema)), ...after]
      for (const text of statements) await driver.run({ text }, [])
    }
  } catch (error) {
    await drop()
    throw error
  }
  return { database, url, clear, drop }
}

function checkTables({ schema, migrations, postgres }: TestDatabaseOptions): void {
  if (schema !== undefined && migrations !== undefined) {
    throw new ConfigError('testing', 'schema', 'cannot go with migrations, which make the same tables')
  }
  if (schema !== undefined) checkSchema(schema, postgres === undefined ? sqliteDialect : postgresDialect)
}

function tablesOf(schema: Schema): readonly Table[] {
  return Object.values(schema).filter(value => is(value, Table))
}

/** drizzle-kit ignores tables of another database silently. */
function checkSchema(schema: Schema, dialect: Dialect): void {
  const tables = tablesOf(schema)
  if (tables.length === 0) {
    throw new ConfigError('testing', 'schema', 'holds no table; give the module that exports your tables')
  }
  const stranger = tables.find(table => dialectOf(table) !== dialect)
  if (!stranger) return
  const remedy = dialect === sqliteDialect ? '; give postgres, the address of a server' : ''
  throw new ConfigError(
    'testing',
    'schema',
    wrongDatabase(getTableName(stranger), dialectOf(stranger), dialect) + remedy,
  )
}
