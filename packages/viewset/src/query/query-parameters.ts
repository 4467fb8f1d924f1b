import type { JsonSchema } from '../kinds/json-schema.ts'

/**
 * What a list reads of the query string: the name of each parameter, and the JSON Schema of its values, whose
 * `description` is the parameter's. An array is sent as one text with commas between the items.
 *
 * @example
 * const parameters: QueryParameters = { letter: { type: 'string', pattern: '^[A-Z]$', description: 'A first letter.' } }
 */
export type QueryParameters = Readonly<Record<string, JsonSchema>>

/** Whether somebody's own filter or pagination says what it reads. */
export function isQueryParameters(value: unknown): value is QueryParameters {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
