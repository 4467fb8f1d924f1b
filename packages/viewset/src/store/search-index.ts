import type { SQL } from 'drizzle-orm'
import { ConfigError } from '../core/errors.ts'
import type { TableInfo } from '../model/model-info.ts'
import type { Database } from './connection/database.ts'

/**
 * Rows that an index may find. What more rows have is found as quickly without it, and where they are in order: it would
 * have to be asked for all of them before the first is shown.
 */
const MOST_FOUND = 250_000

/**
 * For each of some texts, a condition that all rows meet which have it in one of the columns that the model declares an
 * index over; `undefined` where no index knows. Others may meet it, too: it narrows another condition, whose answer it
 * leaves as it is.
 */
export async function narrowSearch(
  database: Database,
  model: TableInfo,
  texts: readonly string[],
): Promise<readonly (SQL | undefined)[]> {
  const { searchIndex: spelling } = database.dialect
  const { primaryKey } = model
  if (!spelling || !primaryKey || model.searchIndex.length === 0) return []
  const table = { ...model, primaryKey }
  const matches = texts.map(text => spelling.lookUp(text))
  const asked = matches.filter(match => match !== undefined)
  if (asked.length === 0) return []
  // Whoever alters the table may have dropped it, or its triggers.
  const check = database.statement(`search ${model.id}`, () => spelling.isThere(table))
  if (Number((await database.run(check, [])).rows[0]?.[0]) !== 1) return []
  const counting = database.statement(`search ${model.id} ${asked.length}`, () => {
    return `select ${asked.map(() => `(${spelling.count(table, MOST_FOUND)})`).join(', ')}`
  })
  const [found = []] = (await database.run(counting, asked)).rows
  const few = new Set(asked.filter((_, index) => Number(found[index]) <= MOST_FOUND))
  return matches.map(match => (match !== undefined && few.has(match) ? spelling.isMatch(table, match) : undefined))
}

/** What migrations lack of the indexes for search that tables declare: statements before the tables are made, and behind. */
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

/** An index is made anew, whatever is there: a table of the application's own would be gone with its rows. */
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
