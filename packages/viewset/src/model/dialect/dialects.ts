import { getTableName, getViewName, is, Table, View } from 'drizzle-orm'
import { shown } from '../../core/config-error.ts'
import { ConfigError } from '../../core/errors.ts'
import type { Dialect } from './dialect.ts'
import { postgresDialect } from './postgres.ts'
import { sqliteDialect } from './sqlite.ts'

const known: Dialect[] = [postgresDialect, sqliteDialect]
const made = new WeakMap<Table, Dialect>()

/**
 * Registers a further dialect, so that its plain Drizzle tables can be models. A column kit's tables need no
 * registration.
 *
 * @example
 * export const mysqlDialect = defineDialect({ name: 'mysql', title: 'MySQL', ...spelling })
 */
export function defineDialect(dialect: Dialect): Dialect {
  known.push(dialect)
  return dialect
}

/** @internal Notes the dialect of a kit's table. */
export function madeBy(dialect: Dialect, table: Table): void {
  made.set(table, dialect)
}

export function isMadeByKit(table: Table): boolean {
  return made.has(table)
}

export function dialectOf(table: Table): Dialect {
  const dialect =
    made.get(table) ?? (is(table, Table) ? known.find(candidate => candidate.tableConfig(table)) : undefined)
  if (!dialect) throw noTable(table)
  return dialect
}

export function wrongDatabase(table: string, dialect: Dialect, databaseDialect: Dialect): string {
  return `"${table}" is a table for ${dialect.title}, the database is ${databaseDialect.title}`
}

function noTable(value: unknown): ConfigError {
  if (is(value, View)) {
    const name = getViewName(value)
    const remedy = `describe its columns by a table named "${name}", outside of what drizzle-kit reads, and give that`
    return new ConfigError(name, 'model', `is a view; ${remedy}`)
  }
  const remedy = 'make it with a column kit, pgTable or sqliteTable'
  const [subject, key] = is(value, Table) ? [getTableName(value), 'model'] : ['model', shown(value)]
  return new ConfigError(subject, key, `is not a ${known.map(({ title }) => title).join(' or ')} table; ${remedy}`)
}
