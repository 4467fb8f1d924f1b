import type { Bound } from './sql-value.ts'

/** Where a row stands in the order of a set: its values of the ordering's terms, as the driver delivers them. */
export type ListPosition = readonly unknown[]

/** A term of an ordering that positions are compared by. */
export interface KeyTerm {
  readonly descending: boolean
  readonly nullable: boolean
  /** Writes the term's expression, whose values it adds to those of the statement. */
  write(bound: Bound): string
}

/** Writes a condition, whose values it adds to those of the statement. */
type Condition = (bound: Bound) => string

/**
 * Which rows stand behind a position, in an order in which the primary key has the last word: those that meet one of the
 * conditions. No row meets two, and what meets the first comes before what meets the second.
 *
 * There are two where the first term can be null. NULL is greater than everything in an ordering, but no comparison
 * with it is true; one condition for both would have to say `or`, for which no database starts in the middle of an index.
 */
export function behind(terms: readonly KeyTerm[], position: ListPosition): readonly Condition[] {
  const [first, ...others] = terms
  // Behind the last term there is nothing left to tell rows apart by.
  if (!first) return []
  const [value, ...rest] = position
  const isNull: Condition = bound => `${first.write(bound)} is null`
  if (value === null) {
    const same: Condition = bound => `${isNull(bound)} and ${anyOf(behind(others, rest))(bound)}`
    return first.descending ? [same, bound => `${first.write(bound)} is not null`] : [same]
  }
  const greater = compared(terms, position)
  return first.nullable && !first.descending ? [greater, isNull] : [greater]
}

/**
 * Compares the first terms, as many as go the same way, as one: `(a, b) > (1, 2)`, for which an index on `(a, b)` has
 * its place.
 */
function compared(terms: readonly KeyTerm[], position: ListPosition): Condition {
  const descending = terms[0]?.descending
  const end = terms.findIndex((term, index) => index > 0 && (term.nullable || term.descending !== descending))
  const length = end === -1 ? terms.length : end
  const row: Condition = bound => listed(terms.slice(0, length).map(term => term.write(bound)))
  const values: Condition = bound => listed(position.slice(0, length).map(value => bound.add(value)))
  const operator = descending ? '<' : '>'
  const further = behind(terms.slice(length), position.slice(length))
  if (further.length === 0) return bound => `${row(bound)} ${operator} ${values(bound)}`
  // The first half says nothing new, but a database can look it up.
  return bound =>
    `${row(bound)} ${operator}= ${values(bound)} and (${row(bound)} ${operator} ${values(bound)} or ${anyOf(further)(bound)})`
}

function listed(parts: readonly string[]): string {
  return parts.length === 1 ? String(parts[0]) : `(${parts.join(', ')})`
}

function anyOf(conditions: readonly Condition[]): Condition {
  return bound => `(${conditions.map(condition => condition(bound)).join(' or ')})`
}
