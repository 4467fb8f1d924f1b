import { STATUS_CODES } from 'node:http'
import { ApiError, NON_FIELD_ERRORS, ValidationError } from '../core/errors.ts'

/** What Fastify and its plugins write on an error. */
interface Foreign {
  readonly statusCode?: unknown
  readonly code?: unknown
  readonly message?: unknown
  readonly headers?: unknown
}

/**
 * What Fastify, a plugin or a hook of the application refuses with a `statusCode` of 4xx, as an error of ours;
 * `undefined` for everything else, which is a fault (CONTRACT, "Status codes").
 *
 * @param said headers that the reply has already: a challenge of its own stays
 */
export function refusalOfOthers(
  thrown: unknown,
  { 'www-authenticate': challenge }: Readonly<Record<string, unknown>> = {},
): ApiError | undefined {
  if (typeof thrown !== 'object' || thrown === null || thrown instanceof ApiError) return undefined
  const { code, message, headers, statusCode: status } = thrown as Foreign
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 400 || status > 499) return undefined
  if (String(code).startsWith('FST_ERR_CTP_')) return unreadableBody(status)
  const text = typeof message === 'string' && message !== '' ? message : (STATUS_CODES[status] ?? 'Refused.')
  return new ApiError(status, 'refused', text, {
    headers: { ...(challenge !== undefined && { 'www-authenticate': String(challenge) }), ...textsOf(headers) },
    ...((status === 400 || status === 409) && { errors: { [NON_FIELD_ERRORS]: [text] } }),
  })
}

/** What Fastify says of bodies before they are read, in the API's own words. */
function unreadableBody(status: number): ApiError {
  if (status === 413) return new ApiError(413, 'payload_too_large', 'The body is too large.')
  if (status === 415) return new ApiError(415, 'unsupported_media_type', 'Send the body as application/json.')
  return new ValidationError('The body is not valid JSON.')
}

function textsOf(headers: unknown): Readonly<Record<string, string>> {
  if (typeof headers !== 'object' || headers === null) return {}
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
}
