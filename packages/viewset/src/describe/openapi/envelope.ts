import type { JsonSchema } from '../../kinds/json-schema.ts'
import { listSchema, objectSchema, TEXT } from '../../viewset/description/route-description.ts'

const TIMESTAMP = { type: 'string', format: 'date-time' }
const NULL = { type: 'null' }

/**
 * The standard response envelope around data. No other keys are in it, unless nothing is known of the data: then the
 * action may answer with whatever a `Reply` can hold.
 */
export function envelopeSchema(
  data: JsonSchema,
  success = true,
  more: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const own = { success: { type: 'boolean', const: success }, timestamp: TIMESTAMP, message: TEXT, data }
  const isKnown = Object.keys(data).length > 0
  return { ...objectSchema({ ...own, ...more }), ...(isKnown && { additionalProperties: false }) }
}

const ERRORS: JsonSchema = {
  title: 'FieldErrors',
  description: 'Messages by field; what belongs to no field stands under non_field_errors.',
  type: 'object',
  additionalProperties: listSchema(TEXT),
}

/** The envelope of a refusal. */
export const ERROR: JsonSchema = { title: 'Error', ...envelopeSchema(NULL, false) }

/** The envelope of a refusal that says what is wrong with which field. */
export const FIELD_ERROR: JsonSchema = {
  title: 'ValidationError',
  ...envelopeSchema(NULL, false, { errors: ERRORS }),
}
