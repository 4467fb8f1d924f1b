import { is, SQL } from 'drizzle-orm'
import { quoteName } from '../model/drizzle.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import type { Database } from './database.ts'
import { columnName, tableName } from './select.ts'
import type { Link, ToManyRelation } from './to-many.ts'
import { names, runWrite } from './write.ts'

const GIVEN = quoteName('_given')

/** Inserts rows into a join table with one statement; its other columns get their defaults. */
export async function insertLinks(
  database: Database,
  { links: table, source, target }: ToManyRelation,
  links: readonly Link[],
): Promise<void> {
  if (links.length === 0) return
  const { dialect } = database
  const automatic = table.columns.filter(column => column.createValue && column !== source && column !== target)
  const columns = [source, target, ...automatic]
  const statement = database.statement(`insert links ${table.id} ${names(columns)}`, () => {
    return `insert into ${tableName(table)} (${names(columns)}) ${dialect.selectRowSet(columns, 1)}`
  })
  const rows = links.map(link => [
    dialect.encode(source, link.source),
    dialect.encode(target, link.target),
    ...automatic.map(column => dialect.encode(column, column.createValue?.())),
  ])
  await runWrite(database, table, statement, [dialect.rowSet(columns, rows)])
}

/** Deletes rows of a join table with one statement. */
export async function deleteLinks(
  database: Database,
  { links: table, source, target }: ToManyRelation,
  links: readonly Link[],
): Promise<void> {
  if (links.length === 0) return
  const { dialect } = database
  const columns = [source, target]
  const statement = database.statement(`delete links ${table.id} ${names(columns)}`, () => {
    const equal = columns.map(column => `${columnName(table, column)} = ${GIVEN}.${quoteName(column.name)}`)
    const given = `select 1 from (${dialect.selectRowSet(columns, 1)}) as ${GIVEN} where ${equal.join(' and ')}`
    return `delete from ${tableName(table)} where exists (${given})`
  })
  const rows = links.map(link => [dialect.encode(source, link.source), dialect.encode(target, link.target)])
  await runWrite(database, table, statement, [dialect.rowSet(columns, rows)], true)
}

/** Sets a foreign key in the rows that `target` names, with one statement; audit fields are filled. */
export async function setForeignKeys(
  database: Database,
  { links: table, source, target }: ToManyRelation,
  links: readonly Link[],
): Promise<void> {
  if (links.length === 0) return
  const { dialect } = database
  const automatic = automaticValues(table.columns.filter(column => column !== source && column !== target))
  const columns = [target, source]
  const set = [...automatic.keys()]
  const statement = database.statement(`set ${table.id} ${names(columns)} ${names(set)}`, () => {
    const assignments = [
      ...set.map((column, i) => `${quoteName(column.name)} = ${dialect.placeholder(i + 1)}`),
      `${quoteName(source.name)} = ${GIVEN}.${quoteName(source.name)}`,
    ]
    const given = `(${dialect.selectRowSet(columns, set.length + 1)}) as ${GIVEN}`
    const where = `${columnName(table, target)} = ${GIVEN}.${quoteName(target.name)}`
    return `update ${tableName(table)} set ${assignments.join(', ')} from ${given} where ${where}`
  })
  const rows = links.map(link => [dialect.encode(target, link.target), dialect.encode(source, link.source)])
  const bound = [...automatic].map(([column, value]) => dialect.encode(column, value))
  await runWrite(database, table, statement, [...bound, dialect.rowSet(columns, rows)])
}

/** What an update sets by itself. An automatic value of SQL is the column itself: it stays as it is. */
function automaticValues(columns: readonly ColumnInfo[]): ReadonlyMap<ColumnInfo, unknown> {
  const values = columns.map(column => [column, column.updateValue?.()] as const)
  return new Map(values.filter(([, value]) => value !== undefined && !is(value, SQL)))
}
