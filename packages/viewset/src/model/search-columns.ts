import type { Table } from 'drizzle-orm'

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
