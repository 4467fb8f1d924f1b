import { quoteName } from '../model/drizzle.ts'
import type { Database } from './database.ts'
import { insertRows } from './insert-rows.ts'
import { columnName, tableName } from './select.ts'
import type { Link, ToManyRelation } from './to-many.ts'
import { names, runWrite } from './write.ts'
import { updateRows } from './write-many.ts'

const GIVEN = quoteName('_given')

/** Inserts rows into a join table; its other columns get their defaults. */
export async function insertLinks(
  database: Database,
  { links, source, target }: ToManyRelation,
  added: readonly Link[],
): Promise<void> {
  const rows = added.map(link => ({ [source.key]: link.source, [target.key]: link.target }))
  await insertRows(database, links, rows)
}

/** Deletes rows of a join table with one statement. */
export async function deleteLinks(database: Database, relation: ToManyRelation, gone: readonly Link[]): Promise<void> {
  if (gone.length === 0) return
  const { dialect } = database
  const { links: table, source, target } = relation
  const columns = [source, target]
  const statement = database.statement(`delete links ${table.id} ${names(columns)}`, () => {
    const equal = columns.map(column => `${columnName(table, column)} = ${GIVEN}.${quoteName(column.name)}`)
    const given = `select 1 from (${dialect.selectRowSet(columns, 1)}) as ${GIVEN} where ${equal.join(' and ')}`
    return `delete from ${tableName(table)} where exists (${given})`
  })
  const rows = gone.map(link => [dialect.encode(source, link.source), dialect.encode(target, link.target)])
  await runWrite(database, table, statement, [dialect.rowSet(columns, rows)], { deleting: true })
}

/** Sets a foreign key in the records that `target` names; automatic fields are filled. */
export async function setForeignKeys(
  database: Database,
  { model, source }: ToManyRelation,
  changed: readonly Link[],
): Promise<void> {
  const updates = changed.map(link => ({ key: link.target, values: { [source.key]: link.source } }))
  await updateRows(database, model, updates)
}
