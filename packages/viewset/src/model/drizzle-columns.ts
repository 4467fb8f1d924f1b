import { type Column, type SQL, sql, type Table } from 'drizzle-orm'
import { wireName } from '../core/wire-names.ts'
import type { ValueInfo } from '../kinds/kind.ts'

// What Drizzle keeps to itself about columns; about tables and SQL, see drizzle.ts.

/** What a column and the builder that it was made by have in common. */
function configOf(columnOrBuilder: object): { name: string } | undefined {
  return Reflect.get(columnOrBuilder, 'config')
}

/** What kits have noted of their columns, by the columns' configuration. */
const noted = new WeakMap<object, ValueInfo>()

/** Notes what a column under construction holds, which its SQL type may not tell. */
export function noteKind<B extends object>(builder: B, info: ValueInfo): B {
  const config = configOf(builder)
  if (config) noted.set(config, info)
  return builder
}

/** What a kit has noted of a column, or of one under construction; `undefined` for those that no kit has made. */
export function notedKind(columnOrBuilder: object): ValueInfo | undefined {
  const config = configOf(columnOrBuilder)
  return config && noted.get(config)
}

/** Columns that are called `<key>_id` in the database because their key names a relation. */
const relationColumns = new WeakSet<object>()

/** Marks a column under construction as one whose key names a relation: `author` becomes the column `author_id`. */
export function namedAsRelation<B extends object>(builder: B): B {
  relationColumns.add(builder)
  return builder
}

/** Gives every unnamed column of a table under construction its name in snake_case. */
export function nameColumns(columns: Readonly<Record<string, object>>): void {
  for (const [key, builder] of Object.entries(columns)) {
    const config = configOf(builder)
    if (config?.name === '') config.name = wireName(key) + (relationColumns.has(builder) ? '_id' : '')
  }
}

/** The name in the database of a column under construction. */
export function columnNameOf(builder: object): string | undefined {
  return configOf(builder)?.name
}

/** A type and the collation that a `customType` may have behind it, which no cast needs. */
export function splitCollation(sqlType: string): { readonly type: string; readonly collation: string | undefined } {
  const [type = '', collation] = sqlType.split(/ collate /i)
  return { type, collation }
}

/** Whether a column is of a `customType` with a `toDriver`. */
export function hasOwnForm(column: Column): boolean {
  return typeof Reflect.get(column, 'mapTo') === 'function'
}

const unchanged = new WeakSet<object>()

/**
 * What `$onUpdateFn` returns to leave its column as it is. Drizzle's own updates need an expression, which sets the
 * column to itself; Viewset's leave the column out.
 */
export function unchangedColumn(name: string): SQL {
  const expression = sql`${sql.identifier(name)}`
  unchanged.add(expression)
  return expression
}

export function isUnchanged(value: unknown): boolean {
  return typeof value === 'object' && value !== null && unchanged.has(value)
}

/** What kits have noted of tables: the names of the columns that an index for search is declared over. */
const searched = new WeakMap<Table, Set<string>>()

/** Notes columns of a table whose texts an index shall find. */
export function noteSearchColumns(table: Table, names: readonly string[]): void {
  searched.set(table, new Set([...(searched.get(table) ?? []), ...names]))
}

/** The names of those columns; known once a dialect has said what the table is. */
export function searchColumns(table: Table): ReadonlySet<string> {
  return searched.get(table) ?? new Set()
}
