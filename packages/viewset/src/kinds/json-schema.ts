/** A JSON Schema, draft 2020-12, as OpenAPI 3.1 has it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** The schemas of requests and responses. */
export interface JsonSchemas {
  readonly input: JsonSchema
  readonly output: JsonSchema
  /**
   * Whether a record holds the value exactly as a client sends it. Only then does a `refine` in code describe the JSON
   * too. Default false.
   */
  readonly heldAsSent?: boolean
}

export function bothWays(schema: JsonSchema): JsonSchemas {
  return { input: schema, output: schema, heldAsSent: true }
}

export function orNull(schema: JsonSchema): JsonSchema {
  const { type, title, enum: values, allOf, anyOf } = schema
  if (isAny(schema)) return schema
  const none = { type: 'null' }
  if (title !== undefined || allOf !== undefined) return { anyOf: [schema, none] }
  if (Array.isArray(anyOf) && type === undefined && values === undefined) return { ...schema, anyOf: [...anyOf, none] }
  if (typeof type !== 'string' || anyOf !== undefined) return { anyOf: [schema, none] }
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) }
}

/**
 * A key or an object. No value is both, unless the key may be anything. Generators of clients understand `oneOf` of
 * these, but no `anyOf`.
 */
export function keyOrObject(key: JsonSchema, object: JsonSchema): JsonSchema {
  return { [isAny(key) ? 'anyOf' : 'oneOf']: [key, object] }
}

/** Only a schema of any value allows null. */
export function notNull(schema: JsonSchema): JsonSchema {
  return isAny(schema) ? { ...schema, not: { type: 'null' } } : schema
}

function isAny(schema: JsonSchema): boolean {
  return Object.keys(schema).every(keyword => keyword === 'description')
}
