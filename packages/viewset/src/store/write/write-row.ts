import type { Dialect } from '../../model/dialect/dialect.ts'
import { quoteName } from '../../model/drizzle.ts'
import { isUnchanged } from '../../model/drizzle-columns.ts'
import type { ColumnInfo, ModelInfo, TableInfo } from '../../model/model-info.ts'
import { isVersionColumn, isVersionTime } from '../../model/version-column.ts'
import type { Database } from '../connection/database.ts'
import type { Result } from '../connection/driver.ts'
import { columnName, tableName } from '../select.ts'
import { Bound, isSql } from '../sql-value.ts'
import { expected, guardedColumns, isStill } from './guard.ts'
import { runWrite } from './run-write.ts'
import type { Automatic, RowUpdate, UpdatePlan, Values, WrittenRow } from './write.ts'

// Writes of one row. The text is cached for each set of columns, so that only values need binding.

export function insertRow(
  database: Database,
  model: TableInfo,
  values: Values,
  returning: readonly ColumnInfo[],
): Promise<Result> {
  const { dialect } = database
  const bound = new Bound(dialect)
  const { set, shape } = written(bound, model, values, 'createValue')
  const statement = database.statement(`insert ${model.id}${shape}; ${returning.length}`, () =>
    dialect.writes.insert({
      table: tableName(model),
      columns: set.map(([column]) => quoteName(column.name)),
      values: () => set.map(([, place]) => place),
      returning: names(returning),
    }),
  )
  return runWrite(database, model, statement, bound.values, { rows: [values] })
}

export function updateRow(
  database: Database,
  { model, rows, shared, fill = true }: UpdatePlan,
  returning: readonly ColumnInfo[],
): Promise<Result> {
  const { dialect } = database
  const row = rows[0] as RowUpdate
  const values = shared ? { ...shared, ...row.values } : row.values
  const bound = new Bound(dialect)
  const { set, shape } = written(bound, model, values, fill ? 'updateValue' : undefined, row.key)
  const { where, guarded } = condition(bound, model, row)
  const statement = database.statement(`update ${model.id}${shape};${guarded} ${returning.length}`, () =>
    dialect.writes.update({
      table: tableName(model),
      set: () => assignments(model, set),
      where,
      returning: names(returning),
    }),
  )
  return runWrite(database, model, statement, bound.values, { rows: [values], automatic: 'updateValue' })
}

export function deleteRow(
  database: Database,
  model: ModelInfo,
  row: WrittenRow,
  returning: readonly ColumnInfo[],
): Promise<Result> {
  const { dialect } = database
  const bound = new Bound(dialect)
  const { where, guarded } = condition(bound, model, row)
  const statement = database.statement(`delete ${model.id}${guarded} ${returning.length}`, () =>
    dialect.writes.delete({ table: tableName(model), where, returning: names(returning) }),
  )
  return runWrite(database, model, statement, bound.values, { deleting: where })
}

export function written(bound: Bound, model: TableInfo, values: Values, automatic?: Automatic, rowKey?: unknown) {
  const set: [ColumnInfo, string][] = []
  // Cache key of the statement: column numbers are cheaper to build than names.
  let shape = ''
  for (let i = 0; i < model.columns.length; i++) {
    const column = model.columns[i]!
    const given = values[column.key]
    const value = given === undefined && automatic ? column[automatic]?.() : given
    if (value === undefined || isUnchanged(value)) continue
    // Setting an unchanged key would make SQLite check all rows that refer to it.
    if (column.primaryKey && rowKey !== undefined && isPartOf(model, column, value, rowKey)) continue
    // The expression of a counter is always the same, so it is not rendered for each write.
    if (given === undefined && isSql(value) && isVersionColumn(column)) {
      shape += ` ${i}+`
      set.push([column, `${columnName(model, column)} + 1`])
      continue
    }
    const place = isSql(value) ? bound.sql(value) : bound.add(bound.dialect.encode(column, value))
    const isFilled = given === undefined && automatic === 'updateValue'
    const form = isFilled && isVersionTime(column) ? 'v' : 'a'
    shape += isSql(value) ? ` ${i}=${place}` : given === undefined ? ` ${i}${form}` : ` ${i}`
    set.push([column, isFilled ? automaticValue(bound.dialect, model, column, place) : place])
  }
  return { set, shape }
}

/** Whether a value is that of the row's key in this column. The key of several columns is a tuple. */
function isPartOf({ key }: TableInfo, column: ColumnInfo, value: unknown, rowKey: unknown): boolean {
  const part = key.length === 1 ? rowKey : (rowKey as readonly unknown[])[key.indexOf(column)]
  return String(value) === String(part)
}

/** The condition that a row has this key. */
function isRowOf(bound: Bound, model: ModelInfo, key: unknown): () => string {
  const parts = model.key.length === 1 ? [key] : (key as readonly unknown[])
  const places = model.key.map((column, at) => bound.add(bound.dialect.encode(column, parts[at])))
  return () => model.key.map((column, at) => `${columnName(model, column)} = ${places[at]}`).join(' and ')
}

/** `guarded` distinguishes statements with other guards. */
function condition(bound: Bound, model: ModelInfo, row: WrittenRow) {
  const isRow = isRowOf(bound, model, row.key)
  const columns = row.guard ? guardedColumns(model, [row]) : []
  const places = columns.map(column => bound.add(bound.dialect.encode(column, expected(row.guard, column))))
  return {
    guarded: columns.map(({ name }) => ` ${name}`).join(),
    where: () => {
      return [isRow(), ...columns.map((column, i) => isStill(model, column, places[i] as string))].join(' and ')
    },
  }
}

function names(columns: readonly ColumnInfo[]): readonly string[] {
  return columns.map(column => quoteName(column.name))
}

/**
 * The automatic value of an updated column. `updatedAt` never precedes `createdAt`, and a version is later than the one
 * before, even if a server's clock is behind.
 */
export function automaticValue(dialect: Dialect, model: TableInfo, column: ColumnInfo, value: string): string {
  if (isVersionTime(column)) return dialect.laterThan(columnName(model, column), value)
  const { key, kind, sqlType } = column
  const created = key === 'updatedAt' && kind === 'timestamp' ? model.byKey.get('createdAt') : undefined
  return created?.sqlType === sqlType && !created.nullable ? dialect.latest(value, columnName(model, created)) : value
}

/**
 * The assignments of an update. Without any, a column is set to itself, because the rows must still be found and
 * returned.
 */
export function assignments(
  model: ModelInfo,
  set: readonly (readonly [ColumnInfo, string])[],
): readonly (readonly [column: string, value: string])[] {
  const idle = idleColumn(model)
  const all = set.length === 0 ? [[idle, columnName(model, idle)] as const] : set
  return all.map(([column, value]) => [quoteName(column.name), value])
}

/** Not the key if possible: SQLite checks foreign keys to a set key, and a row that refers to itself fails. */
function idleColumn({ columns, primaryKey }: ModelInfo): ColumnInfo {
  const isIdle = ({ primaryKey, references, generated }: ColumnInfo) => !primaryKey && !references && !generated
  return columns.find(isIdle) ?? primaryKey
}
