import type { PlainCheck, ReadContext } from '../kinds/kind.ts'
import { asStored } from '../kinds/text.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import { type ContextualSchema, columnSchema } from './column-schema.ts'
import { plainCheck } from './plain-check.ts'

/** How keys of one column are read. */
interface KeyReader {
  readonly plainCheck: PlainCheck | undefined
  readonly schema: ContextualSchema
}

const readers = new WeakMap<ColumnInfo, KeyReader>()

/** A key is the same whoever sends it. */
const IN_UTC: ReadContext = { timeZone: 'UTC' }

/** A primary key as a client sent it in JSON, or the messages that say why it cannot be one. */
export function readJsonKey(
  primaryKey: ColumnInfo,
  value: unknown,
): { readonly key: unknown } | { readonly errors: string[] } {
  let reader = readers.get(primaryKey)
  if (!reader) {
    const stored = asStored(primaryKey)
    reader = { plainCheck: plainCheck(stored), schema: columnSchema(stored) }
    readers.set(primaryKey, reader)
  }
  if (reader.plainCheck?.(value)) return { key: value }
  const result = reader.schema(IN_UTC).safeParse(value)
  return result.success ? { key: result.data } : { errors: result.error.issues.map(issue => issue.message) }
}
