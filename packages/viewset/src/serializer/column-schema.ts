import type * as z from 'zod'
import type { Text } from '../core/messages/message.ts'
import type { PlainCheck, ReadContext } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'
import { CATALOGUE, checkError, textsOf } from '../kinds/schema-parts.ts'
import { asStored } from '../kinds/text.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import { isReserved, reservedProblem } from '../model/reserved-values.ts'

export type ContextualSchema = (context: ReadContext) => z.ZodType

/**
 * The schema of a column's value in requests. Its output is the record's value. No coercion: `"5"` is not an integer.
 */
export function columnSchema(column: ColumnInfo, refinement?: z.ZodType): ContextualSchema {
  const { ownType } = column
  return oncePerContext(context => {
    const kindSchema = kindOf(column).schema(column, context)
    const schema = ownType ? kindSchema.transform(value => ownType.toRecord(value)) : kindSchema
    const refined = refinement ? schema.pipe(refinement as z.ZodType<unknown, unknown>) : schema
    return column.nullable ? refined.nullable() : refined
  })
}

/** Caches the schema by context: an application has one time zone, or few. */
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
 * A quick check that accepts almost all valid values which are stored unchanged. If it rejects a value, the column's
 * schema decides. `undefined` without such a check.
 */
function plainCheck(column: ColumnInfo): PlainCheck | undefined {
  return column.ownType ? undefined : kindOf(column).plainCheck?.(column)
}

/** {@link columnSchema} without the values that no record may get. */
export function storableSchema(column: ColumnInfo, refinement?: z.ZodType): ContextualSchema {
  const schema = columnSchema(column, refinement)
  if (column.kind !== 'text') return schema
  return oncePerContext(context =>
    schema(context).refine(value => !isReserved(column, value), checkError(reservedProblem)),
  )
}

/** {@link plainCheck} without the values that no record may get. */
export function storableCheck(column: ColumnInfo): PlainCheck | undefined {
  const check = plainCheck(column)
  return check && column.kind === 'text' ? value => check(value) && !isReserved(column, value) : check
}

interface ValueReader {
  readonly plainCheck: PlainCheck | undefined
  readonly schema: ContextualSchema
}

const readers = new WeakMap<ColumnInfo, ValueReader>()

/** Keys and guards do not depend on the client's zone. */
const IN_UTC: ReadContext = { timeZone: 'UTC' }

/** Reads a value of a column from JSON, such as a key: in the form that records have. */
export function readJsonValue(
  column: ColumnInfo,
  value: unknown,
): { readonly value: unknown } | { readonly errors: Text[] } {
  let reader = readers.get(column)
  if (!reader) {
    const stored = asStored(column)
    reader = { plainCheck: plainCheck(stored), schema: columnSchema(stored) }
    readers.set(column, reader)
  }
  if (reader.plainCheck?.(value)) return { value }
  const result = reader.schema(IN_UTC).safeParse(value, CATALOGUE)
  return result.success ? { value: result.data } : { errors: textsOf(result.error.issues) }
}
