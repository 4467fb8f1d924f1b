import { is, SQL } from 'drizzle-orm'
import { ConfigError } from '../core/errors.ts'
import type { ExpressionValue } from '../model/dialect/dialect.ts'
import type { DeclaredExpression } from './fields.ts'

/** What an expression's values are in code, by the name that a column kit has for such a column. */
export interface ExpressionTypes {
  text: string
  integer: number
  /** A string on the wire beyond 2^53. */
  bigint: bigint
  float: number
  /** A string that keeps its digits. */
  decimal: string
  boolean: boolean
  /** ISO 8601 in UTC, with microseconds. */
  timestamp: string
  date: string
  /** `10:30:00`, with a fraction where there is one. */
  time: string
  uuid: string
  json: unknown
}

/** What {@link ExpressionField} reads, and how its values are shown. */
export interface ExpressionOptions<T extends keyof ExpressionTypes, N extends boolean = boolean> {
  /** What is computed, over the model's own table. Columns are written as `${table.column}`. */
  readonly expression: SQL
  /** How the values are read and shown. */
  readonly type: T
  /** Digits behind the point of a decimal; SQLite shows no zeros at its end without it. */
  readonly scale?: T extends 'decimal' ? number : never
  /** Says that there always is a value, as of a `count(*)`. Default false. */
  readonly notNull?: N
}

const TYPES: Readonly<Record<keyof ExpressionTypes, true>> = {
  text: true,
  integer: true,
  bigint: true,
  float: true,
  decimal: true,
  boolean: true,
  timestamp: true,
  date: true,
  time: true,
  uuid: true,
  json: true,
}

/**
 * A field that the database computes with the rows that it reads: an SQL expression, such as an aggregate over a
 * relation. A client can only read it. As a value of `computedOrderingFields`, the same declaration is also ordered by.
 *
 * @throws ConfigError for an expression that is no SQL, and for a type that there is not.
 * @example
 * const cityCount = ExpressionField({
 *   expression: sql`(select count(*) from ${cities} where ${cities.country} = ${countries.id})`,
 *   type: 'integer',
 *   notNull: true,
 * })
 */
export function ExpressionField<T extends keyof ExpressionTypes, const N extends boolean = false>({
  expression,
  type,
  scale,
  notNull,
}: ExpressionOptions<T, N>): DeclaredExpression<ExpressionTypes[T] | (N extends true ? never : null)> {
  if (!is(expression, SQL)) throw new ConfigError('ExpressionField', 'expression', 'must be made with sql`...`')
  if (!Object.hasOwn(TYPES, type)) {
    throw new ConfigError('ExpressionField', 'type', `must be one of ${Object.keys(TYPES).join(', ')}`)
  }
  const value: ExpressionValue = scale === undefined ? { kind: type } : { kind: type, scale }
  return { kind: 'expression', expression, value, notNull: notNull === true }
}
