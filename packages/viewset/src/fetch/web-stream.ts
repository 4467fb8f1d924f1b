import type { Readable } from 'node:stream'

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
export function webStream(body: Readable, timeout: number): ReadableStream<Uint8Array> {
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
