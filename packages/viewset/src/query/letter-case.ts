import { type SQL, sql } from 'drizzle-orm'
import type { ColumnInfo } from '../model/model-info.ts'
import type { Dialect } from '../store/dialect/dialect.ts'

/** A column's value where the case of letters is ignored: in any script, whatever the column is ordered by. */
export function inAnyCase(dialect: Dialect, column: ColumnInfo, value: SQL): SQL {
  const suffix = dialect.letterCase(column)
  return suffix === '' ? value : sql`(${value}${sql.raw(suffix)})`
}
