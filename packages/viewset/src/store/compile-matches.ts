import type { Dialect, RowLock, RowSetColumn } from '../model/dialect/dialect.ts'
import { quoteName } from '../model/drizzle.ts'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import { columnName, tableName, whereClause } from './select.ts'

export interface MatchesShape {
  readonly model: ModelInfo
  readonly columns: readonly ColumnInfo[]
  /** The columns of the tuples that are looked for: `columns`, and the position of the tuple. */
  readonly wanted: readonly RowSetColumn[]
  readonly returned: ColumnInfo
  /** The function that makes texts equal which differ only in case; empty where case counts. */
  readonly folding: string
  readonly lock: RowLock | undefined
  /** Rendered conditions, behind the values of the tuples. */
  readonly where: string | undefined
}

/** Compiles a search for rows by their values: it selects a tuple's position and the column to return. */
export function compileMatches(dialect: Dialect, shape: MatchesShape): string {
  const { model, columns, wanted, returned, folding, lock, where } = shape
  const rows = dialect.selectRowSet(wanted, 1, true)
  const fold = (column: RowSetColumn, name: string) => {
    return folding && column.kind === 'text' ? `${folding}(${name}${dialect.letterCase(column)})` : name
  }
  const equal = columns.map(
    column => `${fold(column, columnName(model, column))} = "_wanted".${quoteName(column.name)}`,
  )
  const locked = lock ? ` order by ${columnName(model, model.primaryKey)}${dialect.lockRows(lock, model.name)}` : ''
  const joined = `join ${tableName(model)} on ${equal.join(' and ')}${whereClause(where)}${locked}`
  const found = `select "_wanted"."_position", ${columnName(model, returned)} from`
  if (!folding) return `${found} (${rows}) as "_wanted" ${joined}`
  // Folded once and kept: where no index knows the folded texts, the table is gone through once for all of them.
  const folded = wanted.map(column => `${fold(column, quoteName(column.name))} as ${quoteName(column.name)}`)
  const given = `select ${folded.join(', ')} from (${rows}) as "_given"`
  return `with "_wanted" as materialized (${given}) ${found} "_wanted" ${joined}`
}

/** The function that makes texts equal which differ only in case: the quicker one, where these are all of ASCII. */
export function foldingOf(dialect: Dialect, values: readonly unknown[]): string {
  const isAscii = (value: unknown) => typeof value !== 'string' || !/[^\0-\x7f]/.test(value)
  return values.every(isAscii) ? dialect.asciiCaseFold : dialect.caseFold
}
