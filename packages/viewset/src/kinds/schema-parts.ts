import * as z from 'zod'
import { NULL, REQUIRED } from './drf-messages.ts'

/** DRF's wording for a value of the wrong type; a missing value and a null have their own. */
export function typeError(message: string) {
  return {
    error: ({ input }: { readonly input?: unknown }) =>
      input === undefined ? REQUIRED : input === null ? NULL : message,
  }
}

/**
 * A schema for values that `read` understands; `undefined` from `read` is an error.
 *
 * @param problem what is said of another value, or how that is found out
 */
export function parsed<T>(read: (value: unknown) => T | undefined, problem: string | ((value: unknown) => string)) {
  return z.unknown().transform((value, context): T => {
    const result = value === undefined || value === null ? undefined : read(value)
    if (result !== undefined) return result
    const message = typeof problem === 'string' ? problem : problem(value)
    context.addIssue({ code: 'custom', message: value === undefined ? REQUIRED : value === null ? NULL : message })
    return z.NEVER
  })
}

/** A schema for anything but nothing. */
export function anySchema() {
  return z
    .unknown()
    .refine(value => value !== undefined, REQUIRED)
    .refine(value => value !== null, NULL)
}
