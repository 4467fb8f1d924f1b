import { quoteName } from '../model/drizzle.ts'
import { type ColumnInfo, type TableInfo, tableInfo } from '../model/model-info.ts'
import type { Database } from './database.ts'
import { valueSet } from './row-set.ts'
import { columnName, tableName } from './select.ts'
import type { Automatic, Values } from './write.ts'

const WANTED = quoteName('_wanted')

/**
 * The first foreign key by which rows refer to what is not there, for a database that tells only that there is one.
 * `automatic` says which values the write has filled in by itself.
 */
export async function missingParent(
  database: Database,
  table: TableInfo,
  rows: readonly Values[],
  automatic: Automatic,
): Promise<ColumnInfo | undefined> {
  for (const column of table.columns) {
    const keys = new Set(rows.map(row => (row[column.key] === undefined ? column[automatic]?.() : row[column.key])))
    if (await leadsNowhere(database, table, column, [...keys].filter(isKey))) return column
  }
  return undefined
}

async function leadsNowhere(
  database: Database,
  table: TableInfo,
  column: ColumnInfo,
  keys: readonly unknown[],
): Promise<boolean> {
  const { references } = column
  // What rows of one statement say of each other was not stored, so nothing can be told of it.
  if (!references || references.target === table.table || keys.length === 0) return false
  const { dialect } = database
  const parent = tableInfo(references.target)
  const statement = database.statement(`missing ${table.id} ${column.name}`, () => {
    const equal = `${columnName(parent, references.column)} = ${WANTED}.${quoteName(column.name)}`
    const found = `exists (select 1 from ${tableName(parent)} where ${equal})`
    return `select 1 from (${dialect.selectRowSet([column], 1)}) as ${WANTED} where not ${found} limit 1`
  })
  return (await database.run(statement, valueSet(dialect, column, keys))).rows.length > 0
}

function isKey(value: unknown): boolean {
  return value !== null && value !== undefined && typeof value !== 'object'
}
