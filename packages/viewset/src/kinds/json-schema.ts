/** A JSON Schema, draft 2020-12, as OpenAPI 3.1 has it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** What a client may send, and what it gets. */
export interface JsonSchemas {
  readonly input: JsonSchema
  readonly output: JsonSchema
  /** Whether a record holds what a client sends as it is: then what is refined in code is so on the wire. Default false. */
  readonly heldAsSent?: boolean
}

/** One schema for both directions, of values that records hold as they are sent. */
export function bothWays(schema: JsonSchema): JsonSchemas {
  return { input: schema, output: schema, heldAsSent: true }
}

/** The same schema for values that may be null. One with a title stays the object that it is, which has its own name. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, title, enum: values, allOf, anyOf } = schema
  if (isAny(schema)) return schema
  const none = { type: 'null' }
  if (title !== undefined || allOf !== undefined) return { anyOf: [schema, none] }
  if (Array.isArray(anyOf) && type === undefined && values === undefined) return { ...schema, anyOf: [...anyOf, none] }
  if (typeof type !== 'string' || anyOf !== undefined) return { anyOf: [schema, none] }
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) }
}

/** The same schema for values that are not null, which only a schema of any value has to be told. */
export function notNull(schema: JsonSchema): JsonSchema {
  return isAny(schema) ? { ...schema, not: { type: 'null' } } : schema
}

function isAny(schema: JsonSchema): boolean {
  return Object.keys(schema).every(keyword => keyword === 'description')
}
