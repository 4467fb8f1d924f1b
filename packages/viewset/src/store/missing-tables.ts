import type { TableInfo } from '../model/model-info.ts'
import type { Database } from './database.ts'

/** The names of those tables that the database does not have, asked by one statement. */
export async function findMissingTables(
  { driver }: Database,
  tables: readonly TableInfo[],
): Promise<readonly string[]> {
  const asked = JSON.stringify(tables.map(({ schema = null, name }) => ({ schema, name })))
  const { rows } = await driver.run({ text: driver.dialect.findMissingTables }, [asked])
  return rows.map(([position]) => {
    const { schema, name } = tables[Number(position)] as TableInfo
    return schema === undefined ? name : `${schema}.${name}`
  })
}

/** What the log says where a table is missing; a first start without migrations is the usual case. */
export function missingTable(name: string): string {
  return `table ${name} does not exist: run your migrations`
}
