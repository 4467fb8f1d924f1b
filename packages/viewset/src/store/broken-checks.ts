import type { SQL } from 'drizzle-orm'
import { quoteName } from '../model/drizzle.ts'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import type { Database } from './database.ts'
import { renderExpression } from './render-projection.ts'
import type { Values } from './write.ts'

/** The check constraints that a record with these values would not meet; what is not given is null. */
export async function brokenChecks(database: Database, model: ModelInfo, record: Values): Promise<readonly SQL[]> {
  const { checks, columns, schema, name } = model
  // Checks name their table, and no derived table can be called as one in a schema is.
  if (checks.length === 0 || schema !== undefined) return []
  const { dialect } = database
  const values: unknown[] = []
  const tests = checks.map(check => {
    const { text, values: own } = renderExpression(database, check, values.length)
    values.push(...own)
    return `case when not ${text} then 1 else 0 end`
  })
  const given = columns.map(column => {
    values.push(dialect.encode(column, record[column.key]))
    return `${typed(column, dialect.typedPlaceholder(column, values.length))} as ${quoteName(column.name)}`
  })
  const text = `select ${tests.join(', ')} from (select ${given.join(', ')}) as ${quoteName(name)}`
  const { rows } = await database.run({ text }, values)
  return checks.filter((_, index) => Number(rows[0]?.[index]) === 1)
}

/** A decimal is a number to a check; sent as text, it would be text to SQLite. */
function typed({ kind }: ColumnInfo, placeholder: string): string {
  return kind === 'decimal' ? `cast(${placeholder} as numeric)` : placeholder
}
