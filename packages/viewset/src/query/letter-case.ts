import { type SQL, sql } from 'drizzle-orm'
import type { Dialect } from '../model/dialect/dialect.ts'
import type { ColumnInfo } from '../model/model-info.ts'

/** A column's value where the case of letters is ignored: in any script, whatever the column is ordered by. */
export function inAnyCase(dialect: Dialect, column: ColumnInfo, value: SQL): SQL {
  const suffix = dialect.letterCase(column)
  return suffix === '' ? value : sql`(${value}${sql.raw(suffix)})`
}
