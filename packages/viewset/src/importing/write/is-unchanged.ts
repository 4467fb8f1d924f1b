import { has, kindOf } from '../../kinds/kinds.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import type { Values } from '../../store/write.ts'
import { isEqual } from './comparable.ts'

/** Whether a stored record has all that would be written to it already; what a value leaves to a default does not count. */
export function isUnchanged({ columns }: ModelInfo, stored: Values, values: Values): boolean {
  return columns.every(column => {
    const value = values[column.key]
    return value === undefined || isSameValue(column, value, stored[column.key])
  })
}

/** Whether a column's database takes two values for one: `1.5` and `1.50`, a point in time, JSON by what it says. */
function isSameValue(column: ColumnInfo, a: unknown, b: unknown): boolean {
  if (a === null || b === null || b === undefined) return a === b
  return has(column, 'mutable') ? isEqual(a, b) : kindOf(column).identity(a) === kindOf(column).identity(b)
}
