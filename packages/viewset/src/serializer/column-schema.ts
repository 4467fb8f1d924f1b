import type * as z from 'zod'
import type { PlainCheck, ReadContext } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'
import { asStored } from '../kinds/text.ts'
import type { ColumnInfo } from '../model/model-info.ts'

/** A schema of what a client sends, for those who know what it is read with. */
export type ContextualSchema = (context: ReadContext) => z.ZodType

/**
 * The schema of a column's value as a client sends it; its output is the value as a record holds it (DESIGN, rule 12).
 * Nothing is coerced: `"5"` is not an integer (CONTRACT, "Writing"). Messages are DRF's.
 */
export function columnSchema(column: ColumnInfo, refinement?: z.ZodType): ContextualSchema {
  const { ownType } = column
  return oncePerContext(context => {
    const own = kindOf(column).schema(column, context)
    const schema = ownType ? own.transform(value => ownType.toRecord(value)) : own
    const refined = refinement ? schema.pipe(refinement as z.ZodType<unknown, unknown>) : schema
    return column.nullable ? refined.nullable() : refined
  })
}

/** Makes a schema once for each context that there is: an application has one time zone, or few. */
export function oncePerContext(build: ContextualSchema): ContextualSchema {
  const known = new Map<string, z.ZodType>()
  return context => {
    let schema = known.get(context.timeZone)
    if (!schema) {
      schema = build(context)
      known.set(context.timeZone, schema)
    }
    return schema
  }
}

/**
 * A quick check that accepts almost every value which is right and is stored as it is. What it does not accept may be
 * right all the same: that is for the column's schema to say. `undefined` where there is no such check.
 */
export function plainCheck(column: ColumnInfo): PlainCheck | undefined {
  return column.ownType ? undefined : kindOf(column).plainCheck?.(column)
}

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
