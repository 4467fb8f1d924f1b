import type { ValueLine } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import type { Database } from './database.ts'
import { columnName, tableName } from './select.ts'

/**
 * Values that no row has in a column, all different: what rows hold for a moment. `undefined` for a column of which
 * none can be told; null is for the caller.
 */
export async function freeValues(
  database: Database,
  model: ModelInfo,
  column: ColumnInfo,
  count: number,
): Promise<readonly unknown[] | undefined> {
  const indexes = Array.from({ length: count }, (_, index) => index)
  const kind = kindOf(column)
  if (kind.spare) return indexes.map(index => kind.spare?.(column, index))
  const line = kind.line?.(column)
  if (!line) return undefined
  const [least, most] = await ends(database, model, column, line)
  const size = BigInt(count)
  const first = most + size <= line.highest ? most + 1n : least - size
  if (first < line.lowest) return undefined
  return indexes.map(index => line.valueAt(first + BigInt(index)))
}

/** The least and the most of a column, as places that lie outside of all values. */
async function ends(
  database: Database,
  model: ModelInfo,
  column: ColumnInfo,
  line: ValueLine,
): Promise<readonly [bigint, bigint]> {
  const name = columnName(model, column)
  const statement = database.statement(
    `ends ${model.id} ${column.name}`,
    () => `select min(${name}), max(${name}) from ${tableName(model)}`,
  )
  const { rows } = await database.run(statement, [])
  const decode = database.dialect.kindDecoder(column)
  const [least = 0n, most = 0n] = (rows[0] ?? []).map(raw => (raw === null ? 0n : line.place(decode(raw))))
  // A fraction is cut off towards zero, so the next whole number is the one that is outside for sure.
  return [least - 1n, most + 1n]
}
