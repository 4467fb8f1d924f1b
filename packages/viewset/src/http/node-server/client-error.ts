import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { errorEnvelope } from '../../core/envelope.ts'
import { ApiError, ValidationError } from '../../core/errors.ts'
import { BODY_TOO_LATE, bodyTooLarge } from '../read-bytes.ts'

/** The error of a request that Node's parser gave up on, and the socket that it came over. */
type ClientError = Error & { readonly code?: string }

const REASONS: Readonly<Record<string, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
}

/** Answers what never becomes a request: headers above Node's limit, unknown methods, clients that are too slow. */
export function answerClientError(error: ClientError, socket: Socket): void {
  // Whoever reset the connection hears nothing more, and a response that is under way would be garbled.
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy()
    return
  }
  const refusal = refusalOf(error)
  const body = errorEnvelope(refusal)
  socket.write(
    `HTTP/1.1 ${refusal.status} ${REASONS[refusal.status]}\r\n` +
      `content-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `connection: close\r\n\r\n${body}`,
  )
  socket.destroySoon()
}

function refusalOf({ code }: ClientError): ApiError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return BODY_TOO_LATE
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(431, 'headers_too_large', 'The URL and the headers are too large.')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return bodyTooLarge()
    default:
      return new ValidationError('The request is not valid HTTP.')
  }
}

/** Node's own handler looks at the same property, which has no public name. */
function isAnswering(socket: Socket): boolean {
  const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse | null }
  return response?.headersSent ?? false
}
