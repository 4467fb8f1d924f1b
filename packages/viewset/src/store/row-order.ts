import type { SQL } from 'drizzle-orm'
import { kindOf } from '../kinds/kinds.ts'
import type { Decoder, Dialect, RowSetColumn } from '../model/dialect/dialect.ts'
import { ROWS } from '../model/dialect/write-text.ts'
import type { ColumnInfo, TableInfo } from '../model/model-info.ts'
import type { Database } from './connection/database.ts'
import type { RawRow } from './connection/driver.ts'
import { Bound, isSql } from './sql-value.ts'
import type { Values } from './write/write.ts'

/** A table whose rows are told by one column. */
type KeyedTable = TableInfo & { readonly primaryKey: ColumnInfo }

export function hasKey(model: TableInfo): model is KeyedTable {
  return model.primaryKey !== undefined
}

/** Rows in the order of `keys`, which are told by the rows' value `at`; a key without a row is left out. */
export function inOrder(
  database: Database,
  model: KeyedTable,
  rows: readonly RawRow[],
  at: number,
  keys: readonly unknown[],
): readonly RawRow[] {
  const found = byEqualKeys(model, rows, at, keys)
  if (found) return found
  const texts = storedKeyTexts(database, model, rows, at)
  const byKey = new Map(rows.map((row, index) => [texts[index], row]))
  return keys.map(key => byKey.get(keyText(model, key))).filter(row => row !== undefined)
}

/**
 * Rows that were written, in the order of `keys` as far as these tell: code can give a key in another form than it is
 * stored in, such as a UUID in capitals, and no row may be lost for that.
 */
export function writtenInOrder(...written: Parameters<typeof inOrder>): readonly RawRow[] {
  const [, , rows] = written
  const ordered = inOrder(...written)
  return ordered.length < rows.length ? rows : ordered
}

/**
 * Rows in the order of `keys`, where code and the database have the same form of each; mostly they come so. What a
 * column's own functions have made of one key may be what code knows another by.
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

/** Text by which keys are compared in code. */
export function keyText({ primaryKey }: KeyedTable, key: unknown): string {
  return kindOf(primaryKey).identity(key)
}

/** The same of rows' keys, of which a driver can have another form than code has: of a time, a decimal, bytes. */
export function storedKeyTexts(
  database: Database,
  model: KeyedTable,
  rows: readonly RawRow[],
  at: number,
): readonly string[] {
  return decodedKeys(database, model, rows, at).map(key => keyText(model, key))
}

/**
 * Keys are made before the insert, since the order in which the database returns rows is not promised. Those that an
 * expression of the database makes are asked for by one statement more; numbers tell their order by themselves.
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

/** Keys for so many new rows; `undefined` where the database numbers them itself, or the client has to name them. */
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
 * The keys of inserted rows, told by their value `at`, in the order of `list`: those that it brought, else the numbers
 * that the database gave.
 */
export function insertedKeys(
  database: Database,
  model: KeyedTable,
  list: readonly Values[],
  inserted: readonly RawRow[],
  at: number,
): readonly unknown[] {
  const { key } = model.primaryKey
  const brought = list.map(values => values[key])
  if (!brought.includes(undefined)) return brought
  const known = new Set(brought.map(String))
  // A database numbers the rows of a statement in their order.
  const numbers = decodedKeys(database, model, inserted, at)
    .filter(number => !known.has(String(number)))
    .sort((a, b) => ((a as number | bigint) < (b as number | bigint) ? -1 : 1))
    .values()
  return brought.map(own => own ?? numbers.next().value)
}

/** Of keys, by their columns, with the dialect that has made each. */
const decoders = new WeakMap<ColumnInfo, { readonly dialect: Dialect; readonly decode: Decoder }>()

export function decodedKeys(
  database: Database,
  model: KeyedTable,
  rows: readonly RawRow[],
  at: number,
): readonly unknown[] {
  const { primaryKey } = model
  const { dialect } = database
  let known = decoders.get(primaryKey)
  if (known?.dialect !== dialect) {
    known = { dialect, decode: dialect.decoder(primaryKey) }
    decoders.set(primaryKey, known)
  }
  const { decode } = known
  return rows.map(row => decode(row[at]))
}

const POSITION: RowSetColumn = { name: '_position', kind: 'integer', sqlType: 'integer' }

/** Keys for new rows that the database works out. */
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
