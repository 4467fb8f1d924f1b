import { Readable } from 'node:stream'
import type { ApiResponse } from '../viewset/handle.ts'
import { webStream } from './web-stream.ts'

/** Statuses whose answers have no body (Fetch, "null body status"). */
const WITHOUT_BODY = [204, 205, 304]

/** An answer as the Fetch standard has it; a stream is read as fast as the client takes it. */
export function toResponse(
  { status, headers, body }: ApiResponse,
  signal: AbortSignal,
  stallTimeout: number,
): Response {
  const init = { status, headers: headersOf(headers) }
  if (WITHOUT_BODY.includes(status)) {
    // Nobody would read it.
    if (body instanceof Readable) body.destroy()
    return new Response(null, init)
  }
  // Of an empty text, servers would say a length, which the answer to HEAD may not have.
  if (!(body instanceof Readable)) return new Response(body === '' ? null : body, init)
  // Who only tells that the client has gone, and does not cancel the body, stops it as well.
  const stop = () => body.destroy()
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  body.once('close', () => signal.removeEventListener('abort', stop))
  return new Response(webStream(body, stallTimeout), init)
}

function headersOf(headers: ApiResponse['headers']): Headers {
  const result = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    // An action may write a name of ours with capitals: the last one counts.
    result.delete(name)
    for (const each of typeof value === 'string' ? [value] : value) result.append(name, each)
  }
  return result
}
