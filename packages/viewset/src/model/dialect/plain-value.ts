import type { StoredColumn } from './dialect.ts'

/**
 * A value that drivers store as it is.
 *
 * @throws TypeError for an object or an array: one driver refuses it, another one stores some text that it makes of it
 */
export function plainValue({ column, kind }: StoredColumn, value: unknown): unknown {
  if (typeof value === 'object' && value !== null && isOfJson(value)) {
    const what = Array.isArray(value) ? 'an array' : 'an object'
    const advice = kind === 'text' ? 'Store JSON.stringify(value), or make it a JSON column.' : 'Pass a single value.'
    throw new TypeError(
      `"${column.name}": ${what} cannot be stored in a column of type ${column.getSQLType()}. ${advice}`,
    )
  }
  return value
}

function isOfJson(value: object): boolean {
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
}
