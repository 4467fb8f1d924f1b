import { is, SQL, sql } from 'drizzle-orm'
import { ConfigError } from '../core/errors.ts'

/**
 * A condition that all records meet. Return it from a `queryset` or a `scoped(...)` to show all records. A function
 * that returns nothing is an error, so a forgotten `return` does not show everything.
 *
 * @example
 * queryset: ({ user }) => (user?.roles?.includes('admin') ? allRecords : eq(articles.createdBy, String(user?.id)))
 */
export const allRecords: SQL = sql`true`

/** `undefined` means all records. @throws TypeError for no condition; ConfigError for a promise */
export function checkedCondition(subject: string, setting: string, returned: unknown): SQL | undefined {
  if (returned === allRecords) return undefined
  // AND binds closer than an OR in the condition.
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
