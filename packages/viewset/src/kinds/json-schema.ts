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

/** The same schema for values that may be null. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema
  if (typeof type !== 'string') return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] }
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) }
}
