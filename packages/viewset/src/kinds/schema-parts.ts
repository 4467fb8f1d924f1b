import * as z from 'zod'

/** DRF's message for a value of the wrong type. A missing value and null have their own. */
export function typeError(message: string) {
  return {
    error: ({ input }: { readonly input?: unknown }) =>
      input === undefined ? REQUIRED : input === null ? NULL : message,
  }
}

/**
 * A schema for values that `read` accepts.
 *
 * @param problem the message for other values, or a function that makes it
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

export function anySchema() {
  return z
    .unknown()
    .refine(value => value !== undefined, REQUIRED)
    .refine(value => value !== null, NULL)
}

export const REQUIRED = 'This field is required.'
export const NULL = 'This field may not be null.'
export const BLANK = 'This field may not be blank.'

const WRONG_TYPE: Readonly<Record<string, string>> = {
  string: 'Not a valid string.',
  number: 'A valid number is required.',
  int: 'A valid integer is required.',
  boolean: 'Must be a valid boolean.',
}

/** DRF's messages for Zod's own checks, if a user's schema has no message of its own. */
export function drfMessage(issue: z.core.$ZodRawIssue): string | undefined {
  const { code, input } = issue
  if (code === 'invalid_type') return typeMessage(issue.expected, input)
  if (code === 'invalid_value' && input === undefined) return REQUIRED
  if (code === 'too_big' && issue.origin === 'string')
    return `Ensure this field has no more than ${issue.maximum} characters.`
  if (code === 'too_small' && issue.origin === 'string')
    return `Ensure this field has at least ${issue.minimum} characters.`
  if (code === 'too_big')
    return `Ensure this value is less than${issue.inclusive ? ' or equal to' : ''} ${issue.maximum}.`
  if (code === 'too_small')
    return `Ensure this value is greater than${issue.inclusive ? ' or equal to' : ''} ${issue.minimum}.`
  return undefined
}

function typeMessage(expected: string, input: unknown): string | undefined {
  if (expected === 'object' || expected === 'array') {
    return `Invalid data. Expected an ${expected}, but got ${describeInput(input)}.`
  }
  return input === undefined ? REQUIRED : input === null ? NULL : WRONG_TYPE[expected]
}

export function describeInput(input: unknown): string {
  if (input === undefined) return 'nothing'
  if (input === null) return 'null'
  return Array.isArray(input) ? 'an array' : typeof input === 'object' ? 'an object' : `a ${typeof input}`
}
