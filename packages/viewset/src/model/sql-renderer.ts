import type { Column, SQL } from 'drizzle-orm'
import { CasingCache } from 'drizzle-orm/casing'
import type { PgDialect } from 'drizzle-orm/pg-core'

/** A piece of SQL as text with placeholders, and the values for them in the driver's form. */
export interface RenderedSql {
  readonly text: string
  readonly values: readonly unknown[]
}

/** What rendering takes of a dialect of Drizzle's. */
type DrizzleDialect = Pick<PgDialect, 'escapeName' | 'escapeString'>

/** Columns carry their names. Drizzle's own cache keeps the first of two tables of one name, as of two databases. */
class OwnNames extends CasingCache {
  override getColumnCasing(column: Column): string {
    return column.name
  }
}
const OWN_NAMES = new OwnNames()

/**
 * Makes the `render` of a dialect: `placeholder` is how it writes the n-th value of a statement, from 1.
 *
 * @example
 * const render = sqlRenderer(new MySqlDialect(), () => '?')
 */
export function sqlRenderer(dialect: DrizzleDialect, placeholder: (position: number) => string) {
  return (expression: SQL, offset: number): RenderedSql => {
    const query = expression.toQuery({
      casing: OWN_NAMES,
      escapeName: dialect.escapeName,
      escapeParam: index => placeholder(index + 1),
      escapeString: dialect.escapeString,
      paramStartIndex: { value: offset },
    })
    return { text: query.sql, values: query.params }
  }
}
