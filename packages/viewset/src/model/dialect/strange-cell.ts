import { getTableName } from 'drizzle-orm'
import type { StoredValue } from './dialect.ts'

const told = new WeakSet<StoredValue>()

/**
 * The text of a cell that is not of its column's type, as SQLite lets any be. The process is warned, once for a column
 * and without the value: warnings go to stderr, or to whoever listens by `process.on('warning', ...)`.
 */
export function strangeText(info: StoredValue, raw: unknown): string {
  // An ExpressionField checks its values itself.
  if (info.column && !told.has(info)) {
    told.add(info)
    process.emitWarning(
      `Column "${getTableName(info.column.table)}.${info.column.name}" holds a value that is no ${info.kind}; it is shown as text. (This is said once for a column.)`,
      { type: 'ViewsetWarning', code: 'VIEWSET_STRANGE_CELL' },
    )
  }
  return raw instanceof Uint8Array ? Buffer.from(raw).toString() : String(raw)
}
