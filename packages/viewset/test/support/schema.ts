import { createRequire } from 'node:module'
import { getTableName, is, Table } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import type { Database } from 'viewset'

/**
 * Tables by the names that a test has for them, each behind those that it refers to; on PostgreSQL also the schemas and
 * enumerations that they need.
 */
export type Tables = Readonly<Record<string, unknown>>

// The CommonJS build of drizzle-kit loads in a fifth of the time.
const { generateDrizzleJson, generateMigration, generateSQLiteDrizzleJson, generateSQLiteMigration } = createRequire(
  import.meta.url,
)('drizzle-kit/api') as typeof import('drizzle-kit/api')

/** The statements that create `tables`, as drizzle-kit would write them into a migration. */
async function schemaOf(database: Database, tables: Tables): Promise<readonly string[]> {
  if (database.dialect.name === 'pg') return generateMigration(generateDrizzleJson({}), generateDrizzleJson(tables))
  return generateSQLiteMigration(await generateSQLiteDrizzleJson({}), await generateSQLiteDrizzleJson(tables))
}

export async function createTables(database: Database, tables: Tables): Promise<void> {
  for (const text of await schemaOf(database, tables)) await database.driver.run({ text }, [])
}

/** Empties all tables; numbering starts anew. */
export async function clearTables(database: Database, tables: Tables): Promise<void> {
  const names = Object.values(tables).flatMap(table => (is(table, Table) ? [qualifiedName(table)] : []))
  if (names.length === 0) return
  if (database.dialect.name === 'pg') {
    await database.driver.run({ text: `truncate ${names.join(', ')} restart identity cascade` }, [])
  } else {
    for (const name of names.reverse()) await database.driver.run({ text: `delete from ${name}` }, [])
  }
}

function qualifiedName(table: Table): string {
  const schema = is(table, PgTable) ? getTableConfig(table).schema : undefined
  return schema === undefined ? `"${getTableName(table)}"` : `"${schema}"."${getTableName(table)}"`
}
