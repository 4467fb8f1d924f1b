import { Readable } from 'node:stream'
import type { ApiResponse } from '../viewset/handle.ts'

/** Statuses whose answers have no body (Fetch, "null body status"). */
const WITHOUT_BODY = [204, 205, 304]

/** An answer as the Fetch standard has it; a stream is read as fast as the client takes it. */
export function toResponse(
  { status, headers, body }: ApiResponse,
  { method, signal }: Request,
  stallTimeout: number,
): Response {
  const init = { status, headers: headersOf(headers) }
  if (method === 'HEAD' || WITHOUT_BODY.includes(status)) {
    // Nobody would read it.
    if (body instanceof Readable) body.destroy()
    return new Response(null, init)
  }
  return new Response(body instanceof Readable ? streamOf(body, signal, stallTimeout) : body, init)
}

function headersOf(headers: ApiResponse['headers']): Headers {
  const result = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    for (const each of typeof value === 'string' ? [value] : value) result.append(name, each)
  }
  return result
}

/**
 * The bytes of a body, each read when it is asked for. So an error is told to who waits for more: servers end a body
 * that fails while nobody waits as if it were whole, some with the error's text behind it.
 */
function streamOf(body: Readable, signal: AbortSignal, stallTimeout: number): ReadableStream<Uint8Array> {
  // Until it is asked for, nobody listens.
  body.on('error', () => {})
  const chunks: AsyncIterator<Buffer> = body[Symbol.asyncIterator]()
  // What is read for a client that takes nothing is held for nobody; that it has gone is no failure.
  const stop = () => body.destroy()
  let isAsked = false
  const stalled = setTimeout(() => {
    if (isAsked) stalled.refresh()
    else stop()
  }, stallTimeout).unref()
  // Who only tells that the client has gone, and does not cancel the body, stops it as well.
  signal.addEventListener('abort', stop, { once: true })
  body.once('close', () => {
    clearTimeout(stalled)
    signal.removeEventListener('abort', stop)
  })
  return new ReadableStream(
    {
      async pull(controller) {
        isAsked = true
        const { done, value } = await chunks.next()
        if (done) return controller.close()
        controller.enqueue(value)
        isAsked = false
        stalled.refresh()
      },
      async cancel() {
        stop()
      },
    },
    { highWaterMark: 0 },
  )
}
