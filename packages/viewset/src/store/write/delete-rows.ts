import { ROWS } from '../../model/dialect/write-text.ts'
import { quoteName } from '../../model/drizzle.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import type { Database } from '../connection/database.ts'
import type { Result } from '../connection/driver.ts'
import { encodedKey, requireKeys } from '../row-order.ts'
import { isRow, rowColumns } from '../row-set.ts'
import { tableName, tupleOf } from '../select.ts'
import { Bound } from '../sql-value.ts'
import { expected, guardColumns, guardedColumns, meetsGuard } from './guard.ts'
import { runWrite } from './run-write.ts'
import type { DeletePlan, DeleteWherePlan } from './write.ts'

export function deleteRows(
  database: Database,
  { model, rows }: DeletePlan,
  returning: readonly ColumnInfo[],
): Promise<Result> {
  const { dialect } = database
  requireKeys(model)
  const guarded = guardedColumns(model, rows)
  const row = rowColumns(model.key)
  const encoded = rows.map(({ key, guard }) => [
    ...encodedKey(dialect, model, key),
    ...guarded.map(column => dialect.encode(column, expected(guard, column))),
  ])
  const where = (bound: Bound) => {
    const travelling = bound.rows([...row.columns, ...guardColumns(guarded)], encoded)
    if (guarded.length === 0) return `${tupleOf(model, model.key)} in (${travelling})`
    const matches = `${isRow(model, row)}${meetsGuard(model, guarded)}`
    return `exists (select 1 from (${travelling}) as ${ROWS} where ${matches})`
  }
  return deleteWhere(database, { kind: 'delete', model, where }, returning)
}

export function deleteWhere(
  database: Database,
  { model, where }: DeleteWherePlan,
  returning: readonly ColumnInfo[],
): Promise<Result> {
  const bound = new Bound(database.dialect)
  const condition = where(bound)
  const text = database.dialect.writes.delete({
    table: tableName(model),
    where: () => condition,
    returning: returning.map(({ name }) => quoteName(name)),
  })
  const statement = database.statement(text, () => text)
  return runWrite(database, model, statement, bound.values, { deleting: () => condition })
}
