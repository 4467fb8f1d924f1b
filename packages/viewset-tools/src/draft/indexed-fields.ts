import { type Column, is, SQL } from 'drizzle-orm'
import type { ColumnInfo, TableInfo } from 'viewset'
import { has, kindOf } from 'viewset/internal'

/** The columns by which the database finds rows quickly: those that a key, a constraint or an index begins with. */
export function indexedColumns({ dialect, table, columns, uniques }: TableInfo): readonly ColumnInfo[] {
  const indexes = dialect.tableConfig(table)?.indexes ?? []
  const leading = new Set([
    ...columns.filter(({ primaryKey }) => primaryKey).map(({ name }) => name),
    ...uniques.map(unique => unique.columns[0]?.name),
    ...indexes.filter(({ config }) => !config.where).map(({ config }) => columnName(config.columns[0])),
  ])
  return columns.filter(column => leading.has(column.name) && has(column, 'comparable'))
}

function columnName(part: unknown): string | undefined {
  return is(part, SQL) ? undefined : (part as Column | undefined)?.name
}

/** How a column is asked for: what lies on a line by more and less, too. */
export function lookupsOf(column: ColumnInfo): readonly string[] {
  if (column.primaryKey) return ['in']
  if (has(column, 'truth')) return ['exact']
  return column.references || !kindOf(column).line ? ['exact', 'in'] : ['exact', 'gte', 'lte']
}
