import type { NamedTable } from '../model/dialect/dialect.ts'
import { quoteName } from '../model/drizzle.ts'
import type { Database } from './database.ts'

/** How many rows a table has, if that is at most `limit`; else about how many, at a cost that does not grow with them. */
export async function aboutRows(
  database: Database,
  table: Pick<NamedTable, 'schema' | 'name'>,
  limit: number,
): Promise<number> {
  const { dialect } = database
  const ask = async (text: string) => (await database.run({ text }, [])).rows[0]?.[0]
  const counted = Number(await ask(dialect.countTo(table, '', limit)))
  if (counted <= limit || !dialect.estimate) return counted
  const { schema, name } = table
  const from = schema === undefined ? quoteName(name) : `${quoteName(schema)}.${quoteName(name)}`
  return Math.max(counted, dialect.estimate.read(await ask(dialect.estimate.explain(`select 1 from ${from}`))))
}
