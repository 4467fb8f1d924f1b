import { is, SQL, sql } from 'drizzle-orm'
import { ConfigError } from '../core/errors.ts'
import type { DeclaredExpression } from './fields.ts'

/** The type of an expression's values in code, by the name of the kit's column. */
export interface ExpressionTypes {
  text: string
  integer: number
  /** A string in JSON beyond 2^53. */
  bigint: bigint
  float: number
  /** A string with all digits. */
  decimal: string
  boolean: boolean
  /** ISO 8601 in UTC, with microseconds. */
  timestamp: string
  date: string
  time: string
  uuid: string
  json: unknown
}

/** Options of {@link ExpressionField}. */
export interface ExpressionOptions<T extends keyof ExpressionTypes, N extends boolean = boolean> {
  /** The SQL expression over the model's table. Write columns as `${table.column}`. */
  readonly expression: SQL
  /** The type for reading and showing values. */
  readonly type: T
  /** Decimal places, to which values are rounded. Without it, SQLite drops trailing zeros. */
  readonly scale?: T extends 'decimal' ? number : never
  /** Whether the value is never null, as for `count(*)`. Default false. */
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
 * A read-only field that the database computes: an SQL expression, such as an aggregate over a relation. The same
 * declaration in `computedOrderingFields` also allows ordering by it.
 *
 * @throws ConfigError for an expression that is not SQL, and for an unknown type.
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
  if (scale === undefined) return { kind: 'expression', expression, value: { kind: type }, notNull: notNull === true }
  if (!Number.isInteger(scale) || scale < 0) throw new ConfigError('ExpressionField', 'scale', 'must be a whole number')
  // PostgreSQL divides with 16 digits.
  const rounded = sql`round(cast(${expression} as numeric), ${sql.raw(String(scale))})`
  return { kind: 'expression', expression: rounded, value: { kind: type, scale }, notNull: notNull === true }
}
