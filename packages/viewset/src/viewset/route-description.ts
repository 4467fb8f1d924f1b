import type { JsonSchema } from '../kinds/json-schema.ts'

/** What a route takes and what it gives, as JSON Schema (draft 2020-12): for a description of the whole API. */
export interface RouteDescription {
  /** What it does, in one sentence. */
  readonly summary: string
  /** The query parameters that it reads, by their names. */
  readonly query?: Readonly<Record<string, JsonSchema>>
  /** The body that it reads; none without it. */
  readonly body?: JsonSchema
  /** The media type of the body. Default `application/json`. */
  readonly bodyType?: string
  /** `data` of the envelope of a successful answer; without it, `null`. */
  readonly data?: JsonSchema
  /** Media types of an answer that is a file instead of an envelope. */
  readonly fileTypes?: readonly string[]
}

/** A list of values. */
export function listSchema(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

/** An object with these properties, all of which are there but the `optional` ones. */
export function objectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties).filter(name => !optional.includes(name)) }
}

/** What an action answers that may be set not to return the record: the record, or an empty object. */
export function recordOrNothing(record: JsonSchema, returnsData: boolean | undefined): JsonSchema {
  return returnsData === false ? { type: 'object', additionalProperties: false } : record
}

/** What a bulk action answers: the records in the order of the request, or their number. */
export function recordsOrCount(record: JsonSchema, returnsData: boolean | undefined): JsonSchema {
  return returnsData === false ? objectSchema({ count: WHOLE_NUMBER }) : listSchema(record)
}

export const TEXT: JsonSchema = { type: 'string' }
export const BOOLEAN: JsonSchema = { type: 'boolean' }
export const WHOLE_NUMBER: JsonSchema = { type: 'integer', minimum: 0 }

/** Query parameters of which no more is known than what they are called. */
export function parameterSchemas(names: readonly string[]): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(names.map(name => [name, TEXT]))
}
