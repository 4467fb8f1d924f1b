import { quoteName } from '../model/drizzle.ts'
import type { QuerySet } from './queryset.ts'
import { tableName, whereClause } from './select.ts'

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
