import { is, SQL } from 'drizzle-orm'
import type { Dialect, RowSetColumn } from '../model/dialect/dialect.ts'

export function isSql(value: unknown): value is SQL {
  if (typeof value !== 'object' || value === null) return false
  // Drizzle's `is` reads the constructor, which a JSON value may lack.
  return Object.getPrototypeOf(value) !== null && is(value, SQL)
}

export interface Conditional {
  condition(offset: number): { readonly text: string | undefined; readonly values: readonly unknown[] }
}

/** The values of a statement, bound in the order of its text. */
export class Bound {
  readonly values: unknown[] = []
  readonly dialect: Dialect

  constructor(dialect: Dialect) {
    this.dialect = dialect
  }

  /** Binds an encoded value and returns its placeholder. `place` gives it a type if the context does not. */
  add(value: unknown, place: (position: number) => string = this.dialect.placeholder): string {
    this.values.push(value)
    return place(this.values.length)
  }

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

  condition(set: Conditional): string | undefined {
    const { text, values } = set.condition(this.values.length)
    this.values.push(...values)
    return text
  }
}
