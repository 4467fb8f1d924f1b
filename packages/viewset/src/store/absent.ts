import { sql } from 'drizzle-orm'
import type { RowSetColumn } from '../model/dialect/dialect.ts'
import { quoteName, withoutTable } from '../model/drizzle.ts'
import type { ColumnInfo, PartialUnique } from '../model/model-info.ts'
import type { Database } from './connection/database.ts'
import type { QuerySet } from './queryset.ts'
import { columnName, tableName } from './select.ts'
import type { Values } from './write/write.ts'

interface Wanted {
  readonly queryset: QuerySet
  readonly column: ColumnInfo
  readonly values: readonly unknown[]
}

const POSITION: RowSetColumn = { name: '_position', kind: 'integer', sqlType: 'integer' }
const WANTED = '"_wanted"'

/**
 * The values of each list that its set lacks: usually none, so that nothing is sent back. One statement for all lists.
 */
export async function absent(database: Database, lists: readonly Wanted[]): Promise<readonly ReadonlySet<unknown>[]> {
  if (lists.length === 0) return []
  const { dialect } = database
  const values: unknown[] = []
  const parts = lists.map(({ queryset, column, values: wanted }) => {
    const columns = [column, POSITION]
    const rows = wanted.map((value, position) => [dialect.encode(column, value), position])
    const rowsAt = values.length + 1
    values.push(...dialect.rowSet(columns, rows))
    const scope = queryset.condition(values.length)
    values.push(...scope.values)
    return { columns, model: queryset.model, rowsAt, scope: scope.text }
  })
  const shape = parts.map(({ columns: [column], model, scope }) => `${model.id} ${column?.name} ${scope ?? ''}`)
  const statement = database.statement(`absent ${shape.join('; ')}`, () => {
    const selects = parts.map(({ columns, model, rowsAt, scope }, index) => {
      const column = columns[0] as ColumnInfo
      const equal = `${columnName(model, column)} = ${WANTED}.${quoteName(column.name)}`
      const matches = scope === undefined ? equal : `${equal} and ${scope}`
      const found = `exists (select 1 from ${tableName(model)} where ${matches})`
      const rows = dialect.selectRowSet(columns, rowsAt)
      return `select ${index}, ${WANTED}."_position" from (${rows}) as ${WANTED} where not ${found}`
    })
    return selects.join(' union all ')
  })
  const missing = lists.map(() => new Set<unknown>())
  for (const [list, position] of (await database.run(statement, values)).rows) {
    missing[Number(list)]?.add(lists[Number(list)]?.values[Number(position)])
  }
  return missing
}

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
