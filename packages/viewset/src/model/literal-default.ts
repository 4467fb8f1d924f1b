import { is, SQL, sql } from 'drizzle-orm'

interface DefaultBuilder {
  default(value: unknown): DefaultBuilder
  $defaultFn(value: () => unknown): DefaultBuilder
}

/**
 * Writes a column's default into the schema as SQL, and keeps the value for code: drizzle-kit (0.31) fails on bigints,
 * bytes, and quotes in JSON and in lists.
 */
export function withLiteralDefault(column: object, literal: (value: unknown) => string): object {
  const builder = column as DefaultBuilder
  const setDefault = builder.default
  builder.default = value =>
    is(value, SQL)
      ? setDefault.call(builder, value)
      : setDefault.call(builder, sql.raw(literal(value))).$defaultFn(() => value)
  return builder
}

/** A JSON value as SQL. */
export function jsonLiteral(value: unknown): string {
  return quoteText(JSON.stringify(value))
}

/** A text as SQL. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
