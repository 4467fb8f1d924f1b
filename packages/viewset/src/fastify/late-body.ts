import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { ApiError } from '../core/errors.ts'

/**
 * Ends a request whose body has not arrived after `timeout` milliseconds, whether somebody reads it or it is refused
 * already. A server has one limit for all of its requests, which is too long for most or too short for a file.
 */
export function endWhenLate(reply: FastifyReply, timeout: number): void {
  const { request } = reply
  const { raw } = request
  if (!hasBody(request.headers)) return
  const timer = setTimeout(() => {
    if (raw.complete) return
    // The answer is given, or there is nobody to give it.
    if (reply.sent || raw.listenerCount('error') === 0) raw.destroy()
    // An action that reads its body itself knows for how long; afterwards, what is left must have come.
    else if (request.body instanceof Readable) timer.refresh()
    // To Fastify, which reads the body.
    else raw.emit('error', new ApiError(408, 'request_timeout', 'The request took too long to arrive.'))
  }, timeout).unref()
  const stop = () => clearTimeout(timer)
  raw.once('end', stop).once('close', stop)
}

function hasBody(headers: FastifyReply['request']['headers']): boolean {
  const { 'content-length': length = '0' } = headers
  return length !== '0' || headers['transfer-encoding'] !== undefined
}
