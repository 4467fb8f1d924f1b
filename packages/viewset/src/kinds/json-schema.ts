/** A JSON Schema, draft 2020-12, as OpenAPI 3.1 has it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** What a client may send, and what it gets. */
export interface JsonSchemas {
  readonly input: JsonSchema
  readonly output: JsonSchema
}

/** One schema for both directions. */
export function bothWays(schema: JsonSchema): JsonSchemas {
  return { input: schema, output: schema }
}

/** The same schema for values that may be null. One with a title stays the object that it is, which has its own name. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, title, enum: values, allOf } = schema
  if (Object.keys(schema).length === 0) return schema
  if (typeof type !== 'string' || title !== undefined || allOf) return { anyOf: [schema, { type: 'null' }] }
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) }
}
