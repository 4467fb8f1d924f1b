import type { DatabaseFault } from '../model/dialect/fault.ts'
import type { ColumnInfo, TableInfo } from '../model/model-info.ts'
import type { Values } from './write.ts'

/**
 * The columns that a fault is about, as far as the database tells: by their names, by the name of a constraint, or by
 * the value that it could not read, which is then looked for in what was written.
 */
export function columnsOf(fault: DatabaseFault, table: TableInfo, rows: readonly Values[] = []): readonly ColumnInfo[] {
  const { columns = [], constraint } = fault
  const told = columns.flatMap(name => table.columns.find(column => column.name === name) ?? [])
  // An index over an expression does not tell all columns by their names, so the constraint has the second word.
  if (told.length === columns.length && told.length > 0) return told
  if (constraint !== undefined) return table.constraints.get(constraint) ?? namedIn(constraint, table)
  return fault.unreadable ? holdersOf(fault.unreadable, table, rows) : []
}

/**
 * Of a constraint that the schema does not know. PostgreSQL names one after its table and column where nobody does;
 * SQLite tells its expression.
 */
function namedIn(constraint: string, { name: table, columns }: TableInfo): readonly ColumnInfo[] {
  const only = columns.find(({ name }) => constraint.replace(/_check\d*$/, '') === `${table}_${name}`)
  if (only) return [only]
  const words = new Set(constraint.replace(/'[^']*'/g, '').match(/\w+/g))
  // A word is a name, and not an expression that has one.
  return words.size > 1 ? columns.filter(({ name }) => words.has(name)) : []
}

/** The columns that were given the value; of several, the one whose type could not read it. */
function holdersOf(
  { text, type }: NonNullable<DatabaseFault['unreadable']>,
  { columns }: TableInfo,
  rows: readonly Values[],
): readonly ColumnInfo[] {
  const isOfType = ({ sqlType }: ColumnInfo) => sqlType.replace(/[("[ ].*|^"/g, '') === type
  const given = columns.filter(({ key }) => rows.some(row => row[key] !== undefined && row[key] !== null))
  const holders = given.filter(({ key }) => rows.some(row => [row[key]].flat(9).some(value => String(value) === text)))
  const narrowed = [holders, holders.filter(isOfType), given.filter(isOfType)]
  return narrowed.find(candidates => candidates.length === 1) ?? []
}
