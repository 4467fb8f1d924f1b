import { type FieldErrors, ValidationError } from './errors.ts'

/**
 * Runs steps that read what a client sent, one after the other and also behind one that refuses it, so that the client
 * is told everything at once. Returns what they return.
 *
 * @throws ValidationError with the messages of all; what else a step throws, where none before it has refused.
 */
export async function allValid<const T extends readonly (() => unknown)[]>(
  ...steps: T
): Promise<{ [K in keyof T]: Awaited<ReturnType<T[K]>> }> {
  const results: unknown[] = []
  const refusals: ValidationError[] = []
  for (const step of steps) {
    try {
      const result = step()
      results.push(isThenable(result) ? await result : result)
    } catch (error) {
      if (error instanceof ValidationError) refusals.push(error)
      else throw together(refusals) ?? error
    }
  }
  const refusal = together(refusals)
  if (refusal) throw refusal
  // As many results as steps, each of its own step.
  return results as { [K in keyof T]: Awaited<ReturnType<T[K]>> }
}

/** What is there already is not waited for: a list of few rows would spend a good part of its time so. */
function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value
}

function together([first, ...others]: readonly ValidationError[]): ValidationError | undefined {
  if (!first || others.length === 0) return first
  const errors: FieldErrors = {}
  for (const refusal of [first, ...others]) {
    for (const [field, messages] of Object.entries(refusal.errors ?? {})) {
      errors[field] = [...(errors[field] ?? []), ...messages]
    }
  }
  return new ValidationError(errors, first.message)
}
