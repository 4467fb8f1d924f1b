import type * as z from 'zod'
import { type FieldErrors, NON_FIELD_ERRORS, ValidationError } from '../core/errors.ts'
import { drfMessage } from '../kinds/schema-parts.ts'

/**
 * Reads an input by a schema of the user's own; errors are keyed by dotted paths (CONTRACT, "Envelope").
 *
 * @throws ValidationError
 */
export function validateInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input, { error: drfMessage })
  if (result.success) return result.data
  const errors: FieldErrors = {}
  for (const { path, message } of result.error.issues) {
    const name = path.length === 0 ? NON_FIELD_ERRORS : path.join('.')
    errors[name] = [...(errors[name] ?? []), message]
  }
  throw new ValidationError(errors)
}
