import { Readable } from 'node:stream'
import type { ApiResponse } from '../viewset/respond.ts'

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

/** By its name nobody takes it for a fault of ours. */
class StalledClient extends Error {
  override readonly name = 'AbortError'

  constructor() {
    super('The client takes nothing of its answer.')
  }
}

/**
 * A stream as the Fetch standard has it, made as fast as it is read. One of which nothing is read for `timeout`
 * milliseconds is given up: what is held for it is held for nobody.
 *
 * An error is told to who waits for more: the server of Hono ends a body that fails while it waits for its client as if
 * it were whole, with the error's text behind it. `Readable.toWeb` tells it at once, and would end the process where a
 * stream is cancelled that has something left.
 */
function webStream(body: Readable, timeout: number): ReadableStream<Uint8Array> {
  // Until it is read, nobody listens.
  body.on('error', () => {})
  const chunks: AsyncIterator<Uint8Array | string> = body[Symbol.asyncIterator]()
  let timer: NodeJS.Timeout | undefined
  const stop = () => clearTimeout(timer)
  const wait = (controller: ReadableStreamDefaultController) => {
    timer = setTimeout(() => {
      const error = new StalledClient()
      body.destroy(error)
      controller.error(error)
    }, timeout).unref()
  }
  return new ReadableStream<Uint8Array>(
    {
      start: wait,
      async pull(controller) {
        stop()
        const { done, value } = await chunks.next()
        if (done) {
          controller.close()
        } else {
          // A stream of an action may be one of texts.
          controller.enqueue(typeof value === 'string' ? Buffer.from(value) : value)
          wait(controller)
        }
      },
      cancel() {
        stop()
        body.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}
