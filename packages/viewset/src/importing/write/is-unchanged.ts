import { has, kindOf } from '../../kinds/kinds.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import { RelatedSet } from '../../records/drafts.ts'
import type { Values } from '../../store/write/write.ts'
import { isEqual } from './comparable.ts'
import type { LinkedKeys } from './linked-keys.ts'

/** Whether a stored record has all values of a write already. A value that is left to a default does not count. */
export function isUnchanged({ columns }: ModelInfo, stored: Values, values: Values, linked: LinkedKeys): boolean {
  return (
    columns.every(column => {
      const value = values[column.key]
      return value === undefined || isSameValue(column, value, stored[column.key])
    }) && Object.values(values).every(value => !(value instanceof RelatedSet) || isSameSet(value, stored, linked))
  )
}

/** Whether two values are equal to the database: `1.5` and `1.50`, a point in time, JSON by its contents. */
function isSameValue(column: ColumnInfo, a: unknown, b: unknown): boolean {
  if (a === null || b === null || b === undefined) return a === b
  return has(column, 'mutable') ? isEqual(a, b) : kindOf(column).identity(a) === kindOf(column).identity(b)
}

function isSameSet({ relation, keys }: RelatedSet, stored: Values, linked: LinkedKeys): boolean {
  const now = linked.get(relation)?.get(String(stored[relation.ownerKey.key])) ?? []
  const wanted = new Set(keys.map(String))
  return now.length === wanted.size && now.every(key => wanted.has(String(key)))
}
