import { quoteName } from '../model/drizzle.ts'
import type { ModelInfo } from '../model/model-info.ts'
import type { Database } from './connection/database.ts'
import type { QuerySet } from './queryset.ts'
import { decodedKeys } from './row-order.ts'
import { valueSet } from './row-set.ts'
import { columnName, tableName, whereClause } from './select.ts'

export async function referrersOf(queryset: QuerySet): Promise<readonly string[]> {
  const { database, model } = queryset
  const { rows: keys } = await database.run({ text: database.dialect.restrictingKeys(model) }, [])
  const names = new Set<string>()
  for (const [table, name, column, target] of keys.map(key => key.map(String))) {
    const { text, values } = queryset.condition()
    const wanted = `select ${quoteName(String(target))} from ${tableName(model)}${whereClause(text)}`
    const found = `select 1 from ${table} where ${quoteName(String(column))} in (${wanted}) limit 1`
    if ((await database.run({ text: found }, values)).rows.length > 0) names.add(String(name))
  }
  return [...names]
}

/**
 * The tables whose rows the database deletes or changes when a record of the model is deleted.
 *
 * @param recorded tables that are left out, since their history has these rows
 */
export async function losingTables(
  database: Database,
  model: ModelInfo,
  recorded: ReadonlySet<string>,
): Promise<readonly string[]> {
  const { dialect } = database
  const [all, restricting] = await Promise.all(
    [dialect.referringKeys(model), dialect.restrictingKeys(model)].map(text => database.run({ text }, [])),
  )
  const isSame = (a: readonly unknown[], b: readonly unknown[]) => String(a) === String(b)
  const losing = all?.rows.filter(key => !restricting?.rows.some(other => isSame(key, other))) ?? []
  // A history has the rows that refer to the primary key.
  const isRecorded = ([, name, , target]: readonly unknown[]) =>
    recorded.has(String(name)) && target === model.primaryKey.name
  return [...new Set(losing.filter(key => !isRecorded(key)).map(([, name]) => String(name)))]
}

interface ReferringTables {
  /** Tables whose rows count only while they are active. */
  readonly softDeleted: readonly string[]
  /** Tables whose rows do not count. */
  readonly own: ReadonlySet<string>
}

/**
 * The records that rows of other tables refer to, also rows that the database would delete with them: the tables by the
 * key of the record.
 */
export async function referredKeys(
  database: Database,
  model: ModelInfo,
  ids: readonly unknown[],
  { softDeleted, own }: ReferringTables,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const { dialect } = database
  const { primaryKey } = model
  const { rows: keys } = await database.run({ text: dialect.referringKeys(model) }, [])
  const found = new Map<string, Set<string>>()
  for (const [table, name, column, target] of keys.map(key => key.map(String))) {
    if (own.has(String(name))) continue
    const isActive = softDeleted.includes(String(name)) ? ' and r."is_active"' : ''
    const wanted = `${columnName(model, primaryKey)} in (${dialect.selectRowSet([primaryKey], 1)})`
    const referring = `select 1 from ${table} as r where r.${quoteName(String(column))} = ${tableName(model)}.${quoteName(String(target))}${isActive}`
    const text = `select ${columnName(model, primaryKey)} from ${tableName(model)} where ${wanted} and exists (${referring})`
    const statement = database.statement(text, () => text)
    const { rows } = await database.run(statement, valueSet(dialect, primaryKey, ids))
    for (const key of decodedKeys(database, model, rows, 0)) {
      const tables = found.get(String(key)) ?? new Set()
      found.set(String(key), tables.add(String(name)))
    }
  }
  return found
}
