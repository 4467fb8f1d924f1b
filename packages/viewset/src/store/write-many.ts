import type { SQL } from 'drizzle-orm'
import { quoteName } from '../model/drizzle.ts'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import { isUnchanged } from '../model/unchanged.ts'
import type { Database } from './database.ts'
import type { RowSetColumn } from './dialect/dialect.ts'
import type { Result } from './driver.ts'
import { givenKeys, givenMarks, ROWS, rowColumns } from './row-set.ts'
import { columnName, tableName } from './select.ts'
import { Bound, isSql } from './sql-value.ts'
import { automaticValue, idleColumn, NOTHING, names, runWrite, type Values } from './write.ts'

/** Values for the row with `key`. */
export interface RowUpdate {
  readonly key: unknown
  readonly values: Values
}

export interface UpdateOptions {
  /** Values that all rows get. */
  readonly shared?: Values
  readonly returning?: readonly ColumnInfo[]
  /** Whether automatic fields are filled, such as that of the last change. Default true. */
  readonly automatic?: boolean
}

/**
 * Updates rows with one statement, however many they are and whichever fields each of them sets. `shared` is set in
 * all of them, and so are the automatic fields that nothing else sets.
 */
export async function updateRows(
  database: Database,
  model: ModelInfo,
  updates: readonly RowUpdate[],
  { shared = {}, returning = [], automatic = true }: UpdateOptions = {},
): Promise<Result> {
  if (updates.length === 0) return NOTHING
  const { dialect } = database
  const { primaryKey } = model
  const fixed = automatic ? sharedValues(model, shared) : new Map<ColumnInfo, unknown>()
  const rows = updates.map(({ values }) => values)
  const given = givenKeys(rows)
  const columns = model.columns.filter(column => given.all.has(column.key) && !column.primaryKey)
  // An automatic field that only some rows set is filled here for the others, unless the database works it out.
  const partial = columns.filter(
    column => given.some.has(column.key) && (!fixed.has(column) || isSql(fixed.get(column))),
  )
  const marks = givenMarks(partial)
  const row = rowColumns([primaryKey, ...columns])
  const encoded = updates.map(({ key, values }) => {
    const cells = [dialect.encode(primaryKey, key)]
    for (const column of columns) {
      const value = values[column.key]
      const filled = partial.includes(column) ? undefined : fixed.get(column)
      cells.push(dialect.encode(column, value === undefined ? filled : value))
    }
    cells.push(...marks.of(values))
    return cells
  })
  const bound = new Bound(dialect)
  const fixedExpression = (column: ColumnInfo) => {
    const value = fixed.get(column)
    const place = isSql(value) ? bound.sql(value) : bound.add(dialect.encode(column, value))
    return automaticValue(database, model, column, place)
  }
  const set = (column: ColumnInfo, expression: string) => `${quoteName(column.name)} = ${expression}`
  const assignments = [
    ...[...fixed.keys()]
      .filter(column => !columns.includes(column))
      .map(column => set(column, fixedExpression(column))),
    ...columns.map(column => {
      if (!partial.includes(column)) return set(column, row.of(column))
      const otherwise = fixed.has(column) ? fixedExpression(column) : columnName(model, column)
      return set(column, `case when ${marks.test(column)} then ${row.of(column)} else ${otherwise} end`)
    }),
  ]
  const idle = idleColumn(model)
  if (assignments.length === 0) assignments.push(set(idle, columnName(model, idle)))
  const travellers = [...row.columns, ...marks.columns]
  const source = bound.add(dialect.rowSet(travellers, encoded), position => dialect.selectRowSet(travellers, position))
  const shape = `update many ${model.id} ${assignments.join()} ${names(returning)}`
  const statement = database.statement(shape, () => {
    const where = `${columnName(model, primaryKey)} = ${row.of(primaryKey)}`
    const returned = returning.map(column => columnName(model, column)).join(', ')
    const end = returned === '' ? '' : ` returning ${returned}`
    return `update ${tableName(model)} set ${assignments.join(', ')} from (${source}) as ${ROWS} where ${where}${end}`
  })
  return runWrite(database, model, statement, bound.values, { rows, automatic: 'updateValue' })
}

/** Deletes the rows with `keys` by one statement and returns how many the database says there were. */
export async function deleteRows(database: Database, model: ModelInfo, keys: readonly unknown[]): Promise<number> {
  if (keys.length === 0) return 0
  const { dialect } = database
  const { primaryKey } = model
  const statement = database.statement(`delete many ${model.id}`, () => {
    const source = dialect.selectRowSet([primaryKey], 1)
    return `delete from ${tableName(model)} where ${quoteName(primaryKey.name)} in (${source})`
  })
  const rows = keys.map(key => [dialect.encode(primaryKey, key)])
  return (await runWrite(database, model, statement, [dialect.rowSet([primaryKey], rows)], { deleting: true })).changes
}

const POSITION: RowSetColumn = { name: '_position', kind: 'integer', sqlType: 'integer' }

/** Keys for new rows that the database works out. */
export async function computedKeys(
  database: Database,
  model: ModelInfo,
  expression: SQL,
  count: number,
): Promise<readonly unknown[]> {
  const { dialect } = database
  const bound = new Bound(dialect)
  const selected = bound.sql(expression)
  const positions = Array.from({ length: count }, (_, position) => [position])
  const source = bound.add(dialect.rowSet([POSITION], positions), position =>
    dialect.selectRowSet([POSITION], position),
  )
  const text = `select ${selected} from (${source}) as ${ROWS}`
  const statement = database.statement(`keys ${model.id} ${text}`, () => text)
  const { rows } = await database.run(statement, bound.values)
  const decode = dialect.decoder(model.primaryKey)
  return rows.map(([key]) => decode(key))
}

/** The values that all rows of an update get: `shared`, and automatic ones where it says nothing. */
function sharedValues(model: ModelInfo, shared: Values): ReadonlyMap<ColumnInfo, unknown> {
  const values = new Map<ColumnInfo, unknown>()
  for (const column of model.columns) {
    const given = shared[column.key]
    const value = given === undefined ? column.updateValue?.() : given
    if (value !== undefined && !isUnchanged(value)) values.set(column, value)
  }
  return values
}
