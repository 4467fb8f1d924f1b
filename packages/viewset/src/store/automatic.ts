import type { Dialect } from '../model/dialect/dialect.ts'
import { quoteName } from '../model/drizzle.ts'
import type { ColumnInfo, ModelInfo, TableInfo } from '../model/model-info.ts'
import { columnName } from './select.ts'

/**
 * What an update sets a column to that it fills by itself. `updatedAt` is not before `createdAt`, whichever server's
 * clock was set back or is behind: the row itself knows when it was created.
 */
export function automaticValue(
  dialect: Dialect,
  model: TableInfo,
  { key, kind, sqlType }: ColumnInfo,
  value: string,
): string {
  const created = key === 'updatedAt' && kind === 'timestamp' ? model.byKey.get('createdAt') : undefined
  return created?.sqlType === sqlType && !created.nullable ? dialect.latest(value, columnName(model, created)) : value
}

/**
 * The assignments of an update. One that has nothing to set, since its model has no automatic fields, sets a column to
 * itself: the rows are still to be found and returned.
 */
export function assignments(
  model: ModelInfo,
  set: readonly (readonly [ColumnInfo, string])[],
): readonly (readonly [column: string, value: string])[] {
  const idle = idleColumn(model)
  const all = set.length === 0 ? [[idle, columnName(model, idle)] as const] : set
  return all.map(([column, value]) => [quoteName(column.name), value])
}

/**
 * Not a key where there is anything else, since SQLite checks foreign keys to a key that is set, and a row that refers to
 * itself fails them.
 */
function idleColumn({ columns, primaryKey }: ModelInfo): ColumnInfo {
  const isIdle = ({ primaryKey, references, generated }: ColumnInfo) => !primaryKey && !references && !generated
  return columns.find(isIdle) ?? primaryKey
}
