import { ROWS } from '../../model/dialect/write-text.ts'
import { quoteName } from '../../model/drizzle.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import type { Database } from '../connection/database.ts'
import type { Result } from '../connection/driver.ts'
import { requireKey } from '../row-order.ts'
import { rowColumns } from '../row-set.ts'
import { columnName, tableName } from '../select.ts'
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
  requireKey(model)
  const { primaryKey } = model
  const guarded = guardedColumns(model, rows)
  const row = rowColumns([primaryKey])
  const encoded = rows.map(({ key, guard }) => [
    dialect.encode(primaryKey, key),
    ...guarded.map(column => dialect.encode(column, expected(guard, column))),
  ])
  const where = (bound: Bound) => {
    const travelling = bound.rows([...row.columns, ...guardColumns(guarded)], encoded)
    const key = columnName(model, primaryKey)
    if (guarded.length === 0) return `${key} in (${travelling})`
    const matches = `${key} = ${row.of(primaryKey)}${meetsGuard(model, guarded)}`
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
