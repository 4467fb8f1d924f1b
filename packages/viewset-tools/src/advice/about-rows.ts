import type { Database } from 'viewset'
import type { NamedTable } from 'viewset/dialect'
import { qualifiedName } from 'viewset/internal'

/** The number of rows if that is at most `limit`, or else an estimate. The cost does not grow with the table. */
export async function aboutRows(
  database: Database,
  table: Pick<NamedTable, 'schema' | 'name'>,
  limit: number,
): Promise<number> {
  const { dialect } = database
  const ask = async (text: string) => (await database.run({ text }, [])).rows[0]?.[0]
  const counted = Number(await ask(dialect.countTo(table, '', limit)))
  if (counted <= limit || !dialect.estimate) return counted
  const explained = await ask(dialect.estimate.explain(`select 1 from ${qualifiedName(table)}`))
  return Math.max(counted, dialect.estimate.read(explained))
}
