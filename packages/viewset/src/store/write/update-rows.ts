import { isUnchanged } from '../../model/drizzle-columns.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import type { Database } from '../connection/database.ts'
import type { Result } from '../connection/driver.ts'
import { encodedKey, requireKeys } from '../row-order.ts'
import { givenKeys, givenMarks, isRow, rowColumns } from '../row-set.ts'
import { columnName, tableName } from '../select.ts'
import { sqlParts } from '../sql-parts.ts'
import { Bound, isSql } from '../sql-value.ts'
import { expected, guardColumns, guardedColumns, meetsGuard } from './guard.ts'
import { runWrite } from './run-write.ts'
import type { RowUpdate, UpdatePlan, Values } from './write.ts'
import { assignments, automaticValue } from './write-row.ts'

/**
 * Updates rows with one statement; each may set different fields. Shared values are set in all rows, and so are
 * automatic fields without another value. Rows with different SQL take further statements.
 */
export function updateRows(database: Database, plan: UpdatePlan, returning: readonly ColumnInfo[]): Promise<Result> {
  const values = plan.rows.map(row => row.values)
  if (givenKeys(values).sql.size === 0) return updatePart(database, plan, returning)
  return database.transaction(async () => {
    let all: Result = { rows: [], changes: 0 }
    let from = 0
    for (const { rows, sql } of sqlParts(database, values)) {
      const part = rows.map((values, index) => ({ ...(plan.rows[from + index] as RowUpdate), values }))
      from += rows.length
      const shared = { ...plan.shared, ...sql }
      const { rows: written, changes } = await updatePart(database, { ...plan, rows: part, shared }, returning)
      all = { rows: [...all.rows, ...written], changes: all.changes + changes }
    }
    return all
  })
}

function updatePart(
  database: Database,
  plan: Omit<UpdatePlan, 'kind'>,
  returning: readonly ColumnInfo[],
): Promise<Result> {
  const { model } = plan
  const { bound, isRow, ...pieces } = updatePieces(database, plan)
  const text = database.dialect.writes.update({
    table: tableName(model),
    ...pieces,
    where: () => isRow,
    returning: returning.map(column => columnName(model, column)),
  })
  const statement = database.statement(text, () => text)
  const rows = plan.rows.map(({ values }) => values)
  return runWrite(database, model, statement, bound.values, { rows, automatic: 'updateValue' })
}

/** The parts of an UPDATE of many rows. Their values contain no SQL. */
export function updatePieces(
  { dialect }: Database,
  { model, rows: updates, shared = {}, fill = true }: Omit<UpdatePlan, 'kind'>,
) {
  requireKeys(model)
  const fixed = sharedValues(model, shared, fill)
  const given = givenKeys(updates.map(({ values }) => values))
  const columns = model.columns.filter(column => given.all.has(column.key) && !column.primaryKey)
  // If only some rows set an automatic field, it is filled here for the others, unless the database computes it.
  const partial = columns.filter(
    column => given.some.has(column.key) && (!fixed.has(column) || isSql(fixed.get(column))),
  )
  const guarded = guardedColumns(model, updates)
  const marks = givenMarks(partial)
  const row = rowColumns([...model.key, ...columns])
  const filled = columns.map(column => (partial.includes(column) ? undefined : fixed.get(column)))
  const encoded = updates.map(({ key, values, guard }) => {
    const cells = encodedKey(dialect, model, key)
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i]!
      const value = values[column.key]
      cells.push(dialect.encode(column, value === undefined ? filled[i] : value))
    }
    if (partial.length > 0) cells.push(...marks.of(values))
    for (const column of guarded) cells.push(dialect.encode(column, expected(guard, column)))
    return cells
  })
  const bound = new Bound(dialect)
  const fixedExpression = (column: ColumnInfo) => {
    const value = fixed.get(column)
    const place = isSql(value) ? bound.sql(value) : bound.add(dialect.encode(column, value))
    return automaticValue(dialect, model, column, place)
  }
  const expressionOf = (column: ColumnInfo) => {
    if (!partial.includes(column)) return row.of(column)
    const otherwise = fixed.has(column) ? fixedExpression(column) : columnName(model, column)
    return `case when ${marks.test(column)} then ${row.of(column)} else ${otherwise} end`
  }
  const others = [...fixed.keys()].filter(column => !columns.includes(column))
  return {
    bound,
    row,
    rows: () => bound.rows([...row.columns, ...marks.columns, ...guardColumns(guarded)], encoded),
    set: () =>
      assignments(model, [
        ...others.map(column => [column, fixedExpression(column)] as const),
        ...columns.map(column => [column, expressionOf(column)] as const),
      ]),
    isRow: `${isRow(model, row)}${meetsGuard(model, guarded)}`,
  }
}

function sharedValues(model: ModelInfo, shared: Values, fill: boolean): ReadonlyMap<ColumnInfo, unknown> {
  const values = new Map<ColumnInfo, unknown>()
  for (const column of model.columns) {
    const given = shared[column.key]
    const value = given === undefined && fill ? column.updateValue?.() : given
    if (value !== undefined && !isUnchanged(value)) values.set(column, value)
  }
  return values
}
