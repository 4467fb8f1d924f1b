import { Readable } from 'node:stream'
import type { ApiResponse } from '../viewset/handle.ts'

/** Statuses whose answers have no body (Fetch, "null body status"). */
const WITHOUT_BODY = [204, 205, 304]

/** An answer as the Fetch standard has it; a stream is read as fast as the client takes it. */
export function toResponse(
  { status, headers, body }: ApiResponse,
  signal: AbortSignal,
  stallTimeout: number,
): Response {
  const init = { status, headers: headersOf(headers) }
  if (WITHOUT_BODY.includes(status)) return new Response(null, init)
  if (!(body instanceof Readable)) return new Response(body, init)
  endWhenStalled(body, stallTimeout)
  // Who only tells that the client has gone, and does not cancel the body, stops it as well.
  const stop = () => body.destroy()
  signal.addEventListener('abort', stop, { once: true })
  body.once('close', () => signal.removeEventListener('abort', stop))
  return new Response(Readable.toWeb(body) as ReadableStream<Uint8Array>, init)
}

function headersOf(headers: ApiResponse['headers']): Headers {
  const result = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    for (const each of typeof value === 'string' ? [value] : value) result.append(name, each)
  }
  return result
}

/** Gives up a body of which nothing is taken for `timeout` milliseconds: what is read for it is held for nobody. */
function endWhenStalled(body: Readable, timeout: number): void {
  let timer: NodeJS.Timeout | undefined
  const stop = () => clearTimeout(timer)
  const start = () => {
    stop()
    timer = setTimeout(() => body.destroy(new Error('The client takes nothing of its answer.')), timeout).unref()
  }
  body.on('pause', start).on('resume', stop).once('close', stop)
}
