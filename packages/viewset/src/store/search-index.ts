import type { SQL } from 'drizzle-orm'
import { ConfigError } from '../core/errors.ts'
import type { TableInfo } from '../model/model-info.ts'
import type { Database } from './connection/database.ts'
import { hasKey } from './row-order.ts'

/**
 * Most rows that the index may find. With more, a scan in the list's order is faster: the index would have to return
 * all rows before the first is shown.
 */
const MOST_FOUND = 250_000

/**
 * A condition for each text that all rows with the text in one of the indexed columns meet. `undefined` if no index can
 * find the text. Other rows may meet it too: it only speeds up another condition.
 */
export async function narrowSearch(
  database: Database,
  model: TableInfo,
  texts: readonly string[],
): Promise<readonly (SQL | undefined)[]> {
  const { searchIndex: spelling } = database.dialect
  if (!spelling || !hasKey(model) || model.searchIndex.length === 0) return []
  const table = model
  const matches = texts.map(text => spelling.lookUp(text))
  const asked = matches.filter(match => match !== undefined)
  if (asked.length === 0) return []
  // The table, or its triggers, may have been dropped.
  const check = database.statement(`search ${model.id}`, () => spelling.isThere(table))
  if (Number((await database.run(check, [])).rows[0]?.[0]) !== 1) return []
  const counting = database.statement(`search ${model.id} ${asked.length}`, () => {
    return `select ${asked.map(() => `(${spelling.count(table, MOST_FOUND)})`).join(', ')}`
  })
  const [found = []] = (await database.run(counting, asked)).rows
  const few = new Set(asked.filter((_, index) => Number(found[index]) <= MOST_FOUND))
  return matches.map(match => (match !== undefined && few.has(match) ? spelling.isMatch(table, match) : undefined))
}

/** The statements that migrations lack for declared search indexes: before and after creating the tables. */
export function searchIndexStatements(tables: readonly TableInfo[]): {
  readonly before: readonly string[]
  readonly after: readonly string[]
} {
  const searched = tables.filter(({ searchIndex }) => searchIndex.length > 0)
  for (const table of searched) refuseTakenNames(table, tables)
  const extensions = new Set(searched.map(({ dialect }) => dialect.searchExtension))
  const after = searched.flatMap(({ dialect, primaryKey, ...table }) =>
    primaryKey ? (dialect.searchIndex?.create({ ...table, primaryKey }) ?? []) : [],
  )
  return { before: [...extensions].filter(extension => extension !== null), after }
}

/** An index is always created anew, so a foreign table of that name must not be dropped. */
function refuseTakenNames({ dialect, primaryKey, ...table }: TableInfo, tables: readonly TableInfo[]): void {
  if (!dialect.searchIndex || !primaryKey) return
  const names = dialect.searchIndex.tableNames({ ...table, primaryKey }).map(name => name.toLowerCase())
  const other = tables.find(({ name }) => names.includes(name.toLowerCase()))
  if (!other) return
  throw new ConfigError(
    table.name,
    'searchIndex',
    `makes a table "${other.name}", and you have one of that name: rename yours, or leave the index out`,
  )
}
