import * as z from 'zod'
import { Message, message } from '../../core/messages/message.ts'
import { shownValue } from '../../core/text.ts'
import { CATALOGUE, checkError, jsonType, parsed, textOf, typeError } from '../../kinds/schema-parts.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import type { Values } from '../../store/write/write.ts'
import { type ContextualSchema, columnSchema, oncePerContext } from '../column-schema.ts'
import type { ToOneRelation } from '../fields.ts'

export function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The schema of a relation through a foreign key. Objects pass through: the related serializer reads them (see
 * `check-relations.ts`).
 */
export function relationSchema(column: ColumnInfo, relation: ToOneRelation, refinement?: z.ZodType): ContextualSchema {
  const { write, str } = relation
  // The display value may be null; the foreign key decides whether the record may be.
  if (write === 'str' && str) {
    return keySchema({ ...str, nullable: column.nullable }, () => str, refinement)
  }
  if (write !== 'data' && write !== 'flexible') {
    return withInput(
      keySchema(column, () => relation.target, refinement),
      relation.input,
    )
  }
  if (write === 'data') {
    const object = parsed(value => (isObject(value) ? value : undefined), message('not_an_object.here'))
    const schema = column.nullable ? object.nullable() : object
    return () => schema
  }
  const identifier = columnSchema(column, refinement)
  return oncePerContext(context => objectOr(identifier(context)))
}

/**
 * A foreign key's schema. It has its own message for objects, because clients send back the shown record. `target` is
 * resolved later, because tables refer to each other.
 */
export function keySchema(
  column: ColumnInfo,
  target: () => ColumnInfo,
  refinement: z.ZodType | undefined,
): ContextualSchema {
  const key = columnSchema(column, refinement)
  return oncePerContext(context => {
    const schema = key(context)
    return z.unknown().transform((value, issues) => {
      const result = schema.safeParse(value, CATALOGUE)
      if (result.success) return result.data
      const messages = isObject(value)
        ? [String(message('key_expected', { key: target().wire }))]
        : result.error.issues.map(issue => (isNoKey(target(), issue) ? noKey(target(), value) : issue.message))
      for (const message of messages) issues.addIssue({ code: 'custom', message })
      return z.NEVER
    })
  })
}

/** Clients often send a name or a code in place of a key. */
function isNoKey({ primaryKey }: ColumnInfo, issue: z.core.$ZodIssue): boolean {
  const text = textOf(issue)
  if (!(text instanceof Message)) return false
  return text.name === 'invalid_integer' || text.name === 'invalid_uuid' || (primaryKey && text.name === 'max_length')
}

function noKey({ wire }: ColumnInfo, value: unknown): string {
  return String(message('key_expected.value', { key: wire, value: shownValue(value) }))
}

function objectOr(identifier: z.ZodType): z.ZodType {
  return z.unknown().transform((value, issues) => {
    if (isObject(value)) return value
    const result = identifier.safeParse(value, CATALOGUE)
    if (result.success) return result.data
    for (const { message } of result.error.issues) issues.addIssue({ code: 'custom', message })
    return z.NEVER
  })
}

/** A schema for another form of a value: `input` makes the value that `schema` reads. Null is null in each form. */
function withInput(schema: ContextualSchema, input: z.ZodType | undefined): ContextualSchema {
  if (!input) return schema
  return oncePerContext(context => {
    const value = schema(context)
    return z.unknown().transform((given, issues) => {
      const read = given === undefined || given === null ? undefined : input.safeParse(given, CATALOGUE)
      const result = read && !read.success ? read : value.safeParse(read ? read.data : given, CATALOGUE)
      if (result.success) return result.data
      for (const { message } of result.error.issues) issues.addIssue({ code: 'custom', message })
      return z.NEVER
    })
  })
}

function notAList(name: 'not_a_list.keys' | 'not_a_list.items'): (value: unknown) => Message {
  return value => message(name, { found: jsonType(value) })
}

/** A list of identifiers. Repeated ones count once. */
export function keyListSchema(key: ColumnInfo, input: z.ZodType | undefined): ContextualSchema {
  const item = withInput(
    keySchema({ ...key, nullable: false }, () => key, undefined),
    input,
  )
  return oncePerContext(context => z.array(item(context), typeError(notAList('not_a_list.keys'))))
}

/** A list of records and identifiers, which `check-lists.ts` reads. */
export function recordListSchema(max: number): ContextualSchema {
  return oncePerContext(() =>
    z
      .array(z.unknown(), typeError(notAList('not_a_list.items')))
      .max(max, checkError(message('max_length.items', { max }))),
  )
}
