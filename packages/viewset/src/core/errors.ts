/** Messages by wire field name. Messages that belong to no field stand under `non_field_errors`. */
export type FieldErrors = Record<string, string[]>

/** The key of {@link FieldErrors} for messages that concern the input as a whole, as in DRF. */
export const NON_FIELD_ERRORS = 'non_field_errors'

/** The same errors under `path`: `name` becomes `author.name`. */
export function errorsUnder(path: string, errors: FieldErrors): FieldErrors {
  return Object.fromEntries(Object.entries(errors).map(([field, messages]) => [`${path}.${field}`, messages]))
}

/** The optional parts of an {@link ApiError}. */
export interface ApiErrorOptions {
  readonly errors?: FieldErrors
  /** Several values are several headers. */
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly cause?: unknown
}

/**
 * An error a client may read: `status`, a stable snake_case `code` and one English sentence.
 *
 * @example
 * throw new ApiError(402, 'payment_required', 'This account has no credit left.')
 */
export class ApiError extends Error {
  override readonly name: string = 'ApiError'
  readonly status: number
  readonly code: string
  readonly errors: FieldErrors | undefined
  readonly headers: Readonly<Record<string, string | string[]>>

  constructor(status: number, code: string, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.status = status
    this.code = code
    this.errors = options.errors
    this.headers = options.headers ?? {}
  }
}

/** 400: the input is not acceptable; `errors` says which field and why. */
export class ValidationError extends ApiError {
  override readonly name = 'ValidationError'

  constructor(problem: FieldErrors | string, message?: string) {
    const errors = typeof problem === 'string' ? { [NON_FIELD_ERRORS]: [problem] } : problem
    super(400, 'validation_error', message ?? onlySentence(errors) ?? 'The submitted data is not valid.', { errors })
  }
}

function onlySentence(errors: FieldErrors): string | undefined {
  const [sentence, ...more] = Object.values(errors).flat()
  return NON_FIELD_ERRORS in errors && more.length === 0 ? sentence : undefined
}

export const NOT_PROVIDED = 'Authentication credentials were not provided.'

/**
 * 401: the request has no valid credentials. `challenge` becomes `WWW-Authenticate` (RFC 9110, 11.6.1). Without it, the
 * API's authentication sets the header.
 */
export class NotAuthenticated extends ApiError {
  override readonly name = 'NotAuthenticated'

  constructor(message = NOT_PROVIDED, challenge?: string) {
    const headers = challenge === undefined ? {} : { 'www-authenticate': challenge }
    super(401, 'not_authenticated', message, { headers })
  }
}

/** 403: the user must not do this. */
export class PermissionDenied extends ApiError {
  override readonly name = 'PermissionDenied'

  constructor(message = 'You do not have permission to perform this action.') {
    super(403, 'permission_denied', message)
  }
}

/** 429: the user, or all users together, reached a limit. `retryAfter` is in seconds. */
export class TooManyRequests extends ApiError {
  override readonly name = 'TooManyRequests'

  constructor(message: string, retryAfter: number) {
    super(429, 'too_many_requests', message, { headers: { 'retry-after': String(retryAfter) } })
  }
}

/** 404: the resource's queryset has no such record, or there is no such path. */
export class NotFound extends ApiError {
  override readonly name = 'NotFound'

  constructor(message = 'Not found.') {
    super(404, 'not_found', message)
  }
}

/** 405: the resource does not offer this method; `allowed` becomes `Allow`. */
export class MethodNotAllowed extends ApiError {
  override readonly name = 'MethodNotAllowed'

  /** `suggestion` is a further sentence, such as the address that was probably meant. */
  constructor(method: string, allowed: readonly string[], suggestion = '') {
    const offered = allowed.filter(name => name !== 'HEAD' && name !== 'OPTIONS')
    const known = offered.length === 0 ? '' : ` Allowed: ${offered.join(', ')}.`
    super(405, 'method_not_allowed', `Method "${method}" is not allowed here.${known}${suggestion}`, {
      headers: { allow: allowed.join(', ') },
    })
  }
}

/** 409: stored data prevents the change, for example a value that was just taken. */
export class Conflict extends ApiError {
  override readonly name = 'Conflict'

  constructor(errors: FieldErrors, message = 'The request conflicts with stored data.', cause?: unknown) {
    super(409, 'conflict', message, { errors, cause })
  }
}

/** Runs `write` and puts `path` before the names in its errors. */
export async function underPath<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof ValidationError && error.errors) {
      throw new ValidationError(errorsUnder(path, error.errors), error.message)
    }
    if (error instanceof Conflict && error.errors) {
      throw new Conflict(errorsUnder(path, error.errors), error.message, error.cause)
    }
    throw error
  }
}

/** 412: the record is another one than the client expects. */
export class PreconditionFailed extends ApiError {
  override readonly name = 'PreconditionFailed'

  constructor(message = CHANGED_SINCE, options: ApiErrorOptions = {}) {
    super(412, 'precondition_failed', message, options)
  }
}

/** The message of a 412. */
export const CHANGED_SINCE =
  'Someone else has changed this record since you read it. Read it again, then repeat your change.'

/** 428: the request must say which state of the record it is about (RFC 6585, 3). */
export class PreconditionRequired extends ApiError {
  override readonly name = 'PreconditionRequired'

  constructor(message: string, options: ApiErrorOptions = {}) {
    super(428, 'precondition_required', message, options)
  }
}

/** 503: the database cannot answer now; `retryAfter` is in seconds. */
export class ServiceUnavailable extends ApiError {
  override readonly name = 'ServiceUnavailable'

  constructor(message = 'The database is not available. Please try again.', retryAfter = 1, cause?: unknown) {
    super(503, 'service_unavailable', message, { headers: { 'retry-after': String(retryAfter) }, cause })
  }
}

/**
 * The application is configured wrongly. Thrown at start, never by a request.
 *
 * @example
 * throw new ConfigError('ArticleViewSet', 'ordering', 'unknown field "titel"; did you mean "title"?')
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** The misconfigured resource, serializer or table. */
  readonly subject: string
  /** The wrong setting. */
  readonly key: string

  constructor(subject: string, key: string, problem: string) {
    super(`${subject}: ${key}: ${problem}`)
    this.subject = subject
    this.key = key
  }
}

/**
 * Status texts of HTTP. An `import` of `node:http` would also load `fetch` and `WebSocket`: 30 ms and 13 MB at every
 * start.
 */
export const { STATUS_CODES } = process.getBuiltinModule('node:http')

/**
 * Runs all steps, also after one that throws a ValidationError, so that the client gets all errors at once. Returns the
 * results.
 *
 * @throws ValidationError with the messages of all; another error of a step if no earlier one was invalid.
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
  return results as { [K in keyof T]: Awaited<ReturnType<T[K]>> }
}

/** Results that are not promises are not awaited: for a short list, `await` costs a noticeable part of the time. */
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
