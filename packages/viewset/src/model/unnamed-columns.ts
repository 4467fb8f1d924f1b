import type { ColumnInfo } from './model-info.ts'

/** Columns that no message to a client names, such as that of a tenant. */
const unnamed = new WeakSet<object>()

export function hideName({ column }: ColumnInfo): void {
  unnamed.add(column)
}

/** The columns that a message may name. */
export function namedColumns(columns: readonly ColumnInfo[]): readonly ColumnInfo[] {
  const named = columns.filter(({ column }) => !unnamed.has(column))
  return named.length === 0 ? columns : named
}
