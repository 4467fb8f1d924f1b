import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { errorEnvelope } from '../core/envelope.ts'
import { ApiError, ValidationError } from '../core/errors.ts'
import { BODY_TOO_LATE, bodyTooLarge } from './http-request.ts'

/**
 * In how many milliseconds a request must have arrived whole, and its headers before that. It is for all requests of a
 * server of Node, so the first is long enough for an upload.
 */
export const TIME_LIMITS = { requestTimeout: 900_000, headersTimeout: 15_000, connectionsCheckingInterval: 5_000 }

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

const EXPECTATION_FAILED = new ApiError(417, 'expectation_failed', 'Only "Expect: 100-continue" can be met.')

/** Answers an `Expect` that is not `100-continue` (RFC 9110, 10.1.1), which Node does without a body. */
export function answerExpectations(server: Pick<Server, 'on' | 'listenerCount'>): void {
  if (server.listenerCount('checkExpectation') > 0) return
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const body = errorEnvelope(EXPECTATION_FAILED)
    response
      .writeHead(EXPECTATION_FAILED.status, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
      })
      .end(body)
  })
}

const closers = new WeakMap<object, () => void>()

/**
 * Returns a function that closes the connections on which the client has sent nothing.
 *
 * `server.close()` waits for them until `headersTimeout`, a minute by default: `closeIdleConnections` of Node closes only
 * those that have had a request. Browsers and `fetch` open such connections in advance.
 */
export function unusedConnectionsOf(server: Pick<Server, 'on'>): () => void {
  const known = closers.get(server)
  if (known) return known
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  const close = () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
  }
  closers.set(server, close)
  return close
}

/**
 * Closes the connection of a client that takes nothing of its answer for `timeout` milliseconds: what is being read for
 * it is held for nobody. To be asked once the answer is on its way: of one that the system has taken, nothing is held.
 *
 * @param ofServer the server's own limit for a connection on which nothing happens; 0 for none
 */
export function closeWhenStalled(
  request: IncomingMessage,
  response: ServerResponse,
  timeout: number,
  ofServer: number,
): void {
  if (response.writableEnded && response.writableLength === 0) return
  const { socket } = request
  // An injected request has no connection, and an application may have a shorter limit of its own.
  if (typeof socket?.setTimeout !== 'function' || (ofServer > 0 && ofServer <= timeout)) return
  response.setTimeout(timeout, () => {
    // Else it is the client who waits, for what we have not made yet.
    if (response.writableLength > 0) response.destroy()
  })
  // The next request on this connection may take longer, and may be there already. What Node sets for connections that
  // are idle comes after this.
  if (request.httpVersionMajor < 2) response.prependOnceListener('finish', () => socket.setTimeout(ofServer))
}

/** How far a request is whose body is still to come. */
interface Progress {
  isAnswered(): boolean
  /** Whether an action reads the body itself. */
  isStreaming(): boolean
}

/**
 * Ends a request whose body has not arrived after `timeout` milliseconds, whether somebody reads it or it is refused
 * already. A server has one limit for all of its requests, which is too long for most or too short for a file.
 */
export function endWhenLate(request: IncomingMessage, timeout: number, progress: Progress): void {
  if (!hasBody(request)) return
  const timer = setTimeout(() => {
    if (request.complete) return
    // The answer is given, or there is nobody to give it.
    if (progress.isAnswered() || request.listenerCount('error') === 0) request.destroy()
    // An action that reads its body itself knows for how long; afterwards, what is left must have come.
    else if (progress.isStreaming()) timer.refresh()
    // To whoever reads the body.
    else request.emit('error', BODY_TOO_LATE)
  }, timeout).unref()
  const stop = () => clearTimeout(timer)
  request.once('end', stop).once('close', stop)
}

/** Whether a request has a body: HTTP/1 tells by headers (RFC 9112, 6.3), HTTP/2 by what ends with them. */
export function hasBody(request: IncomingMessage): boolean {
  const { headers, httpVersionMajor } = request
  if (httpVersionMajor >= 2) return !(request as IncomingMessage & Partial<Http2ServerRequest>).stream?.endAfterHeaders
  const { 'content-length': length = '0' } = headers
  return length !== '0' || headers['transfer-encoding'] !== undefined
}

/** Aborts when a client leaves before its answer is whole; after a whole answer there is nothing left to abort. */
export function signalOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  // The request's own end comes with its body's.
  if (response.destroyed && !response.writableFinished) gone.abort()
  else response.once('close', () => gone.abort())
  return gone.signal
}

/**
 * Lets a client of HTTP/1.0 see that an answer broke off, as nginx is one where nothing else is configured. There, the
 * end of the connection is the end of an answer without a length, so the connection must not end as others do.
 */
export function resetWhenBroken({ httpVersion, socket }: IncomingMessage, body: Readable): void {
  if (httpVersion !== '1.0') return
  body.prependOnceListener('error', () => {
    try {
      socket.resetAndDestroy()
    } catch {
      // Only TCP can. What closes the connection comes behind this.
    }
  })
}
