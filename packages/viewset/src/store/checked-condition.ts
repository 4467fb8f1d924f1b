import { is, SQL, sql } from 'drizzle-orm'
import { ConfigError } from '../core/errors.ts'

/**
 * A condition that all records meet, for a `queryset` or `scoped(...)` that shows all records. A function without a
 * result is an error, so that a forgotten `return` does not show everything.
 *
 * @example
 * queryset: ({ user }) => (user?.roles?.includes('admin') ? allRecords : eq(articles.createdBy, String(user?.id)))
 */
export const allRecords: SQL = sql`true`

/**
 * The checked result of a function that chooses records; `undefined` for all of them.
 *
 * @throws TypeError for what is no condition; ConfigError for a promise, which is refused at start, too
 */
export function checkedCondition(subject: string, setting: string, returned: unknown): SQL | undefined {
  if (returned === allRecords) return undefined
  // AND binds tighter than an OR inside the condition.
  if (is(returned, SQL)) return sql`(${returned})`
  if (returned instanceof Promise) {
    returned.catch(() => {})
    throw new ConfigError(subject, setting, 'must return a condition, not a promise; override getQueryset for that')
  }
  const what = returned === undefined || returned === null ? String(returned) : `a value of type ${typeof returned}`
  throw new TypeError(
    `${subject}: ${setting}: returned ${what}, which is no condition; return one, such as eq(model.isActive, true), or allRecords`,
  )
}
