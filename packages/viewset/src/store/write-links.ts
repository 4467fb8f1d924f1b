import { is, SQL } from 'drizzle-orm'
import { quoteName } from '../model/drizzle.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import type { Database } from './database.ts'
import { columnName, tableName } from './select.ts'
import type { Link, ToManyRelation } from './to-many.ts'
import { names, runWrite } from './write.ts'

const GIVEN = quoteName('_given')

/** Inserts rows into a join table with one statement; its other columns get their defaults. */
export async function insertLinks(database: Database, relation: ToManyRelation, added: readonly Link[]): Promise<void> {
  if (added.length === 0) return
  const { dialect } = database
  const { links: table } = relation
  const automatic = otherColumns(relation).filter(column => column.createValue)
  const columns = [relation.source, relation.target, ...automatic]
  const statement = database.statement(`insert links ${table.id} ${names(columns)}`, () => {
    return `insert into ${tableName(table)} (${names(columns)}) ${dialect.selectRowSet(columns, 1)}`
  })
  const made = () => automatic.map(column => dialect.encode(column, column.createValue?.()))
  await runWrite(database, table, statement, [dialect.rowSet(columns, rowsOf(database, relation, added, made))])
}

/** Deletes rows of a join table with one statement. */
export async function deleteLinks(database: Database, relation: ToManyRelation, gone: readonly Link[]): Promise<void> {
  if (gone.length === 0) return
  const { dialect } = database
  const { links: table, source, target } = relation
  const columns = [source, target]
  const statement = database.statement(`delete links ${table.id} ${names(columns)}`, () => {
    const equal = columns.map(column => `${columnName(table, column)} = ${givenColumn(column)}`)
    const given = `select 1 from (${dialect.selectRowSet(columns, 1)}) as ${GIVEN} where ${equal.join(' and ')}`
    return `delete from ${tableName(table)} where exists (${given})`
  })
  await runWrite(database, table, statement, [dialect.rowSet(columns, rowsOf(database, relation, gone))], true)
}

/** Sets a foreign key in the rows that `target` names, with one statement; audit fields are filled. */
export async function setForeignKeys(
  database: Database,
  relation: ToManyRelation,
  changed: readonly Link[],
): Promise<void> {
  if (changed.length === 0) return
  const { dialect } = database
  const { links: table, source, target } = relation
  const automatic = automaticValues(otherColumns(relation))
  const columns = [source, target]
  const set = [...automatic.keys()]
  const statement = database.statement(`set ${table.id} ${names(columns)} ${names(set)}`, () => {
    const assignments = [
      ...set.map((column, i) => `${quoteName(column.name)} = ${dialect.placeholder(i + 1)}`),
      `${quoteName(source.name)} = ${givenColumn(source)}`,
    ]
    const given = `(${dialect.selectRowSet(columns, set.length + 1)}) as ${GIVEN}`
    const where = `${columnName(table, target)} = ${givenColumn(target)}`
    return `update ${tableName(table)} set ${assignments.join(', ')} from ${given} where ${where}`
  })
  const bound = [...automatic].map(([column, value]) => dialect.encode(column, value))
  const given = dialect.rowSet(columns, rowsOf(database, relation, changed))
  await runWrite(database, table, statement, [...bound, given])
}

function otherColumns({ links, source, target }: ToManyRelation): readonly ColumnInfo[] {
  return links.columns.filter(column => column !== source && column !== target)
}

function givenColumn({ name }: ColumnInfo): string {
  return `${GIVEN}.${quoteName(name)}`
}

/** Links as rows that travel with a statement: source, target, and what `more` makes for each. */
function rowsOf(
  { dialect }: Database,
  { source, target }: ToManyRelation,
  links: readonly Link[],
  more: () => readonly unknown[] = () => [],
): readonly (readonly unknown[])[] {
  return links.map(link => [dialect.encode(source, link.source), dialect.encode(target, link.target), ...more()])
}

/** What an update sets by itself. An automatic value of SQL is the column itself: it stays as it is. */
function automaticValues(columns: readonly ColumnInfo[]): ReadonlyMap<ColumnInfo, unknown> {
  const values = columns.map(column => [column, column.updateValue?.()] as const)
  return new Map(values.filter(([, value]) => value !== undefined && !is(value, SQL)))
}
