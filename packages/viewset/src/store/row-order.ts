import type { SQL } from 'drizzle-orm'
import { kindOf } from '../kinds/kinds.ts'
import type { Decoder, Dialect, RowSetColumn } from '../model/dialect/dialect.ts'
import { ROWS } from '../model/dialect/write-text.ts'
import type { ColumnInfo, TableInfo } from '../model/model-info.ts'
import type { Database } from './connection/database.ts'
import type { RawRow } from './connection/driver.ts'
import { Bound, isSql } from './sql-value.ts'
import type { Values } from './write/write.ts'

/** A table with a primary key. `primaryKey` is only read if it is the whole key. */
type KeyedTable = TableInfo & { readonly primaryKey: ColumnInfo }

export function isKeyed(model: TableInfo): model is KeyedTable {
  return model.key.length > 0
}

/** Whether one column is the primary key. */
export function hasKey(model: TableInfo): model is KeyedTable {
  return model.key.length === 1
}

/** The position of the primary key in a row, or those of its parts. A key of several columns is a tuple. */
export type KeyPlace = number | readonly number[]

/** The place of the primary key in rows with these columns. */
export function keyPlace(model: TableInfo, columns: readonly ColumnInfo[]): KeyPlace {
  if (hasKey(model)) return columns.indexOf(model.primaryKey)
  return model.key.map(column => columns.indexOf(column))
}

/** The primary key in the fields of a record. */
export function keyIn({ key }: TableInfo, fields: Values): unknown {
  const parts = key.map(column => fields[column.key])
  return parts.length === 1 ? parts[0] : parts
}

/** The encoded parts of a key. @throws Error for a composite key without all of its parts */
export function encodedKey(dialect: Dialect, { name, key: columns }: TableInfo, key: unknown): unknown[] {
  const [only] = columns
  if (only && columns.length === 1) return [dialect.encode(only, key)]
  if (!Array.isArray(key) || key.length !== columns.length) throw new Error(`A key of "${name}" has several parts.`)
  return columns.map((column, at) => dialect.encode(column, key[at]))
}

/** @throws Error for a table without a primary key, where a statement would mean other rows */
export function requireKeys(model: TableInfo): void {
  if (model.key.length === 0) throw new Error(`"${model.name}" has no primary key.`)
}

/** Rows in the order of `keys`. `at` is the place of the key in a row. Keys without a row are skipped. */
export function inOrder(
  database: Database,
  model: KeyedTable,
  rows: readonly RawRow[],
  at: KeyPlace,
  keys: readonly unknown[],
): readonly RawRow[] {
  const found = typeof at === 'number' ? byEqualKeys(model, rows, at, keys) : undefined
  if (found) return found
  const texts = storedKeyTexts(database, model, rows, at)
  const byKey = new Map(rows.map((row, index) => [texts[index], row]))
  return keys.map(key => byKey.get(keyText(model, key))).filter(row => row !== undefined)
}

/**
 * Written rows in the order of `keys`, if these match. Code can give a key in another form than the stored one, such as
 * a UUID in capitals; then the rows keep their order.
 */
export function writtenInOrder(...written: Parameters<typeof inOrder>): readonly RawRow[] {
  const [, , rows] = written
  const ordered = inOrder(...written)
  return ordered.length < rows.length ? rows : ordered
}

/**
 * Rows in the order of `keys`, if code and database have the same form of each; usually they already are in order. A
 * column's own functions may produce another form.
 */
function byEqualKeys(
  { primaryKey }: KeyedTable,
  rows: readonly RawRow[],
  at: number,
  keys: readonly unknown[],
): readonly RawRow[] | undefined {
  if (primaryKey.ownType || primaryKey.kind === 'other' || rows.length !== keys.length) return undefined
  if (rows.every((row, index) => row[at] === keys[index])) return rows
  const byKey = new Map<unknown, RawRow>()
  for (const row of rows) byKey.set(row[at], row)
  const ordered: RawRow[] = []
  for (const key of keys) {
    const row = byKey.get(key)
    if (!row) return undefined
    ordered.push(row)
  }
  return ordered
}

export function keyText({ primaryKey, key: columns }: KeyedTable, key: unknown): string {
  if (columns.length === 1) return kindOf(primaryKey).identity(key)
  return JSON.stringify(columns.map((column, at) => kindOf(column).identity((key as readonly unknown[])[at])))
}

/** The same for keys from the driver, which may have another form for times, decimals and bytes. */
export function storedKeyTexts(
  database: Database,
  model: KeyedTable,
  rows: readonly RawRow[],
  at: KeyPlace,
): readonly string[] {
  return decodedKeys(database, model, rows, at).map(key => keyText(model, key))
}

/** Rows by the texts of their keys. `columns` are those of the rows. */
export function rowsByKey(
  database: Database,
  model: KeyedTable,
  rows: readonly RawRow[],
  columns: readonly ColumnInfo[] = model.columns,
): Map<string, RawRow> {
  const texts = storedKeyTexts(database, model, rows, keyPlace(model, columns))
  return new Map(rows.map((row, at) => [texts[at] as string, row]))
}

/** Whether two keys name one record. A new record has no key yet. */
export function isSameKey(model: KeyedTable, a: unknown, b: unknown): boolean {
  if (a === undefined || b === undefined) return a === b
  return keyText(model, a) === keyText(model, b)
}

/**
 * Makes keys before the insert, because the order of returned rows is not guaranteed. Keys from a database expression
 * take another statement. Numbered keys show the order themselves.
 */
export async function withMadeKeys(
  database: Database,
  model: KeyedTable,
  list: readonly Values[],
): Promise<readonly Values[]> {
  const { key } = model.primaryKey
  const missing = list.filter(values => values[key] === undefined).length
  const made = missing === 0 ? undefined : await madeKeys(database, model, missing)
  if (!made) return list
  const keys = made.values()
  return list.map(values => (values[key] === undefined ? { ...values, [key]: keys.next().value } : values))
}

/** Keys for new rows; `undefined` if the database numbers them or the client sends them. */
export async function madeKeys(
  database: Database,
  model: KeyedTable,
  count: number,
): Promise<readonly unknown[] | undefined> {
  const { createValue, column } = model.primaryKey
  const first = createValue?.() ?? column.default
  if (isSql(first)) return computedKeys(database, model, first, count)
  return createValue && [first, ...Array.from({ length: count - 1 }, createValue)]
}

/**
 * The keys of inserted rows in the order of `list`: the given ones, or the database's numbers. `at` is the place of the
 * key in a row.
 */
export function insertedKeys(
  database: Database,
  model: KeyedTable,
  list: readonly Values[],
  inserted: readonly RawRow[],
  at: KeyPlace,
): readonly unknown[] {
  if (typeof at !== 'number') return insertedTuples(database, model, list, inserted, at)
  const { key } = model.primaryKey
  const brought = list.map(values => values[key])
  if (!brought.includes(undefined)) return brought
  const known = new Set(brought.map(String))
  // The database numbers rows in the order of the statement.
  const numbers = decodedKeys(database, model, inserted, at)
    .filter(number => !known.has(String(number)))
    .sort((a, b) => ((a as number | bigint) < (b as number | bigint) ? -1 : 1))
    .values()
  return brought.map(key => key ?? numbers.next().value)
}

/** Keys of several columns: the given ones. If the database makes a part, the rows keep the order of the database. */
function insertedTuples(
  database: Database,
  model: KeyedTable,
  list: readonly Values[],
  inserted: readonly RawRow[],
  at: readonly number[],
): readonly unknown[] {
  const brought = list.map(values => model.key.map(({ key }) => values[key]))
  const isWhole = brought.every(tuple => tuple.every(part => part !== undefined && !isSql(part)))
  return isWhole ? brought : decodedKeys(database, model, inserted, at)
}

const decoders = new WeakMap<ColumnInfo, { readonly dialect: Dialect; readonly decode: Decoder }>()

export function decodedKeys(
  database: Database,
  model: KeyedTable,
  rows: readonly RawRow[],
  at: KeyPlace,
): readonly unknown[] {
  if (typeof at !== 'number') {
    const decode = model.key.map(column => decoderOf(database.dialect, column))
    return rows.map(row => at.map((place, part) => decode[part]?.(row[place])))
  }
  const decode = decoderOf(database.dialect, model.primaryKey)
  return rows.map(row => decode(row[at]))
}

/** The decoder of a column, which is made once. */
export function decoderOf(dialect: Dialect, column: ColumnInfo): Decoder {
  let known = decoders.get(column)
  if (known?.dialect !== dialect) {
    known = { dialect, decode: dialect.decoder(column) }
    decoders.set(column, known)
  }
  return known.decode
}

const POSITION: RowSetColumn = { name: '_position', kind: 'integer', sqlType: 'integer' }

async function computedKeys(
  database: Database,
  { primaryKey }: { readonly primaryKey: ColumnInfo },
  expression: SQL,
  count: number,
): Promise<readonly unknown[]> {
  const { dialect } = database
  const bound = new Bound(dialect)
  const selected = bound.sql(expression)
  const positions = Array.from({ length: count }, (_, position) => [position])
  const text = `select ${selected} from (${bound.rows([POSITION], positions)}) as ${ROWS}`
  const statement = database.statement(text, () => text)
  const { rows } = await database.run(statement, bound.values)
  const decode = dialect.decoder(primaryKey)
  return rows.map(([key]) => decode(key))
}
