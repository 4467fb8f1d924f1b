import { is, SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { currentUser, type User } from '../core/context.ts'

/** A value that differs from request to request. Its place in the SQL is always the same. */
class UserValue implements SQLWrapper {
  readonly #of: (user: User | null) => unknown

  constructor(of: (user: User | null) => unknown) {
    this.#of = of
  }

  getSQL(): SQL {
    return sql`${this.#of(currentUser())}`
  }
}

/**
 * A value of the current user in an SQL expression that is declared once, such as the expression of a field. It becomes
 * a parameter of each statement.
 *
 * @example
 * const isMine = ExpressionField({
 *   expression: sql`${trips.author} = ${userValue(user => user?.id ?? null)}`,
 *   type: 'boolean',
 * })
 */
export function userValue(of: (user: User | null) => string | number | bigint | boolean | null): SQLWrapper {
  return new UserValue(of)
}

const known = new WeakMap<SQL, boolean>()

/** Whether an expression has a {@link userValue}, so that its values differ from request to request. */
export function dependsOnRequest(expression: SQL): boolean {
  let depends = known.get(expression)
  if (depends === undefined) {
    depends = expression.queryChunks.some(chunk => {
      return chunk instanceof UserValue || (is(chunk, SQL) && dependsOnRequest(chunk))
    })
    known.set(expression, depends)
  }
  return depends
}
