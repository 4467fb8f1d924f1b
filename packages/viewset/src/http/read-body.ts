import { Readable } from 'node:stream'
import { reportError } from '../core/context.ts'
import { ApiError } from '../core/errors.ts'
import { parseJsonBody } from '../core/json/parse-json-body.ts'
import { message } from '../core/messages/message.ts'
import type { Endpoint } from '../viewset/endpoints/endpoint.ts'
import { bodyTooLarge, type HttpRequest } from './http-request.ts'

const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE']

/** Whether {@link readBody} has to read a body. An action that streams its body reads it after its permissions. */
export function hasReadableBody(request: HttpRequest, { readsBody }: Endpoint): boolean {
  if (!METHODS_WITH_BODY.includes(request.method)) return false
  if (!readsBody) return true
  // A content type announces a body, even an empty one.
  request.bodyStream = request.incoming ?? (request.header('content-type') === undefined ? null : Readable.from([]))
  return false
}

/**
 * Reads the body of a request as JSON.
 *
 * @throws ApiError 400, 408, 413 or 415
 */
export async function readBody(
  request: HttpRequest,
  { limit, timeout }: { readonly limit: number; readonly timeout: number },
): Promise<void> {
  const type = request.header('content-type')
  const read = () => {
    if (Number(request.header('content-length')) > limit) throw bodyTooLarge(limit)
    return request.readBytes(limit, timeout)
  }
  // Not every server distinguishes an empty body from one that is still arriving.
  if (type === undefined && (request.incoming === null || (await read()).length === 0)) return
  if (!/^application\/json[ \t]*(;|$)/i.test(type ?? '')) throw NOT_JSON
  request.body = readJson(type ?? '', await read())
}

export const NOT_JSON = new ApiError(415, 'unsupported_media_type', message('unsupported_media_type'))

/**
 * `undefined` for an empty body, because some client libraries announce JSON on every request.
 *
 * @throws ApiError 415 for another encoding than UTF-8, 400 for what is not JSON
 */
export function readJson(contentType: string, bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  if (isUtf8(contentType)) return parseJsonBody(bytes)
  throw new ApiError(415, 'unsupported_media_type', message('unsupported_media_type.utf8'))
}

/** RFC 8259, 8.1, allows UTF-8 only. */
function isUtf8(contentType: string): boolean {
  const [, ...parameters] = contentType.split(';').map(parameter => parameter.trim())
  return parameters.every(
    parameter => parameter === '' || /^(charset="?utf-?8"?|(?!charset=)[^\s="]+=.+)$/i.test(parameter),
  )
}

/** Node and the Fetch standard report these errors when the reader of a stream leaves. */
const OF_THE_READER = ['AbortError', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE']

/** Logs a body that fails after the response's head was sent, because the client only sees that it breaks off. */
export function reportBrokenBody(error: Error & { readonly code?: unknown }, request: HttpRequest): void {
  const isOfReader = OF_THE_READER.includes(error.name) || OF_THE_READER.includes(String(error.code))
  if (!isOfReader && !request.signal.aborted) reportError(error, 'an answer broke off', request)
}
