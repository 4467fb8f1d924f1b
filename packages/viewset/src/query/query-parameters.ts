import type { JsonSchema } from '../kinds/json-schema.ts'

/**
 * The JSON Schema of a query parameter's values, and what it is for, where a program shall know: a field and the lookup
 * that it is asked by.
 */
export interface QueryParameter extends JsonSchema {
  /** Whether a request without it is refused. Default false. */
  readonly required?: boolean
  readonly purpose?: 'filter' | 'search' | 'ordering' | 'page'
  /** The field or path, as the wire has it. */
  readonly field?: string
  readonly lookup?: string
}

/**
 * What a list reads of the query string: the name of each parameter, and the JSON Schema of its values, whose
 * `description` is the parameter's. An array is sent as one text with commas between the items.
 *
 * @example
 * const parameters: QueryParameters = { letter: { type: 'string', pattern: '^[A-Z]$', description: 'A first letter.' } }
 */
export type QueryParameters = Readonly<Record<string, QueryParameter>>

/** Whether somebody's own filter or pagination says what it reads. */
export function isQueryParameters(value: unknown): value is QueryParameters {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
