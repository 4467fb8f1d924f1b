import type { ReadContext } from '../kinds/kind.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import { type ContextualSchema, columnSchema } from './column-schema.ts'

const schemas = new WeakMap<ColumnInfo, ContextualSchema>()

/** A key is the same whoever sends it. */
const IN_UTC: ReadContext = { timeZone: 'UTC' }

/** A primary key as a client sent it in JSON, or the messages that say why it cannot be one. */
export function readJsonKey(
  primaryKey: ColumnInfo,
  value: unknown,
): { readonly key: unknown } | { readonly errors: string[] } {
  let schema = schemas.get(primaryKey)
  if (!schema) {
    schema = columnSchema(primaryKey)
    schemas.set(primaryKey, schema)
  }
  const result = schema(IN_UTC).safeParse(value)
  return result.success ? { key: result.data } : { errors: result.error.issues.map(issue => issue.message) }
}
