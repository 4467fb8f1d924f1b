import type { FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.ts'
import { parseJsonBody } from '../core/json/parse-json-body.ts'

/** Fastify's content type parser for `application/json`. */
export function readJson(
  { headers }: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  try {
    done(null, parse(headers['content-type'] ?? '', body))
  } catch (error) {
    done(error as Error)
  }
}

function parse(contentType: string, body: Buffer): unknown {
  // A client library may announce JSON on every request, also on one that needs no body.
  if (body.length === 0) return undefined
  if (isUtf8(contentType)) return parseJsonBody(body)
  throw new ApiError(415, 'unsupported_media_type', 'Send the body as application/json, in UTF-8.')
}

/** Whether a media type names no other encoding than JSON's own (RFC 8259, 8.1), in parameters that are some. */
function isUtf8(contentType: string): boolean {
  const [, ...parameters] = contentType.split(';').map(parameter => parameter.trim())
  return parameters.every(
    parameter => parameter === '' || /^(charset="?utf-?8"?|(?!charset=)[^\s="]+=.+)$/i.test(parameter),
  )
}
