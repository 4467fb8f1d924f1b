import type { Readable } from 'node:stream'
import { ApiError, ValidationError } from '../core/errors.ts'
import { sizeText } from '../core/text.ts'

/** @param limit in bytes, if it is known */
export function bodyTooLarge(limit?: unknown): ApiError {
  const most = typeof limit === 'number' ? ` The limit is ${sizeText(limit)}.` : ''
  return new ApiError(413, 'payload_too_large', `The body is too large.${most}`)
}

/** The connection ends with it: what is still to come would be taken for the next request. */
export const BODY_TOO_LATE = new ApiError(408, 'request_timeout', 'The request took too long to arrive.', {
  headers: { connection: 'close' },
})

/**
 * All bytes of a body.
 *
 * @throws ApiError 413 for more than `limit` bytes, 408 for one that takes longer than `timeout` milliseconds, 400 for
 *   one that is cut off
 */
export function readBytes(body: Readable, limit: number, timeout: number): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let length = 0
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const take = (chunk: Buffer | string) => {
    // Other middleware may have had the body read as text (`setEncoding`).
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, body.readableEncoding ?? 'utf8') : chunk
    length += bytes.length
    if (length > limit) reject(bodyTooLarge(limit))
    else chunks.push(bytes)
  }
  const end = () => resolve(Buffer.concat(chunks, length))
  const fail = (error: unknown) =>
    reject(error instanceof ApiError ? error : new ValidationError('The body was cut off.'))
  const late = setTimeout(() => reject(BODY_TOO_LATE), timeout)
  body.on('data', take).once('end', end).once('error', fail).once('close', fail)
  return promise.finally(() => {
    clearTimeout(late)
    // What is still to come is read past, so that the client gets to read why it is refused.
    body.off('data', take).off('end', end).off('close', fail).resume()
  })
}
