import { STATUS_CODES } from 'node:http'
import { ApiError, NON_FIELD_ERRORS, ValidationError } from '../core/errors.ts'

/** What Fastify and its plugins write on an error. */
interface Foreign {
  readonly name?: unknown
  readonly statusCode?: unknown
  readonly code?: unknown
  readonly message?: unknown
  readonly headers?: unknown
}

/** What concerns the body and the connection of the answer, which are ours. */
const OF_THE_MESSAGE = /^(content-.*|transfer-encoding|connection|keep-alive|trailer|upgrade)$/

/** What `authenticate` may say by headers: how to ask, and when. */
const OF_AUTHENTICATE = /^(www-authenticate|retry-after)$/

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
  const status = refusedWith(thrown)
  if (status === undefined) return undefined
  const { code, message, headers } = thrown as Foreign
  if (String(code).startsWith('FST_ERR_CTP_')) return unreadableBody(status)
  return refused(status, message, {
    ...(challenge !== undefined && { 'www-authenticate': String(challenge) }),
    ...headersOf(headers, name => !OF_THE_MESSAGE.test(name)),
  })
}

/**
 * The same of what `authenticate` throws. It may have asked another service, whose words and headers are on the error of
 * an HTTP client: only a plugin of Fastify is believed to speak to our client.
 */
export function refusalOfAuthenticate(thrown: unknown): ApiError | undefined {
  const status = refusedWith(thrown)
  if (status === undefined) return undefined
  const { name, message, headers } = thrown as Foreign
  const text = name === 'FastifyError' ? message : undefined
  return refused(
    status,
    text,
    headersOf(headers, header => OF_AUTHENTICATE.test(header)),
  )
}

function refusedWith(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null || thrown instanceof ApiError) return undefined
  const { statusCode: status } = thrown as Foreign
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 499 ? status : undefined
}

function refused(status: number, message: unknown, headers: ApiError['headers']): ApiError {
  const text = typeof message === 'string' && message !== '' ? message : (STATUS_CODES[status] ?? 'Refused.')
  const errors = (status === 400 || status === 409) && { errors: { [NON_FIELD_ERRORS]: [text] } }
  return new ApiError(status, 'refused', text, { headers, ...errors })
}

/** What Fastify says of bodies before they are read, in the API's own words. */
function unreadableBody(status: number): ApiError {
  if (status === 413) return new ApiError(413, 'payload_too_large', 'The body is too large.')
  if (status === 415) return new ApiError(415, 'unsupported_media_type', 'Send the body as application/json.')
  return new ValidationError('The body is not valid JSON.')
}

function headersOf(headers: unknown, isTaken: (name: string) => boolean): ApiError['headers'] {
  if (typeof headers !== 'object' || headers === null) return {}
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.map(String) : String(value)] as const)
      .filter(([name]) => isTaken(name)),
  )
}
