import type * as z from 'zod'
import type { ReadContext } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'
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
