import { Readable } from 'node:stream'
import type { Endpoint } from '../viewset/endpoints/endpoint.ts'
import type { HttpRequest } from './http-request.ts'
import { bodyTooLarge } from './read-bytes.ts'
import { NOT_JSON, readJson } from './read-json.ts'

const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Reads the body of a request as JSON, or leaves it to an action that reads it itself: permissions come before that.
 *
 * @throws ApiError 400, 408, 413 or 415
 */
export async function readBody(
  request: HttpRequest,
  { readsBody }: Endpoint,
  { limit, timeout }: { readonly limit: number; readonly timeout: number },
): Promise<void> {
  if (!METHODS_WITH_BODY.includes(request.method)) return
  const type = request.header('content-type')
  if (readsBody) {
    // Who says what it is has sent a body, be it empty.
    request.bodyStream = request.incoming ?? (type === undefined ? null : Readable.from([]))
    return
  }
  const read = () => {
    // What is known to be too large need not come.
    if (Number(request.header('content-length')) > limit) throw bodyTooLarge(limit)
    return request.readBytes(limit, timeout)
  }
  // Not every server tells a body that is empty from one that is still to come.
  if (type === undefined && (request.incoming === null || (await read()).length === 0)) return
  if (!/^application\/json[ \t]*(;|$)/i.test(type ?? '')) throw NOT_JSON
  request.body = readJson(type ?? '', await read())
}
