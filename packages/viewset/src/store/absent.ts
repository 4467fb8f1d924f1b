import type { RowSetColumn } from '../model/dialect/dialect.ts'
import { quoteName } from '../model/drizzle.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import type { Database } from './database.ts'
import type { QuerySet } from './queryset.ts'
import { columnName, tableName } from './select.ts'

/** Values that rows of a set should have in a column. */
export interface Wanted {
  readonly queryset: QuerySet
  readonly column: ColumnInfo
  readonly values: readonly unknown[]
}

const POSITION: RowSetColumn = { name: '_position', kind: 'integer', sqlType: 'integer' }
const WANTED = '"_wanted"'

/**
 * Of each list of values, those that its set does not have: mostly none, so that nothing has to be sent. One statement
 * for all lists, however long they are.
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
