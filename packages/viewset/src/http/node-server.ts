import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Http2ServerRequest, ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { errorEnvelope } from '../core/envelope.ts'
import { ApiError, ValidationError } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import { BODY_TOO_LATE, bodyTooLarge } from './http-request.ts'

/**
 * Milliseconds in which a whole request, and before it its headers, must arrive. Node's limit covers all requests, so
 * it is long enough for uploads.
 */
export const TIME_LIMITS = { requestTimeout: 900_000, headersTimeout: 15_000, connectionsCheckingInterval: 5_000 }

type ClientError = Error & { readonly code?: string }

const REASONS: Readonly<Record<string, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
}

/** Answers errors before a request exists: too large headers, unknown methods, slow clients. */
export function answerClientError(error: ClientError, socket: Socket): void {
  // A reset connection cannot be answered, and a response that is being sent must not be garbled.
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
      return new ApiError(431, 'headers_too_large', message('headers_too_large'))
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return bodyTooLarge()
    default:
      return new ValidationError(message('malformed.http'))
  }
}

/** Node's own handler uses this property too, which has no public name. */
function isAnswering(socket: Socket): boolean {
  const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse | null }
  return response?.headersSent ?? false
}

const EXPECTATION_FAILED = new ApiError(417, 'expectation_failed', message('expectation_failed'))

/** Answers an `Expect` other than `100-continue` (RFC 9110, 10.1.1). Node's own response has no body. */
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
 * Returns a function that closes connections on which no request has arrived.
 *
 * `server.close()` waits for them until `headersTimeout`, a minute by default, because Node's `closeIdleConnections`
 * only closes those that have had a request. Browsers and `fetch` open such connections in advance.
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
 * Closes the connection if the client reads nothing of its response for `timeout` ms, which frees the response's
 * resources. Call it once the response is being sent; small ones are already in the system's buffer.
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
  // An injected request has no connection, and the application may have a shorter limit.
  if (typeof socket?.setTimeout !== 'function' || (ofServer > 0 && ofServer <= timeout)) return
  response.setTimeout(timeout, () => {
    // Otherwise the client waits for data that is not produced yet.
    if (response.writableLength > 0) response.destroy()
  })
  // The next request on this connection has no such limit. Node sets its limit for idle connections after this.
  if (request.httpVersionMajor < 2) response.prependOnceListener('finish', () => socket.setTimeout(ofServer))
}

interface Progress {
  isAnswered(): boolean
  isStreaming(): boolean
}

/**
 * Ends a request whose body has not arrived after `timeout` ms, whether it is being read or was already rejected.
 * Node's own limit covers all requests of a server: too long for most, too short for uploads.
 */
export function endWhenLate(request: IncomingMessage, timeout: number, progress: Progress): void {
  if (!hasBody(request)) return
  const timer = setTimeout(() => {
    if (request.complete) return
    // The response is sent, or no code can send a response.
    if (progress.isAnswered() || request.listenerCount('error') === 0) request.destroy()
    // An action that streams its body has its own limit. Afterwards the rest must have arrived.
    else if (progress.isStreaming()) timer.refresh()
    // The reader of the body gets this error.
    else request.emit('error', BODY_TOO_LATE)
  }, timeout).unref()
  const stop = () => clearTimeout(timer)
  request.once('end', stop).once('close', stop)
}

/** HTTP/1 shows it by headers (RFC 9112, 6.3), HTTP/2 by the end of the stream. */
export function hasBody(request: IncomingMessage): boolean {
  const { headers, httpVersionMajor } = request
  if (httpVersionMajor >= 2) return !(request as IncomingMessage & Partial<Http2ServerRequest>).stream?.endAfterHeaders
  const { 'content-length': length = '0' } = headers
  return length !== '0' || headers['transfer-encoding'] !== undefined
}

/** Aborts when the client leaves before its response is complete. */
export function signalOf(response: ServerResponse & { readonly stream?: ServerHttp2Stream }): AbortSignal {
  const gone = new AbortController()
  const leave = () => {
    if (!response.writableEnded) gone.abort()
  }
  // The request closes with its body, so only the response shows it. A response of HTTP/2 has no `destroyed`.
  if (response.stream?.destroyed ?? response.destroyed) leave()
  else response.once('close', leave)
  return gone.signal
}

/**
 * Resets the connection if a response to HTTP/1.0 breaks off. nginx uses HTTP/1.0 by default, where closing the
 * connection is a regular end of a response without a length.
 */
export function resetWhenBroken({ httpVersion, socket }: IncomingMessage, body: Readable): void {
  if (httpVersion !== '1.0') return
  body.prependOnceListener('error', () => {
    try {
      socket.resetAndDestroy()
    } catch {
      // Only TCP sockets can. Other code closes the connection afterwards.
    }
  })
}
