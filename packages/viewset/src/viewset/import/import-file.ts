import { ValidationError } from '../../core/errors.ts'
import type { ApiRequest } from '../../core/request.ts'

export async function thenRemove<T>(
  { signal }: ApiRequest,
  remove: () => Promise<void>,
  fn: () => Promise<T>,
): Promise<T> {
  try {
    return await fn()
  } catch (error) {
    throw signal?.aborted ? new ValidationError('Nobody waits for the answer any more.') : error
  } finally {
    await remove()
  }
}

/** The name of the resource in the path. Two resources may share a table, but not a path. */
export function resourceName({ path }: ApiRequest): string {
  return decodeURIComponent(path.split('/').filter(Boolean).at(-2) ?? '')
}

export function withTemplate(error: unknown, { origin, path }: ApiRequest): unknown {
  if (!(error instanceof ValidationError && error.errors?.file)) return error
  const address = origin + path.replace(/import-from-file\/?$/, 'import-template/')
  return new ValidationError(error.errors, `${error.message} The template is at ${address}`)
}
