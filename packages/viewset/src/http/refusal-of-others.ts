import { ApiError, NON_FIELD_ERRORS, STATUS_CODES, ValidationError } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import { bodyTooLarge } from './http-request.ts'
import { NOT_JSON } from './read-body.ts'

interface Foreign {
  readonly name?: unknown
  readonly statusCode?: unknown
  readonly status?: unknown
  readonly code?: unknown
  readonly type?: unknown
  readonly expose?: unknown
  readonly message?: unknown
  readonly headers?: unknown
  readonly limit?: unknown
  /** The response that Hono would send. */
  readonly res?: unknown
  readonly getStatus?: unknown
  readonly getResponse?: unknown
}

/** Errors of Fastify, and of the body-parser in Express and Nest, for unreadable bodies. */
const OF_THE_BODY = /^(FST_ERR_CTP_|entity\.|encoding\.|charset\.|request\.)/

/** Headers of the body and the connection, which the API sets itself. */
const OF_THE_MESSAGE = /^(content-.*|transfer-encoding|connection|keep-alive|trailer|upgrade)$/

/** Headers that `authenticate` may set: the challenge and when to retry. */
const OF_AUTHENTICATE = /^(www-authenticate|retry-after)$/

/**
 * Converts a 4xx error of the server, a plugin or a hook of the application to an ApiError. Other errors are faults:
 * `undefined`.
 *
 * @param said headers that the reply already has. Its own challenge stays.
 */
export function refusalOfOthers(
  thrown: unknown,
  { 'www-authenticate': challenge }: Readonly<Record<string, unknown>> = {},
): ApiError | undefined {
  const status = refusedWith(thrown)
  if (status === undefined) return undefined
  const { code, type, message } = thrown as Foreign
  if (OF_THE_BODY.test(String(code)) || OF_THE_BODY.test(String(type))) return unreadableBody(status, thrown as Foreign)
  return refused(status, message, {
    ...(challenge !== undefined && { 'www-authenticate': String(challenge) }),
    ...headersOf(thrown as Foreign, name => !OF_THE_MESSAGE.test(name)),
  })
}

/**
 * Converts an error of `authenticate` in the same way. An error of an HTTP client has another service's message and
 * headers, which are not meant for our client. So only the server's own error classes count.
 */
export function refusalOfAuthenticate(thrown: unknown): ApiError | undefined {
  const status = refusedWith(thrown)
  if (status === undefined) return undefined
  return refused(
    status,
    isOfServer(thrown as Foreign) ? (thrown as Foreign).message : undefined,
    headersOf(thrown as Foreign, header => OF_AUTHENTICATE.test(header)),
  )
}

function refusedWith(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null || thrown instanceof ApiError) return undefined
  const { statusCode, status: ofServer, getStatus } = thrown as Foreign
  const statusOfServer = () => (typeof getStatus === 'function' ? getStatus.call(thrown) : ofServer)
  const status = statusCode ?? (isOfServer(thrown) ? statusOfServer() : undefined)
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 499 ? status : undefined
}

/** Errors of Fastify, of http-errors (Express, Koa), HTTPException of Hono and HttpException of Nest. */
function isOfServer({ name, expose, getStatus, getResponse }: Foreign): boolean {
  return name === 'FastifyError' || expose === true || typeof (getStatus ?? getResponse) === 'function'
}

function refused(status: number, message: unknown, headers: ApiError['headers']): ApiError {
  const text = typeof message === 'string' && message !== '' ? message : (STATUS_CODES[status] ?? 'Refused.')
  const errors = (status === 400 || status === 409) && { errors: { [NON_FIELD_ERRORS]: [text] } }
  return new ApiError(status, 'refused', text, { headers, ...errors })
}

function unreadableBody(status: number, { limit }: Foreign): ApiError {
  if (status === 413) return bodyTooLarge(limit)
  if (status === 415) return NOT_JSON
  return new ValidationError(message('malformed.json'))
}

function headersOf({ headers, res }: Foreign, isTaken: (name: string) => boolean): ApiError['headers'] {
  const given = res instanceof Response ? Object.fromEntries(res.headers) : headers
  if (typeof given !== 'object' || given === null) return {}
  return Object.fromEntries(
    Object.entries(given)
      .map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.map(String) : String(value)] as const)
      .filter(([name]) => isTaken(name)),
  )
}
