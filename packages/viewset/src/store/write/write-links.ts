import { quoteName } from '../../model/drizzle.ts'
import type { Database } from '../connection/database.ts'
import { columnName } from '../select.ts'
import type { Bound } from '../sql-value.ts'
import type { Link, ToManyRelation } from '../to-many.ts'
import { executeWrite } from './execute-write.ts'

const GIVEN = quoteName('_given')

export async function insertLinks(
  database: Database,
  { links, source, target }: ToManyRelation,
  added: readonly Link[],
): Promise<void> {
  const rows = added.map(link => ({ [source.key]: link.source, [target.key]: link.target }))
  await executeWrite(database, { kind: 'insert', model: links, rows })
}

export async function deleteLinks(
  database: Database,
  { links: model, source, target }: ToManyRelation,
  gone: readonly Link[],
): Promise<void> {
  if (gone.length === 0) return
  const { dialect } = database
  const columns = [source, target]
  const rows = gone.map(link => [dialect.encode(source, link.source), dialect.encode(target, link.target)])
  const equal = columns.map(column => `${columnName(model, column)} = ${GIVEN}.${quoteName(column.name)}`)
  const where = (bound: Bound) =>
    `exists (select 1 from (${bound.rows(columns, rows)}) as ${GIVEN} where ${equal.join(' and ')})`
  await executeWrite(database, { kind: 'delete', model, where })
}

export async function setForeignKeys(
  database: Database,
  { model, source }: ToManyRelation,
  changed: readonly Link[],
): Promise<void> {
  const rows = changed.map(link => ({ key: link.target, values: { [source.key]: link.source } }))
  await executeWrite(database, { kind: 'update', model, rows })
}
