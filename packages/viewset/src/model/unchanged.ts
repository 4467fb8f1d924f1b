import { type SQL, sql } from 'drizzle-orm'

const unchanged = new WeakSet<object>()

/**
 * What `$onUpdateFn` returns to leave its column as it is. Drizzle's own updates need an expression, which sets the
 * column to itself; Viewset's leave the column out.
 */
export function unchangedColumn(name: string): SQL {
  const expression = sql`${sql.identifier(name)}`
  unchanged.add(expression)
  return expression
}

export function isUnchanged(value: unknown): boolean {
  return typeof value === 'object' && value !== null && unchanged.has(value)
}
