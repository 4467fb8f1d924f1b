import { foldCase } from '../../core/text.ts'
import { localDate } from './local-date.ts'

/**
 * What the statements of `sqliteDialect` call beside SQLite's own functions: a driver gives them to each connection, as
 * deterministic functions under these names.
 *
 * @example
 * for (const [name, fn] of Object.entries(sqliteFunctions)) handle.function(name, { deterministic: true }, fn)
 */
export const sqliteFunctions: Readonly<Record<string, (...args: unknown[]) => unknown>> = {
  /** So that "ignoring case" means the same as on PostgreSQL; SQLite itself knows only ASCII. */
  casefold: text => (typeof text === 'string' ? foldCase(text) : text),
  local_date: localDate,
}
