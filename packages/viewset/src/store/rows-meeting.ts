import { sql } from 'drizzle-orm'
import type { RowSetColumn } from '../model/dialect/dialect.ts'
import { withoutTable } from '../model/drizzle.ts'
import type { PartialUnique } from '../model/model-info.ts'
import type { Database } from './database.ts'
import type { Values } from './write.ts'

const POSITION: RowSetColumn = { name: '_position', kind: 'integer', sqlType: 'integer' }

/** The positions of the rows that meet the condition of a unique index, as the database decides it. */
export async function rowsMeeting(
  database: Database,
  { where, whereColumns }: Pick<PartialUnique, 'where' | 'whereColumns'>,
  rows: readonly Values[],
): Promise<ReadonlySet<number>> {
  if (rows.length === 0) return new Set()
  const { dialect } = database
  const columns = [...whereColumns, POSITION]
  const encoded = rows.map((row, position) => [
    ...whereColumns.map(column => dialect.encode(column, row[column.key] ?? null)),
    position,
  ])
  const rowSet = dialect.rowSet(columns, encoded)
  const condition = dialect.render(sql`(${withoutTable(where)})`, rowSet.length)
  const text = `select "_position" from (${dialect.selectRowSet(columns, 1, true)}) as "_rows" where ${condition.text}`
  const found = await database.run({ text }, [...rowSet, ...condition.values])
  return new Set(found.rows.map(([position]) => Number(position)))
}
