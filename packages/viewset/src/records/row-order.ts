import type { ModelInfo } from '../model/model-info.ts'
import type { Database } from '../store/database.ts'
import type { RawRow } from '../store/driver.ts'
import type { Values } from '../store/write.ts'

/** Rows in the order of `keys`, which are told by the rows' value `at`; a key without a row is left out. */
export function inOrder(rows: readonly RawRow[], at: number, keys: readonly unknown[]): readonly RawRow[] {
  // The driver's form of a key and its form in code have the same text.
  const byKey = new Map(rows.map(row => [String(row[at]), row]))
  return keys.map(key => byKey.get(String(key))).filter(row => row !== undefined)
}

/** Keys are made before the insert, since the order in which the database returns rows is not promised. */
export function withMadeKeys({ primaryKey }: ModelInfo, list: readonly Values[]): readonly Values[] {
  const { createValue, key } = primaryKey
  return list.map(values => (values[key] === undefined && createValue ? { ...values, [key]: createValue() } : values))
}

/**
 * The keys of inserted rows, told by their value `at`, in the order of `list`: those that it brought, else those that
 * the database made.
 */
export function insertedKeys(
  database: Database,
  model: ModelInfo,
  list: readonly Values[],
  inserted: readonly RawRow[],
  at: number,
): readonly unknown[] {
  const { key, kind } = model.primaryKey
  if (list.every(values => values[key] !== undefined)) return list.map(values => values[key])
  const keys = decodedKeys(database, model, inserted, at)
  // A database numbers the rows of a statement in their order.
  return kind === 'integer' || kind === 'bigint' ? keys.toSorted((a, b) => (Number(a) < Number(b) ? -1 : 1)) : keys
}

export function decodedKeys(
  database: Database,
  model: ModelInfo,
  rows: readonly RawRow[],
  at: number,
): readonly unknown[] {
  const decode = database.dialect.decoder(model.primaryKey)
  return rows.map(row => decode(row[at] as never))
}
