import { quoteName } from '../model/drizzle.ts'
import type { ColumnInfo, ModelInfo, TableInfo } from '../model/model-info.ts'
import { isUnchanged } from '../model/unchanged.ts'
import type { Database } from './database.ts'
import type { RawRow, Result, Statement } from './driver.ts'
import { apiErrorOf } from './faults.ts'
import { missingParent } from './missing-parent.ts'
import { columnName, tableName } from './select.ts'
import { Bound, isSql } from './sql-value.ts'

/** What came of writing nothing. */
export const NOTHING: Result = { rows: [], changes: 0 }

/** Values of a record by the names of its fields; an absent field is left to its default. */
export type Values = Readonly<Record<string, unknown>>

/** Which values a column fills in by itself: those of new rows, or those of changed ones. */
export type Automatic = 'createValue' | 'updateValue'

/** Inserts one row and returns it, all columns in the model's order. */
export async function insertRow(database: Database, model: ModelInfo, values: Values): Promise<RawRow> {
  const { columns, places, bound, shape } = written(database, model, values, 'createValue')
  const statement = database.statement(`insert ${model.id}${shape}`, () => {
    const target = columns.length === 0 ? 'default values' : `(${names(columns)}) values (${places.join(', ')})`
    return `insert into ${tableName(model)} ${target} returning ${names(model.columns)}`
  })
  const { rows } = await runWrite(database, model, statement, bound.values, { rows: [values] })
  return rows[0] as RawRow
}

/** Updates the row with `key` and returns it as stored; `undefined` when it is not there any more. */
export async function updateRow(
  database: Database,
  model: ModelInfo,
  key: unknown,
  values: Values,
): Promise<RawRow | undefined> {
  const { columns, places, bound, shape } = written(database, model, values, 'updateValue')
  const { primaryKey } = model
  const keyPlace = bound.add(database.dialect.encode(primaryKey, key))
  const statement = database.statement(`update ${model.id}${shape}`, () => {
    const assigned = columns.length === 0 ? [idleColumn(model)] : columns
    const assignments = assigned.map((column, index) => {
      const name = quoteName(column.name)
      return `${name} = ${places[index] ?? name}`
    })
    return `update ${tableName(model)} set ${assignments.join(', ')} where ${quoteName(primaryKey.name)} = ${keyPlace} returning ${names(model.columns)}`
  })
  const { rows } = await runWrite(database, model, statement, bound.values, {
    rows: [values],
    automatic: 'updateValue',
  })
  return rows[0]
}

/** Deletes the row with `key`; `false` when it was not there. */
export async function deleteRow(database: Database, model: ModelInfo, key: unknown): Promise<boolean> {
  const { primaryKey } = model
  const statement = database.statement(`delete ${model.id}`, () => {
    return `delete from ${tableName(model)} where ${quoteName(primaryKey.name)} = ${database.dialect.placeholder(1)}`
  })
  const values = [database.dialect.encode(primaryKey, key)]
  const { changes } = await runWrite(database, model, statement, values, { deleting: true })
  return changes > 0
}

/** The columns that a write sets, given or automatic, and what the statement sets them to. */
function written(database: Database, model: ModelInfo, values: Values, automatic: Automatic) {
  const columns: ColumnInfo[] = []
  const places: string[] = []
  const bound = new Bound(database.dialect)
  // Tells sets of columns apart for less than their names would cost.
  let shape = ''
  for (let i = 0; i < model.columns.length; i++) {
    const column = model.columns[i]!
    const given = values[column.key]
    const value = given === undefined ? column[automatic]?.() : given
    if (value === undefined || isUnchanged(value)) continue
    columns.push(column)
    const place = isSql(value) ? bound.sql(value) : bound.add(database.dialect.encode(column, value))
    shape += isSql(value) ? ` ${i}=${place}` : given === undefined ? ` ${i}a` : ` ${i}`
    const isFilled = given === undefined && automatic === 'updateValue'
    places.push(isFilled ? automaticValue(database, model, column, place) : place)
  }
  return { columns, places, bound, shape }
}

/** What a write is about, for the words in which it may be refused. */
export interface Written {
  readonly rows?: readonly Values[]
  /** Which values it has filled in beside those of the rows. Default those of new rows. */
  readonly automatic?: Automatic
  readonly deleting?: boolean
}

/** Runs a write, of `rows`, and turns what the database refuses into an {@link ApiError} that names the model's fields. */
export async function runWrite(
  database: Database,
  model: TableInfo,
  statement: Statement,
  values: readonly unknown[],
  { deleting = false, rows = [], automatic = 'createValue' }: Written = {},
): Promise<Result> {
  try {
    return await database.run(statement, values)
  } catch (error) {
    const fault = database.dialect.fault(error)
    // What may be run again must reach the transaction as it is.
    if (!fault || fault.kind === 'retry') throw error
    // SQLite does not tell a missing parent from a row that is still referred to; the statement does.
    const kind = deleting && fault.kind === 'foreignKey' ? 'restricted' : fault.kind
    if (kind !== 'foreignKey' || fault.columns) throw apiErrorOf({ ...fault, kind }, model, error, rows)
    // A transaction that takes no further statement leaves it at that.
    const missing = await missingParent(database, model, rows, automatic).catch(() => undefined)
    throw apiErrorOf({ ...fault, ...(missing && { columns: [missing.name] }) }, model, error, rows)
  }
}

/**
 * What an update sets a column to that it fills by itself. `updatedAt` is not before `createdAt`, whichever server's
 * clock was set back or is behind: the row itself knows when it was created.
 */
export function automaticValue(
  { dialect }: Database,
  model: ModelInfo,
  { key, kind, sqlType }: ColumnInfo,
  value: string,
): string {
  const created = key === 'updatedAt' && kind === 'timestamp' ? model.byKey.get('createdAt') : undefined
  return created?.sqlType === sqlType && !created.nullable ? dialect.latest(value, columnName(model, created)) : value
}

/**
 * What an update sets to itself that has nothing to set: without automatic fields a model may leave it so, and the rows
 * are still to be found and returned. Not a key where there is anything else, since SQLite checks foreign keys to a key
 * that is set, and a row that refers to itself fails them.
 */
export function idleColumn({ columns, primaryKey }: ModelInfo): ColumnInfo {
  const isIdle = ({ primaryKey, references, generated }: ColumnInfo) => !primaryKey && !references && !generated
  return columns.find(isIdle) ?? primaryKey
}

/** Names of columns as a list in SQL. */
export function names(columns: readonly ColumnInfo[]): string {
  return columns.map(column => quoteName(column.name)).join(', ')
}
