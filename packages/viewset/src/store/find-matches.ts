import type { RowLock, RowSetColumn } from '../model/dialect/dialect.ts'
import { quoteName } from '../model/drizzle.ts'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import type { Database } from './connection/database.ts'
import { needsRanges, rowsInRanges, withoutCase } from './rows-in-ranges.ts'
import { columnName, tableName, tupleOf, whereClause } from './select.ts'
import { Bound, type Conditional } from './sql-value.ts'
import { lockParents } from './write/lock-parents.ts'

export interface Match {
  readonly position: number
  readonly key: unknown
}

interface RowsOf extends Conditional {
  readonly database: Database
  readonly model: ModelInfo
}

interface MatchOptions {
  readonly columns: readonly ColumnInfo[]
  /** Further columns of the tuples, which must be equal or both null. No index has to serve them. */
  readonly compared?: readonly ColumnInfo[]
  readonly ignoreCase: boolean
  /** The columns whose values are the key of a match: of several columns, a tuple. */
  readonly returned: readonly ColumnInfo[]
  readonly lock: RowLock | undefined
}

const POSITION: RowSetColumn = { name: '_position', kind: 'integer', sqlType: 'integer' }

export async function findMatches(
  set: RowsOf,
  tuples: readonly (readonly unknown[])[],
  options: MatchOptions,
): Promise<readonly Match[]> {
  if (tuples.length === 0) return []
  const { database } = set
  const { dialect } = database
  const columns = [...options.columns, ...(options.compared ?? [])]
  const encoded = tuples.map((tuple, position) => {
    const cells = tuple.map((value, i) => dialect.encode(columns[i] as ColumnInfo, value))
    cells.push(position)
    return cells
  })
  if (options.lock && !options.ignoreCase) {
    const { model } = set
    await lockParents(database, model, bound => {
      const searched = encoded.map(cells => cells.slice(0, options.columns.length))
      return `${tupleOf(model, options.columns)} in (${bound.rows(options.columns, searched)})`
    })
  }
  const bound = new Bound(dialect)
  const text = renderMatches(bound, set, encoded, options)
  const statement = database.statement(text, () => text)
  const { rows } = await database.run(statement, bound.values)
  const decoders = options.returned.map(column => dialect.decoder(column))
  const decoded = (value: unknown, at = 0) => (value === null ? null : decoders[at]?.(value))
  if (decoders.length === 1) {
    return rows.map(([position, key]) => ({ position: Number(position), key: decoded(key) }))
  }
  return rows.map(([position, ...parts]) => ({ position: Number(position), key: parts.map(decoded) }))
}

function renderMatches(
  bound: Bound,
  set: RowsOf,
  rows: readonly (readonly unknown[])[],
  { columns, compared = [], ignoreCase, returned, lock }: MatchOptions,
): string {
  const { dialect } = bound
  const { model } = set
  const table = tableName(model)
  const wanted = [...columns, ...compared, POSITION]
  const given = bound.rows(wanted, rows, true)
  const fold = (column: RowSetColumn, text: string) => {
    return ignoreCase ? withoutCase(dialect, column, text) : text
  }
  const equal = columns
    .map(column => `${fold(column, columnName(model, column))} = "_wanted".${quoteName(column.name)}`)
    .join(' and ')
  // A text is equal to itself only, also in a column whose collation knows no letter case.
  const exactly = (column: ColumnInfo, text: string) => (column.kind === 'text' ? dialect.byCharacters(text) : text)
  const same = compared.map(column => {
    const [stored, given] = [columnName(model, column), `"_wanted".${quoteName(column.name)}`]
    return ` and ${exactly(column, stored)} is not distinct from ${exactly(column, given)}`
  })
  const where = () => whereClause(bound.condition(set))
  const shown = returned.map(column => columnName(model, column))
  const found = `select "_wanted"."_position", ${shown.join(', ')} from`
  const order = model.key.map(column => columnName(model, column)).join(', ')
  const locked = lock ? ` order by ${order}${dialect.lockRows(lock, model.name)}` : ''
  if (!ignoreCase)
    return `${found} (${given}) as "_wanted" join ${table} on ${equal}${same.join('')}${where()}${locked}`
  // Folded once and materialized: without an index on the folded texts, the table is scanned once for all tuples.
  const folded = wanted.map(column => `${fold(column, quoteName(column.name))} as ${quoteName(column.name)}`)
  const kept = `with "_wanted" as materialized (select ${folded.join(', ')} from (${given}) as "_given")`
  if (!needsRanges(dialect, columns)) {
    return `${kept} ${found} "_wanted" join ${table} on ${equal}${where()}${locked}`
  }
  const parts = rowsInRanges(bound, { table, name: table }, columns, rows, from => {
    return `${found} ${from} join "_wanted" on ${equal}${where()}`
  })
  return `${kept} ${parts.join(' union ')}`
}
