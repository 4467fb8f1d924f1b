import type { Bound } from './sql-value.ts'

/** A row's position in an ordered set: the values of its ordering terms in the driver's form. */
export type ListPosition = readonly unknown[]

export interface KeyTerm {
  readonly descending: boolean
  readonly nullable: boolean
  write(bound: Bound): string
}

type Condition = (bound: Bound) => string

/**
 * Conditions for the rows after a position, in an order that ends with the primary key. A row meets at most one of
 * them, and rows of the first condition precede those of the second.
 *
 * There are two if the first term can be null. NULL sorts last, but no comparison with it is true. A single condition
 * would need `or`, for which databases cannot start in the middle of an index.
 */
export function conditionsAfter(terms: readonly KeyTerm[], position: ListPosition): readonly Condition[] {
  const [first, ...others] = terms
  if (!first) return []
  const [value, ...rest] = position
  const isNull: Condition = bound => `${first.write(bound)} is null`
  if (value === null) {
    const same: Condition = bound => `${isNull(bound)} and ${anyOf(conditionsAfter(others, rest))(bound)}`
    return first.descending ? [same, bound => `${first.write(bound)} is not null`] : [same]
  }
  const greater = compared(terms, position)
  return first.nullable && !first.descending ? [greater, isNull] : [greater]
}

/** Compares leading terms of the same direction at once: `(a, b) > (1, 2)`, which can use an index on `(a, b)`. */
function compared(terms: readonly KeyTerm[], position: ListPosition): Condition {
  const descending = terms[0]?.descending
  const end = terms.findIndex((term, index) => index > 0 && (term.nullable || term.descending !== descending))
  const length = end === -1 ? terms.length : end
  const row: Condition = bound => listed(terms.slice(0, length).map(term => term.write(bound)))
  const values: Condition = bound => listed(position.slice(0, length).map(value => bound.add(value)))
  const operator = descending ? '<' : '>'
  const further = conditionsAfter(terms.slice(length), position.slice(length))
  if (further.length === 0) return bound => `${row(bound)} ${operator} ${values(bound)}`
  // The first half is redundant, but lets the database use an index.
  return bound =>
    `${row(bound)} ${operator}= ${values(bound)} and (${row(bound)} ${operator} ${values(bound)} or ${anyOf(further)(bound)})`
}

function listed(parts: readonly string[]): string {
  return parts.length === 1 ? String(parts[0]) : `(${parts.join(', ')})`
}

function anyOf(conditions: readonly Condition[]): Condition {
  return bound => `(${conditions.map(condition => condition(bound)).join(' or ')})`
}
