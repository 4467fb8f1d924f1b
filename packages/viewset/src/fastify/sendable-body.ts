import { finished, Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { resetWhenBroken } from '../http/node-server/reset-when-broken.ts'
import type { ApiResponse } from '../viewset/handle.ts'

/**
 * A body that ends with its response: a hook of the application may send something else in its place, and then nobody
 * reads a stream to its end, which holds a connection of the database.
 */
export function sendableBody({ raw, request }: FastifyReply, body: ApiResponse['body']): ApiResponse['body'] {
  if (!(body instanceof Readable)) return body
  // Until it is sent, nobody listens. What has failed is told to whoever reads it then.
  body.on('error', () => {})
  if (request.method === 'HEAD') {
    body.destroy()
    // Fastify would read all of the other, and of a text it would say the length.
    return Readable.from([])
  }
  resetWhenBroken(request.raw, body)
  finished(raw, () => body.destroy())
  return body
}
