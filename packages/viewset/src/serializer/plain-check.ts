import type { PlainCheck } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'
import type { ColumnInfo } from '../model/model-info.ts'

/**
 * A quick check that accepts almost every value which is right and is stored as it is. What it does not accept may be
 * right all the same: that is for the column's schema to say. `undefined` where there is no such check.
 */
export function plainCheck(column: ColumnInfo): PlainCheck | undefined {
  return column.ownType ? undefined : kindOf(column).plainCheck?.(column)
}
