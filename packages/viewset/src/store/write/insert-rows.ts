import type { Dialect } from '../../model/dialect/dialect.ts'
import { quoteName } from '../../model/drizzle.ts'
import { AUDIT_FIELDS, type ColumnInfo, type TableInfo } from '../../model/model-info.ts'
import type { Database } from '../connection/database.ts'
import type { Result } from '../connection/driver.ts'
import { givenKeys, givenMarks, rowColumns } from '../row-set.ts'
import { tableName } from '../select.ts'
import { type SqlPart, sqlParts } from '../sql-parts.ts'
import { Bound, isSql } from '../sql-value.ts'
import { runWrite } from './run-write.ts'
import type { Values } from './write.ts'

/**
 * Inserts rows with one statement; each may set different fields, and absent ones get their defaults. Rows with
 * different SQL take further statements. The returned rows are in the database's order.
 */
export async function insertRows(
  database: Database,
  model: TableInfo,
  rows: readonly Values[],
  returning: readonly ColumnInfo[],
): Promise<Result> {
  const filled = withMadeValues(model, rows)
  const given = givenKeys(filled)
  if (given.sql.size === 0) return insertPart(database, model, { rows: filled, given, sql: {} }, returning)
  const parts = sqlParts(database, filled)
  const insert = (part: SqlPart) => insertPart(database, model, part, returning)
  if (parts.length === 1) return insert(parts[0] as SqlPart)
  return database.transaction(async () => {
    let all: Result = { rows: [], changes: 0 }
    for (const part of parts) {
      const { rows, changes } = await insert(part)
      all = { rows: [...all.rows, ...rows], changes: all.changes + changes }
    }
    return all
  })
}

async function insertPart(
  database: Database,
  model: TableInfo,
  part: SqlPart,
  returning: readonly ColumnInfo[],
): Promise<Result> {
  const { bound, ...pieces } = insertPieces(database, model, part)
  const text = database.dialect.writes.insert({
    table: tableName(model),
    ...pieces,
    returning: returning.map(({ name }) => quoteName(name)),
  })
  const statement = database.statement(text, () => text)
  return runWrite(database, model, statement, bound.values, { rows: part.rows })
}

export function insertPieces({ dialect }: Database, model: TableInfo, { rows, given, sql }: SqlPart) {
  const named = model.columns.filter(column => column.key in sql || given.all.has(column.key) || column.createValue)
  const constants = new Map(
    named
      .filter(column => !given.all.has(column.key) && (column.key in sql || isConstant(column)))
      .map(column => [column, sql[column.key] ?? column.createValue?.()]),
  )
  // Rows of only defaults still need a column.
  const columns = named.length > constants.size ? named : [...named, carrierOf(model, named)]
  const travelling = columns.filter(column => !constants.has(column))
  // The statement cannot carry database defaults: rows without the column get its expression.
  const defaulted = travelling.filter(({ key, hasDefault, createValue }) => {
    return key in sql || (hasDefault && !createValue && (given.some.has(key) || !given.all.has(key)))
  })
  const marks = givenMarks(defaulted)
  const row = rowColumns(travelling)
  const isMade = travelling.map(column => !(column.key in sql))
  const encoded = rows.map(values => {
    const cells: unknown[] = new Array(travelling.length)
    for (let i = 0; i < travelling.length; i++) {
      const column = travelling[i]!
      const value = values[column.key]
      cells[i] = dialect.encode(column, value === undefined && isMade[i] ? column.createValue?.() : value)
    }
    if (defaulted.length > 0) cells.push(...marks.of(values))
    return cells
  })
  const bound = new Bound(dialect)
  const expressionOf = (column: ColumnInfo) => {
    if (constants.has(column)) {
      const value = constants.get(column)
      if (isSql(value)) return bound.sql(value)
      return bound.add(dialect.encode(column, value), position => dialect.typedPlaceholder(column, position))
    }
    if (!defaulted.includes(column)) return row.of(column)
    const givenSql = sql[column.key]
    const otherwise = givenSql ? bound.sql(givenSql) : defaultExpression(dialect, model, column, bound)
    return `case when ${marks.test(column)} then ${row.of(column)} else ${otherwise} end`
  }
  return {
    bound,
    row,
    columns: columns.map(({ name }) => quoteName(name)),
    values: () => columns.map(expressionOf),
    rows: () => bound.rows([...row.columns, ...marks.columns], encoded),
  }
}

/** The values may be SQL. */
export function withMadeValues(model: TableInfo, rows: readonly Values[]): readonly Values[] {
  const made = model.columns.filter(
    ({ key, createValue, hasPlainDefault }) => createValue && !hasPlainDefault && !AUDIT_FIELDS.has(key),
  )
  if (!rows.some(row => made.some(({ key }) => row[key] === undefined))) return rows
  return rows.map(row => {
    const filled: Record<string, unknown> = { ...row }
    for (const { key, createValue } of made) if (filled[key] === undefined) filled[key] = createValue?.()
    return filled
  })
}

/**
 * Whether all new rows get the same value, which the statement then carries once: its time, its user or a constant
 * default.
 */
function isConstant({ key, createValue, hasPlainDefault }: ColumnInfo): boolean {
  return createValue !== undefined && (AUDIT_FIELDS.has(key) || hasPlainDefault)
}

/** A column for rows that set nothing: a writable one, preferably the key. */
function carrierOf({ columns }: TableInfo, named: readonly ColumnInfo[]): ColumnInfo {
  const free = columns.filter(column => !column.generated && !named.includes(column))
  return (free.find(({ primaryKey }) => primaryKey) ?? free[0] ?? columns[0]) as ColumnInfo
}

function defaultExpression(dialect: Dialect, model: TableInfo, { name, column }: ColumnInfo, bound: Bound): string {
  return isSql(column.default) ? bound.sql(column.default) : dialect.nextNumber(tableName(model), name)
}
