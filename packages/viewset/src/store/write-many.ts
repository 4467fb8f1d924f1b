import { is, SQL } from 'drizzle-orm'
import { quoteName, renderSql } from '../model/drizzle.ts'
import { AUDIT_FIELDS, type ColumnInfo, type ModelInfo } from '../model/model-info.ts'
import type { Database } from './database.ts'
import type { RowSetColumn } from './dialect/dialect.ts'
import type { Result } from './driver.ts'
import { givenMarks, ROWS, rowsColumn } from './row-set.ts'
import { columnName, tableName } from './select.ts'
import { automaticValue, idleColumn, names, runWrite, type Values } from './write.ts'

/** Values for the row with `key`. */
export interface RowUpdate {
  readonly key: unknown
  readonly values: Values
}

const NOTHING: Result = { rows: [], changes: 0 }

/**
 * Inserts rows with one statement, however many they are and whichever fields each of them gives; an absent field is
 * left to its default. The order of the returned rows is the database's.
 */
export async function insertRows(
  database: Database,
  model: ModelInfo,
  rows: readonly Values[],
  returning: readonly ColumnInfo[] = [],
): Promise<Result> {
  if (rows.length === 0) return NOTHING
  const { dialect } = database
  const given = givenKeys(rows)
  const named = model.columns.filter(column => given.all.has(column.key) || column.createValue)
  const constants = new Map(
    named.filter(column => isConstant(column, given.all)).map(column => [column, column.createValue?.()]),
  )
  // Rows of nothing but defaults still need a column to travel in.
  const columns = named.length > constants.size ? named : [...named, model.primaryKey]
  const travelling = columns.filter(column => !constants.has(column))
  // A default that the database makes cannot be sent along: rows without the column get its expression instead.
  const defaulted = travelling.filter(
    column => column.hasDefault && !column.createValue && (given.some.has(column.key) || !given.all.has(column.key)),
  )
  const marks = givenMarks(defaulted)
  const encoded = rows.map(row => {
    const cells: unknown[] = travelling.map(column => {
      const value = row[column.key]
      return dialect.encode(column, value === undefined ? column.createValue?.() : value)
    })
    cells.push(...marks.of(row))
    return cells
  })
  // In the order in which they stand in the statement.
  const values: unknown[] = []
  const selected = columns.map(column => {
    if (constants.has(column)) {
      values.push(dialect.encode(column, constants.get(column)))
      return dialect.typedPlaceholder(column, values.length)
    }
    if (!defaulted.includes(column)) return rowsColumn(column)
    const expression = defaultExpression(database, model, column, values)
    return `case when ${marks.test(column)} then ${rowsColumn(column)} else ${expression} end`
  })
  const rowColumns = [...travelling, ...marks.columns]
  const shape = `insert many ${model.id} ${names(columns)}; ${names(travelling)}; ${names(defaulted)}; ${names(returning)}`
  const statement = database.statement(shape, () => {
    const source = `(${dialect.selectRowSet(rowColumns, values.length + 1)}) as ${ROWS}`
    const end = returning.length === 0 ? '' : ` returning ${names(returning)}`
    return `insert into ${tableName(model)} (${names(columns)}) select ${selected.join(', ')} from ${source} where true${end}`
  })
  return runWrite(database, model, statement, [...values, dialect.rowSet(rowColumns, encoded)])
}

/**
 * Updates rows with one statement, however many they are and whichever fields each of them sets. `shared` is set in
 * all of them, and so are the automatic fields that nothing else sets.
 */
export async function updateRows(
  database: Database,
  model: ModelInfo,
  updates: readonly RowUpdate[],
  { shared = {}, returning = [] }: { readonly shared?: Values; readonly returning?: readonly ColumnInfo[] } = {},
): Promise<Result> {
  if (updates.length === 0) return NOTHING
  const { dialect } = database
  const { primaryKey } = model
  const fixed = sharedValues(model, shared)
  const rows = updates.map(({ values }) => values)
  const given = givenKeys(rows)
  const columns = model.columns.filter(column => given.all.has(column.key) && !column.primaryKey)
  // An automatic field that only some rows set is filled here for the others.
  const filled = new Map(columns.map(column => [column, fixed.get(column)]))
  const partial = columns.filter(column => given.some.has(column.key) && filled.get(column) === undefined)
  const constant = [...fixed.keys()].filter(column => !filled.has(column))
  const marks = givenMarks(partial)
  const encoded = updates.map(({ key, values }) => {
    const cells = [dialect.encode(primaryKey, key)]
    for (const column of columns) {
      const value = values[column.key]
      cells.push(dialect.encode(column, value === undefined ? filled.get(column) : value))
    }
    cells.push(...marks.of(values))
    return cells
  })
  const travelling = [primaryKey, ...columns, ...marks.columns]
  const shape = `update many ${model.id} ${names(columns)} ${names(partial)} ${names(constant)} ${names(returning)}`
  const statement = database.statement(shape, () => {
    const set = (column: ColumnInfo, expression: string) => `${quoteName(column.name)} = ${expression}`
    const assignments = [
      ...constant.map((column, i) => set(column, automaticValue(database, model, column, dialect.placeholder(i + 1)))),
      ...columns.map(column => {
        if (!partial.includes(column)) return set(column, rowsColumn(column))
        const kept = columnName(model, column)
        return set(column, `case when ${marks.test(column)} then ${rowsColumn(column)} else ${kept} end`)
      }),
    ]
    const idle = idleColumn(model)
    if (assignments.length === 0) assignments.push(set(idle, columnName(model, idle)))
    const source = `(${dialect.selectRowSet(travelling, constant.length + 1)}) as ${ROWS}`
    const where = `${columnName(model, primaryKey)} = ${rowsColumn(primaryKey)}`
    const returned = returning.map(column => columnName(model, column)).join(', ')
    const end = returned === '' ? '' : ` returning ${returned}`
    return `update ${tableName(model)} set ${assignments.join(', ')} from ${source} where ${where}${end}`
  })
  const bound = constant.map(column => dialect.encode(column, fixed.get(column)))
  return runWrite(database, model, statement, [...bound, dialect.rowSet(travelling, encoded)])
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
  return (await runWrite(database, model, statement, [dialect.rowSet([primaryKey], rows)], true)).changes
}

const POSITION: RowSetColumn = { name: '_position', kind: 'integer', sqlType: 'integer' }

/** Keys for new rows, where an expression of the database makes them; `undefined` where none does. */
export async function defaultKeys(
  database: Database,
  model: ModelInfo,
  count: number,
): Promise<readonly unknown[] | undefined> {
  const { dialect } = database
  const { primaryKey } = model
  const expression = primaryKey.column.default
  if (!is(expression, SQL)) return undefined
  const rendered = renderSql(expression, dialect.name, 0)
  const statement = database.statement(`keys ${model.id}`, () => {
    const rows = dialect.selectRowSet([POSITION], rendered.values.length + 1)
    return `select ${rendered.text} from (${rows}) as ${ROWS}`
  })
  const positions = dialect.rowSet(
    [POSITION],
    Array.from({ length: count }, (_, position) => [position]),
  )
  const { rows } = await database.run(statement, [...rendered.values, positions])
  const decode = dialect.decoder(primaryKey)
  return rows.map(([key]) => decode(key))
}

/** The fields that rows give: all of them, and those that not every row gives. */
function givenKeys(rows: readonly Values[]) {
  const counts = new Map<string, number>()
  for (const row of rows) {
    for (const key in row) if (row[key] !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const some = [...counts].filter(([, count]) => count < rows.length).map(([key]) => key)
  return { all: new Set(counts.keys()), some: new Set(some) }
}

/**
 * Whether all new rows get the same value, which then need not travel with each of them: one statement is one moment
 * and one user, so its audit fields are equal, and so are defaults that are plain values.
 */
function isConstant({ key, createValue, column }: ColumnInfo, given: ReadonlySet<string>): boolean {
  if (given.has(key) || !createValue) return false
  return AUDIT_FIELDS.has(key) || column.defaultFn === undefined
}

/** The values that all rows of an update get: `shared`, and automatic ones where it says nothing. */
function sharedValues(model: ModelInfo, shared: Values): ReadonlyMap<ColumnInfo, unknown> {
  const values = new Map<ColumnInfo, unknown>()
  for (const column of model.columns) {
    const given = shared[column.key]
    const value = given === undefined ? column.updateValue?.() : given
    // An automatic value of SQL is the column itself: it stays as it is.
    if (value !== undefined && !is(value, SQL)) values.set(column, value)
  }
  return values
}

/** The default of a column as SQL; adds its values to those that stand before it in the statement. */
function defaultExpression(database: Database, model: ModelInfo, info: ColumnInfo, values: unknown[]): string {
  const { default: expression } = info.column
  if (!is(expression, SQL)) return database.dialect.nextNumber(tableName(model), info.name)
  const rendered = renderSql(expression, database.dialect.name, values.length)
  values.push(...rendered.values)
  return rendered.text
}
