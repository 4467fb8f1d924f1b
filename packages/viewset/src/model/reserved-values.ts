import type { Column, Table } from 'drizzle-orm'
import { type Message, message } from '../core/messages/message.ts'
import { shownValue } from '../core/text.ts'
import type { ColumnInfo, TableInfo } from './model-info.ts'

// A path `/labels/export/` is never the label of that name. So no new record gets the value.

const reserved = new WeakMap<Table, Map<Column, Set<string>>>()

/** Keeps values of a column from all new records, and from changes by clients. */
export function reserveValues({ column }: ColumnInfo, values: Iterable<string>): void {
  const ofTable = reserved.get(column.table) ?? new Map<Column, Set<string>>()
  reserved.set(column.table, ofTable.set(column, new Set([...(ofTable.get(column) ?? []), ...values])))
}

export function isReserved({ column }: Pick<ColumnInfo, 'column'>, value: unknown): boolean {
  return typeof value === 'string' && reserved.get(column.table)?.get(column)?.has(value) === true
}

/** The columns of a model that have reserved values. */
export function columnsWithReserved({ table, columns }: TableInfo): readonly ColumnInfo[] {
  const ofTable = reserved.get(table)
  return ofTable ? columns.filter(({ column }) => ofTable.has(column)) : []
}

export function reservedProblem(value: unknown): Message {
  return message('invalid_slug', { value: shownValue(value) })
}
