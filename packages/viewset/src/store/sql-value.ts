import { is, SQL } from 'drizzle-orm'
import type { Dialect, RowSetColumn } from '../model/dialect/dialect.ts'

/** Whether the database is to work a value out. */
export function isSql(value: unknown): value is SQL {
  if (typeof value !== 'object' || value === null) return false
  // Drizzle asks for a constructor, which a JSON value may be without.
  return Object.getPrototypeOf(value) !== null && is(value, SQL)
}

/** A set of rows that tells what they meet, as SQL whose placeholders start behind others. */
export interface Conditional {
  condition(offset: number): { readonly text: string | undefined; readonly values: readonly unknown[] }
}

/** The values of a statement in the order of its text, which is built along with them. */
export class Bound {
  readonly values: unknown[] = []
  readonly dialect: Dialect

  constructor(dialect: Dialect) {
    this.dialect = dialect
  }

  /** The place of an encoded value; of one that nothing else types, it takes the type of `place`. */
  add(value: unknown, place: (position: number) => string = this.dialect.placeholder): string {
    this.values.push(value)
    return place(this.values.length)
  }

  /** A `select` of rows of encoded values, which travel with the statement. */
  rows(columns: readonly RowSetColumn[], rows: readonly (readonly unknown[])[], toJoin = false): string {
    const position = this.values.length + 1
    this.values.push(...this.dialect.rowSet(columns, rows))
    return this.dialect.selectRowSet(columns, position, toJoin)
  }

  sql(expression: SQL): string {
    const { text, values } = this.dialect.render(expression, this.values.length)
    this.values.push(...values)
    return text
  }

  /** What rows of a set meet; `undefined` where they need not meet anything. */
  condition(set: Conditional): string | undefined {
    const { text, values } = set.condition(this.values.length)
    this.values.push(...values)
    return text
  }
}
