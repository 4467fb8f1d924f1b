export { ConfigError } from './config-error.ts'

import { inEnglish, Message, message, type Text } from './messages/message.ts'

/**
 * Errors by wire field name: texts, or messages of the catalogue. Errors that belong to no field stand under
 * `non_field_errors`.
 */
export type FieldErrors = Record<string, Text[]>

/** The key of {@link FieldErrors} for messages that concern the input as a whole, as in DRF. */
export const NON_FIELD_ERRORS = 'non_field_errors'

/** The same errors under `path`: `name` becomes `author.name`. */
export function errorsUnder(path: string, errors: FieldErrors): FieldErrors {
  return Object.fromEntries(Object.entries(errors).map(([field, messages]) => [`${path}.${field}`, messages]))
}

/** Errors in their order. A field may have any name, such as `constructor`, which a client sends. */
export function errorsByField(errors: readonly (readonly [field: string, texts: readonly Text[]])[]): FieldErrors {
  const byField = new Map<string, Text[]>()
  for (const [field, texts] of errors) byField.set(field, [...(byField.get(field) ?? []), ...texts])
  return Object.fromEntries(byField)
}

/** The English texts of errors, for logs and tests. */
export type FieldTexts = Record<string, string[]>

/** The optional parts of an {@link ApiError}. */
export interface ApiErrorOptions {
  readonly errors?: FieldErrors
  /** Several values are several headers. */
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly cause?: unknown
}

/**
 * An error that a client may read: `status`, a stable snake_case `code` and a sentence. A text is sent as it is; a
 * {@link Message} is sent in the client's language.
 *
 * @example
 * throw new ApiError(402, 'payment_required', 'This account has no credit left.')
 */
export class ApiError extends Error {
  override readonly name: string = 'ApiError'
  readonly status: number
  readonly code: string
  /** The sentence that the client gets. `message` is its English form. */
  readonly text: Text
  /** The errors that the client gets. `errors` is their English form. */
  readonly fieldErrors: FieldErrors | undefined
  readonly headers: Readonly<Record<string, string | string[]>>

  constructor(status: number, code: string, text: Text, options: ApiErrorOptions = {}) {
    super(inEnglish(text), options.cause === undefined ? undefined : { cause: options.cause })
    this.status = status
    this.code = code
    this.text = text
    this.fieldErrors = options.errors
    this.headers = options.headers ?? {}
  }

  /** In English, for logs. */
  toJSON(): object {
    const { name, status, code, message: text, errors } = this
    return { name, status, code, message: text, ...(errors && { errors }) }
  }

  /** The errors as English texts. */
  get errors(): FieldTexts | undefined {
    return this.fieldErrors && mapErrors(this.fieldErrors, inEnglish)
  }
}

/** The same errors, with the result of `show` for each text. */
export function mapErrors<T>(errors: FieldErrors, show: (text: Text) => T): Record<string, T[]> {
  return Object.fromEntries(Object.entries(errors).map(([field, texts]) => [field, texts.map(show)]))
}

/** 400: the input is not acceptable; `errors` says which field and why. */
export class ValidationError extends ApiError {
  override readonly name = 'ValidationError'

  constructor(problem: FieldErrors | Text, text?: Text) {
    const errors = errorsOf(problem)
    super(400, 'validation_error', text ?? sentenceOf(errors, message('invalid_data')), { errors })
  }
}

/** A problem as errors by field. A sentence belongs to no field. */
export function errorsOf(problem: FieldErrors | Text): FieldErrors {
  return typeof problem === 'string' || problem instanceof Message ? { [NON_FIELD_ERRORS]: [problem] } : problem
}

/** The only error, or the number of errors. */
function sentenceOf(errors: FieldErrors, otherwise: Message): Text {
  const all = Object.values(errors).flat()
  const [only] = all
  if (only === undefined) return otherwise
  return all.length === 1 ? only : message('several_errors', { count: all.length })
}

/**
 * 401: the request has no valid credentials. `challenge` becomes `WWW-Authenticate` (RFC 9110, 11.6.1). Without it, the
 * API's authentication sets the header.
 */
export class NotAuthenticated extends ApiError {
  override readonly name = 'NotAuthenticated'

  constructor(text: Text = message('not_authenticated'), challenge?: string) {
    const headers = challenge === undefined ? {} : { 'www-authenticate': challenge }
    super(401, 'not_authenticated', text, { headers })
  }
}

/** 403: the user must not do this. */
export class PermissionDenied extends ApiError {
  override readonly name = 'PermissionDenied'

  constructor(text: Text = message('permission_denied')) {
    super(403, 'permission_denied', text)
  }
}

/** 429: the user, or all users together, reached a limit. `retryAfter` is in seconds. */
export class TooManyRequests extends ApiError {
  override readonly name = 'TooManyRequests'

  constructor(text: Text, retryAfter: number) {
    super(429, 'too_many_requests', text, { headers: { 'retry-after': String(retryAfter) } })
  }
}

/** 404: the resource's queryset has no such record, or there is no such path. */
export class NotFound extends ApiError {
  override readonly name = 'NotFound'
  /** The table of the missing record, if the error is about one. */
  readonly table: string | undefined

  constructor(text: Text = message('not_found'), table?: string) {
    super(404, 'not_found', text)
    this.table = table
  }
}

/** 405: the resource does not offer this method; `allowed` becomes `Allow`. */
export class MethodNotAllowed extends ApiError {
  override readonly name = 'MethodNotAllowed'

  /**
   * @param suggestion the method and the address that were probably meant
   * @param text another text than that of the method
   */
  constructor(method: string, allowed: readonly string[], suggestion?: string, text?: Text) {
    const offered = allowed.filter(name => name !== 'HEAD' && name !== 'OPTIONS').join(', ')
    const standard = message('method_not_allowed', { method, allowed: offered, address: suggestion })
    super(405, 'method_not_allowed', text ?? standard, { headers: { allow: allowed.join(', ') } })
  }
}

/** 409: stored data prevents the change, for example a value that was just taken. */
export class Conflict extends ApiError {
  override readonly name = 'Conflict'

  constructor(problem: FieldErrors | Text, text?: Text, options: Omit<ApiErrorOptions, 'errors'> = {}) {
    const errors = errorsOf(problem)
    super(409, 'conflict', text ?? sentenceOf(errors, message('conflict')), { ...options, errors })
  }

  /** The same conflict of a record that stands at a path of the request. */
  under(path: string): Conflict {
    return new Conflict(errorsUnder(path, this.fieldErrors ?? {}), this.text, { cause: this.cause })
  }
}

/** Runs `write` and puts `path` before the names in its errors. */
export async function underPath<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof ValidationError && error.fieldErrors) {
      throw new ValidationError(errorsUnder(path, error.fieldErrors), error.text)
    }
    throw error instanceof Conflict ? error.under(path) : error
  }
}

/** 412: the record is another one than the client expects. */
export class PreconditionFailed extends ApiError {
  override readonly name = 'PreconditionFailed'

  constructor(text: Text = message('precondition_failed'), options: ApiErrorOptions = {}) {
    super(412, 'precondition_failed', text, options)
  }
}

/** 428: the request must say which state of the record it is about (RFC 6585, 3). */
export class PreconditionRequired extends ApiError {
  override readonly name = 'PreconditionRequired'

  constructor(text: Text, options: ApiErrorOptions = {}) {
    super(428, 'precondition_required', text, options)
  }
}

/** 503: the database cannot answer now; `retryAfter` is in seconds. */
export class ServiceUnavailable extends ApiError {
  override readonly name = 'ServiceUnavailable'

  constructor(text: Text = message('service_unavailable'), retryAfter = 1, cause?: unknown) {
    super(503, 'service_unavailable', text, { headers: { 'retry-after': String(retryAfter) }, cause })
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
  return new ValidationError(
    errorsByField([first, ...others].flatMap(({ fieldErrors = {} }) => Object.entries(fieldErrors))),
  )
}
