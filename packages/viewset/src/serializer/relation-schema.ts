import * as z from 'zod'
import { drfMessage, NULL } from '../kinds/drf-messages.ts'
import { parsed } from '../kinds/schema-parts.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import type { Values } from '../store/write.ts'
import { type ContextualSchema, columnSchema, oncePerContext } from './column-schema.ts'
import type { ToOneRelation } from './fields.ts'

/** Whether an input is a JSON object. */
export function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * What a client may send for a relation through a foreign key. An object is passed on as it is: the related
 * serializer reads it (see `check-relations.ts`).
 */
export function relationSchema(column: ColumnInfo, relation: ToOneRelation, refinement?: z.ZodType): ContextualSchema {
  const { write, str } = relation
  // What stands for the record may be null; the foreign key decides whether the record may be.
  if (write === 'str' && str) return columnSchema({ ...str, nullable: column.nullable }, refinement)
  if (write !== 'data' && write !== 'flexible') return columnSchema(column, refinement)
  if (write === 'data') {
    const object = parsed(value => (isObject(value) ? value : undefined), 'Invalid data. Expected an object.')
    const schema = column.nullable ? object.nullable() : object
    return () => schema
  }
  const identifier = columnSchema(column, refinement)
  return oncePerContext(context => objectOr(identifier(context)))
}

function objectOr(identifier: z.ZodType): z.ZodType {
  return z.unknown().transform((value, issues) => {
    if (isObject(value)) return value
    const result = identifier.safeParse(value, { error: drfMessage })
    if (result.success) return result.data
    for (const { message } of result.error.issues) issues.addIssue({ code: 'custom', message })
    return z.NEVER
  })
}

/** A list of identifiers; one that occurs twice counts once, as in a set. */
export function keyListSchema(key: ColumnInfo): ContextualSchema {
  const item = columnSchema({ ...key, nullable: false })
  return oncePerContext(context =>
    z.array(item(context), {
      error: ({ input }) => (input === null ? NULL : 'Expected a list of identifiers.'),
    }),
  )
}
