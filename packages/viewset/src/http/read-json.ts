import { ApiError } from '../core/errors.ts'
import { parseJsonBody } from '../core/json/parse-json-body.ts'

export const NOT_JSON = new ApiError(415, 'unsupported_media_type', 'Send the body as application/json.')

/**
 * The value of a JSON body; `undefined` for an empty one, as a client library may announce JSON on every request.
 *
 * @throws ApiError 415 for another encoding than UTF-8, 400 for what is not JSON
 */
export function readJson(contentType: string, bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  if (isUtf8(contentType)) return parseJsonBody(bytes)
  throw new ApiError(415, 'unsupported_media_type', 'Send the body as application/json, in UTF-8.')
}

/** Whether a media type names no other encoding than JSON's own (RFC 8259, 8.1), in parameters that are some. */
function isUtf8(contentType: string): boolean {
  const [, ...parameters] = contentType.split(';').map(parameter => parameter.trim())
  return parameters.every(
    parameter => parameter === '' || /^(charset="?utf-?8"?|(?!charset=)[^\s="]+=.+)$/i.test(parameter),
  )
}
