import type { JsonSchema } from '../kinds/json-schema.ts'

/** The JSON Schema of a query parameter's values, its description, and for programs the field and lookup. */
export interface QueryParameter extends JsonSchema {
  /** Whether a request without it is rejected. Default false. */
  readonly required?: boolean
  readonly purpose?: 'filter' | 'search' | 'ordering' | 'page'
  /** The field or path, in JSON names. */
  readonly field?: string
  readonly lookup?: string
}

/**
 * The query parameters of a list: the name of each, and the JSON Schema of its values with the parameter's
 * `description`. An array is sent as one text with commas between the items.
 *
 * @example
 * const parameters: QueryParameters = { letter: { type: 'string', pattern: '^[A-Z]$', description: 'A first letter.' } }
 */
export type QueryParameters = Readonly<Record<string, QueryParameter>>

export function isQueryParameters(value: unknown): value is QueryParameters {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
