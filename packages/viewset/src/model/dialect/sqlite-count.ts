import { quoteName } from '../drizzle.ts'
import { countSome } from './count-some.ts'
import type { NamedTable } from './dialect.ts'

/**
 * Counts to a limit. A whole table is counted by its pages, which is quicker than row by row; that it cannot have more
 * rows than the limit, the first and the last rowid tell. Where it has more, the numbers of its first rows tell about how
 * many: `limit` and one rows take so much of all numbers that were given.
 *
 * A view, and a table that does without, has no rowid. The name is null there, which stands around each subquery for it, and
 * the rows are counted one by one; so are those of an empty table.
 */
export function sqliteCountTo(table: Pick<NamedTable, 'name'>, where: string, limit: number): string {
  const name = quoteName(table.name)
  if (where !== '') return countSome(name, where, limit)
  const rowid = (rest: string) => `(select rowid from ${name} order by rowid${rest})`
  return `select coalesce((
    with "_ends" as materialized (
      select ${rowid(' limit 1')} as low, ${rowid(' desc limit 1')} as high from (select null as rowid)
    ), "_walked" as materialized (
      select low, high, case when high - low >= ${limit} then ${rowid(` limit 1 offset ${limit}`)} end as reached
      from "_ends", (select null as rowid)
    )
    select case
      when low is null then null
      when reached is null then (select count(*) from ${name})
      else cast(max(${limit + 1}, min(${Number.MAX_SAFE_INTEGER}, 1 + ${limit}.0 * (high - low) / (reached - low))) as integer)
    end from "_walked"
  ), (${countSome(name, '', limit)}))`
}
