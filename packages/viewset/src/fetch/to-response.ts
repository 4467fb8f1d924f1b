import { Readable } from 'node:stream'
import type { ApiResponse } from '../viewset/answer/respond.ts'

const WITHOUT_BODY = [204, 205, 304]

export function toResponse(
  { status, headers, body }: ApiResponse,
  request: Pick<Request, 'signal'>,
  stallTimeout: number,
): Response {
  const init = { status, headers: headersOf(headers) }
  if (WITHOUT_BODY.includes(status)) {
    // It has no reader.
    if (body instanceof Readable) body.destroy()
    return new Response(null, init)
  }
  // Servers add a length for an empty text, which a response to HEAD must not have.
  if (!(body instanceof Readable)) return new Response(body === '' ? null : body, init)
  // Some servers report a disconnected client without canceling the body.
  const stop = () => body.destroy()
  const { signal } = request
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  body.once('close', () => signal.removeEventListener('abort', stop))
  return new Response(webStream(body, stallTimeout), init)
}

function headersOf(headers: ApiResponse['headers']): Headers {
  const result = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    // An action may spell a header with capitals: the last one counts.
    result.delete(name)
    for (const each of typeof value === 'string' ? [value] : value) result.append(name, each)
  }
  return result
}

/** Its name shows that the client caused it. */
class StalledClient extends Error {
  override readonly name = 'AbortError'

  constructor() {
    super('The client takes nothing of its answer.')
  }
}

/**
 * A web stream that is filled as fast as it is read. If nothing is read for `timeout` ms, it is destroyed, which frees
 * its resources.
 *
 * Errors go only to a waiting reader: if a body fails between reads, Hono's server appends the error's text and ends it
 * like a complete body. `Readable.toWeb` reports errors at once, and ends the process if a stream with remaining data
 * is canceled.
 */
function webStream(body: Readable, timeout: number): ReadableStream<Uint8Array> {
  // Before it is read, errors have no listener.
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
          // An action's stream may contain texts.
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
