import { type SQL, sql } from 'drizzle-orm'
import type { ColumnPath } from '../model/column-path.ts'

/**
 * A condition on the column that a path leads to, as one on the rows that the path starts from.
 *
 * It is a set of keys for each foreign key (`country_id in (select id from countries where ...)`) and no join: the
 * count and the lookup of one record stay as they are, and both databases read the other table first when that is
 * where few rows remain. `orMissing` also lets rows through whose foreign key is null.
 */
export function pathCondition({ steps, column }: ColumnPath, condition: (value: SQL) => SQL, orMissing = false): SQL {
  return steps.reduceRight(
    (inner, { foreignKey, target, model }) => {
      const key = sql`${foreignKey.column}`
      const isAmong = sql`${key} in (select ${target.column} from ${model.table} where ${inner})`
      return orMissing && foreignKey.nullable ? sql`(${key} is null or ${isAmong})` : isAmong
    },
    condition(sql`${column.column}`),
  )
}
