import { type Column, is, SQL } from 'drizzle-orm'
import type { ColumnInfo, TableInfo } from 'viewset'
import { has, kindOf } from 'viewset/internal'

/** The first columns of keys, constraints and indexes. */
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

/** Values with an order also have lookups for more and less. */
export function lookupsOf(column: ColumnInfo): readonly string[] {
  if (column.primaryKey) return ['in']
  if (has(column, 'truth')) return ['exact']
  return column.references || !kindOf(column).line ? ['exact', 'in'] : ['exact', 'gte', 'lte']
}
