import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { BODY_TOO_LATE } from '../read-bytes.ts'

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
