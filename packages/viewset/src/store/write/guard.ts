import { isDeepStrictEqual } from 'node:util'
import type { RowLock, RowSetColumn } from '../../model/dialect/dialect.ts'
import { ROWS } from '../../model/dialect/write-text.ts'
import { quoteName } from '../../model/drizzle.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import type { Database } from '../connection/database.ts'
import type { RawRow } from '../connection/driver.ts'
import { executorOf } from '../connection/session.ts'
import { keyProjection, type Projection } from '../projection.ts'
import { encodedKey, keyPlace, keyText, requireKeys, storedKeyTexts } from '../row-order.ts'
import { columnName, compileSelect, tableName, tupleOf } from '../select.ts'
import { Bound } from '../sql-value.ts'
import type { Guard, Values, WrittenRow } from './write.ts'

/**
 * The columns of the guards. `undefined` if the guards have different columns, because one statement cannot compare
 * them.
 */
export function columnsOfAllGuards(model: ModelInfo, rows: readonly WrittenRow[]): readonly ColumnInfo[] | undefined {
  const columns = guardedColumns(model, rows)
  const isOfEach = ({ guard = {} }: WrittenRow) => columns.every(({ key }) => key in guard)
  return columns.length === 0 || rows.every(isOfEach) ? columns : undefined
}

/**
 * Whether a record holds what a guard expects. Code compares first; the database compares values that it may consider
 * equal, such as texts under a collation that ignores case.
 */
export async function holdsGuard(database: Database, model: ModelInfo, fields: Values, guard: Guard): Promise<boolean> {
  const { dialect } = database
  const differing = guardedColumns(model, [{ key: null, guard }]).filter(column => {
    const [held, wanted] = [fields[column.key] ?? null, expected(guard, column)]
    if (held === null || wanted === null) return held !== wanted
    return !isDeepStrictEqual(dialect.encode(column, held), dialect.encode(column, wanted))
  })
  const isOther = ({ key }: ColumnInfo) => {
    const [held, wanted] = [fields[key] ?? null, guard[key]]
    return held === null || wanted === null || (typeof held === 'number' && typeof wanted === 'number')
  }
  if (differing.length === 0 || differing.some(isOther)) return differing.length === 0
  const bound = new Bound(dialect)
  const parts = model.key.map(column => {
    return `${columnName(model, column)} = ${bound.add(dialect.encode(column, fields[column.key]))}`
  })
  const tests = differing.map(column =>
    isStill(model, column, bound.add(dialect.encode(column, expected(guard, column)))),
  )
  const text = `select 1 from ${tableName(model)} where ${[...parts, ...tests].join(' and ')}`
  const statement = database.statement(text, () => text)
  return (await executorOf(database).run(statement, bound.values)).rows.length > 0
}

/** The columns in guards. If a row's guard omits one, the row is not written. */
export function guardedColumns(model: ModelInfo, rows: readonly WrittenRow[]): readonly ColumnInfo[] {
  if (!isGuarded(rows)) return NONE
  return model.columns.filter(({ key }) => rows.some(({ guard }) => guard !== undefined && key in guard))
}

const NONE: readonly ColumnInfo[] = []

export function isGuarded(rows: readonly WrittenRow[]): boolean {
  return rows.some(({ guard }) => guard !== undefined)
}

export function isStill(model: ModelInfo, column: ColumnInfo, expected: string): string {
  return `${columnName(model, column)} is not distinct from ${expected}`
}

/** The carried columns for expected values; rows may also set these columns. */
export function guardColumns(columns: readonly ColumnInfo[]): readonly RowSetColumn[] {
  return columns.map(({ kind, sqlType }, index) => ({ name: guardName(index), kind, sqlType }))
}

export function meetsGuard(model: ModelInfo, columns: readonly ColumnInfo[]): string {
  const tests = columns.map((column, index) => ` and ${isStill(model, column, guardPlace(index))}`)
  return tests.join('')
}

/** The expected value of a column. Without one, the row must not be written. */
export function expected(guard: Guard | undefined, { key }: ColumnInfo): unknown {
  return guard?.[key] ?? null
}

export function guardPlace(index: number): string {
  return `${ROWS}.${quoteName(guardName(index))}`
}

function guardName(index: number): string {
  return `_guard_${index}`
}

/** The indexes of rows that exist but were not written. One statement; usually none. */
export async function outdatedRows(
  database: Database,
  model: ModelInfo,
  rows: readonly WrittenRow[],
  written: readonly unknown[],
): Promise<readonly number[]> {
  const done = new Set(written.map(key => keyText(model, key)))
  const left = rows.map(({ key }) => key).filter(key => !done.has(keyText(model, key)))
  if (left.length === 0) return []
  const own = keyProjection(model)
  const found = await readByKeys(database, own, left)
  const there = new Set(storedKeyTexts(database, model, found, keyPlace(model, own.columns)))
  return rows.flatMap(({ key }, index) => (there.has(keyText(model, key)) ? [index] : []))
}

const NOTHING_RENDERED = { expressions: [], tables: [] }

/**
 * Reads rows by primary key, with one statement and in the order of the keys. `lock` prevents other writes until the
 * transaction ends. Only for projections of the model's own columns.
 */
export function readByKeys(
  database: Database,
  projection: Projection,
  keys: readonly unknown[],
  lock?: RowLock,
): Promise<readonly RawRow[]> {
  const { model } = projection
  requireKeys(model)
  const tuples = keys.map(key => encodedKey(database.dialect, model, key))
  return readAmong(database, projection, model.key, tuples, lock)
}

/** Reads rows that have one of the values in a column, as {@link readByKeys}. */
export function readByValues(
  database: Database,
  projection: Projection,
  column: ColumnInfo,
  values: readonly unknown[],
  lock?: RowLock,
): Promise<readonly RawRow[]> {
  const tuples = values.map(value => [database.dialect.encode(column, value)])
  return readAmong(database, projection, [column], tuples, lock)
}

async function readAmong(
  database: Database,
  projection: Projection,
  columns: readonly ColumnInfo[],
  tuples: readonly (readonly unknown[])[],
  lock: RowLock | undefined,
): Promise<readonly RawRow[]> {
  const { dialect } = database
  const { model } = projection
  const names = columns.map(({ name }) => name).join()
  const statement = database.statement(`by ${names} ${projection.id} ${lock ?? ''}`, () => {
    const where = `${tupleOf(model, columns)} in (${dialect.selectRowSet(columns, 1)})`
    const order = model.key.map(expression => ({ expression, descending: false }))
    const rendered = NOTHING_RENDERED
    const select = compileSelect(dialect, { projection, where, order, limitAt: undefined, rendered })
    return select + (lock ? dialect.lockRows(lock, model.name) : '')
  })
  return (await database.run(statement, dialect.rowSet(columns, tuples))).rows
}
