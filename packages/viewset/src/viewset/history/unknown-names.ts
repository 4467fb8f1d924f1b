import { desc, type SQL, sql } from 'drizzle-orm'
import type { History } from '../../model/history.ts'
import type { Database } from '../../store/connection/database.ts'
import { REDACTED } from '../../store/write/record-history.ts'
import { ask } from './entries.ts'
import { translationOf } from './translation.ts'

/** Entries that are looked at. Those of created and deleted records have all names of their time. */
const NEWEST = 1_000

/** The names in the newest entries of a history that neither its model nor its options have. */
async function unknownNames(database: Database, history: History): Promise<readonly string[]> {
  const { table } = history
  const { dialect } = database
  const newest = (column: SQL) => {
    const order = desc(table.id)
    return sql`(select ${column} as part from ${table} order by ${order} limit ${sql.raw(String(NEWEST))}) as newest`
  }
  const parts = [sql`${table.before}`, sql`${table.after}`]
  const keys = [...parts, sql`${table.fixed}`].map(part => {
    return sql`select entry.key from ${newest(part)}, ${dialect.jsonKeys(sql`newest.part`)}`
  })
  const lists = parts.map(part => sql`select ${dialect.jsonText(sql`newest.part`, REDACTED)} from ${newest(part)}`)
  const names = await ask(database, sql.join(keys, sql` union `))
  const redacted = await ask(database, sql.join(lists, sql` union `))
  const translation = translationOf(history)
  const all = [...names.map(([name]) => String(name)), ...redacted.flatMap(([list]) => listOf(list))]
  const unknown = all.filter(name => name !== REDACTED && translation.meaningOf(name).is === 'unknown')
  return [...new Set(unknown)].toSorted()
}

function listOf(json: unknown): readonly string[] {
  return typeof json === 'string' ? JSON.parse(json) : []
}

/**
 * The log message for a history whose entries have names that nothing explains, usually after a migration. `undefined`
 * if there are none.
 */
export async function historyWarning(database: Database, history: History): Promise<string | undefined> {
  const names = await unknownNames(database, history)
  if (names.length === 0) return undefined
  const { name } = history.model
  return (
    `The history of "${name}" has the names ${names.map(one => `"${one}"`).join(', ')}, which the model does not have. ` +
    `Declare each in HistoryTable(${name}, { renamed, renamedRelations, dropped }); until then, no reader sees ` +
    'their values, and states before them are refused.'
  )
}
