import type { SQL } from 'drizzle-orm'
import type { Database } from './database.ts'
import { type GivenKeys, givenKeys } from './row-set.ts'
import { Bound, isSql } from './sql-value.ts'
import type { Values } from './write.ts'

/** Rows of one statement: in all of them, `sql` makes the same fields. */
export interface SqlPart {
  readonly rows: readonly Values[]
  readonly given: GivenKeys
  readonly sql: Readonly<Record<string, SQL>>
}

/** Parts rows by the SQL that they give: its text, its values and its fields. */
export function sqlParts({ dialect }: Database, rows: readonly Values[]): readonly SqlPart[] {
  const groups = Map.groupBy(rows, row => {
    const bound = new Bound(dialect)
    const texts = Object.entries(row).map(([key, value]) => (isSql(value) ? `${key}=${bound.sql(value)}` : ''))
    const typed = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)
    return JSON.stringify([texts.filter(text => text !== ''), bound.values], typed)
  })
  return [...groups.values()].map(group => {
    const sql: Record<string, SQL> = {}
    for (const [key, value] of Object.entries(group[0] as Values)) if (isSql(value)) sql[key] = value
    const plain = group.map(row => Object.fromEntries(Object.entries(row).filter(([key]) => !(key in sql))))
    return { rows: plain, given: givenKeys(plain), sql }
  })
}
