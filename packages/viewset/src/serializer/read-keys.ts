import type * as z from 'zod'
import type { ColumnInfo } from '../model/model-info.ts'
import { columnSchema } from './column-schema.ts'

const schemas = new WeakMap<ColumnInfo, z.ZodType>()

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
  const result = schema.safeParse(value)
  return result.success ? { key: result.data } : { errors: result.error.issues.map(issue => issue.message) }
}
