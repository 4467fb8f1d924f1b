import { foldCase } from '../../core/text.ts'
import { kindOf } from '../../kinds/kinds.ts'
import type { ColumnInfo } from '../../model/model-info.ts'

export function comparable(value: unknown, column: ColumnInfo, ignoreCase: boolean): string {
  if (value === null || value === undefined) return '\0n'
  const text = kindOf(column).identity(value)
  return `\0v${ignoreCase ? foldCase(text) : text}`
}

export function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.every((value, index) => isEqual(value, b[index]))
}

/** Whether two values are equal. The order of keys in a JSON object does not count. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime()
  const keys = Object.keys(a)
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every(key => Object.hasOwn(b, key) && isEqual(a[key as keyof typeof a], b[key as keyof typeof b]))
  )
}
