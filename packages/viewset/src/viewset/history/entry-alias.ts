import { type SQL, sql } from 'drizzle-orm'
import type { HistoryTable } from '../../model/tables/history-tables.ts'

type EntryColumn = 'id' | 'at' | 'record' | 'parent'

/** A history under another name, for one that a statement reads several times. */
interface Alias {
  (column: EntryColumn): SQL
  readonly table: SQL
}

export function aliasOf(table: HistoryTable, name: string): Alias {
  const alias = sql.identifier(name)
  return Object.assign((column: EntryColumn) => sql`${alias}.${nameOf(table, column)}`, {
    table: sql`${table} as ${alias}`,
  })
}

export function nameOf(table: HistoryTable, column: EntryColumn): SQL {
  return sql`${sql.identifier(table[column].name)}`
}
