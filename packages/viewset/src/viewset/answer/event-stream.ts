import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { jsonOf } from '../../core/json/json-of.ts'

/** One event of an {@link EventStream} (HTML, "Server-sent events"). */
export interface ServerSentEvent {
  /** Text is sent as it is, other values as JSON. */
  readonly data: unknown
  /** The name that a client listens to. Default: `message`. */
  readonly event?: string
  /** A client that reconnects sends the last one as `Last-Event-ID`. */
  readonly id?: string
  /** Milliseconds after which a disconnected client reconnects. */
  readonly retry?: number
}

/** The events of a stream. The signal aborts when the client leaves or the server stops. */
export type ServerSentEvents = (signal: AbortSignal) => AsyncIterable<ServerSentEvent>

/**
 * An answer that stays open: events that are sent when they happen, for `EventSource`. It ends when the generator
 * ends, the client leaves or the server stops. A client reconnects by itself and sends the id of its last event.
 *
 * @example
 * return new EventStream(async function* (signal) {
 *   for await (const [price] of on(prices, 'change', { signal })) yield { id: price.id, data: price }
 * })
 */
export class EventStream {
  readonly events: ServerSentEvents

  constructor(events: ServerSentEvents) {
    this.events = events
  }
}

export function eventText({ data, event, id, retry }: ServerSentEvent): string {
  const lines = [
    ...(event === undefined ? [] : [`event: ${oneLine('event', event)}`]),
    ...(id === undefined ? [] : [`id: ${oneLine('id', id)}`]),
    ...(retry === undefined ? [] : [`retry: ${Math.trunc(retry)}`]),
    ...textOf(data)
      .split(/\r\n|\r|\n/)
      .map(line => `data: ${line}`),
  ]
  return `${lines.join('\n')}\n\n`
}

function textOf(data: unknown): string {
  return typeof data === 'string' ? data : jsonOf(data)
}

/** @throws TypeError for a line break, or for an id that clients would ignore */
function oneLine(name: string, value: string): string {
  if (/[\r\n\0]/.test(value)) throw new TypeError(`The ${name} of an event cannot be ${JSON.stringify(value)}.`)
  return value
}

/** In milliseconds. Proxies close silent connections, some after 30 seconds. */
const KEEP_ALIVE_PAUSE = 15_000

/** A comment, which clients skip. */
const COMMENT = ':\n\n'

export class EventBody extends Readable {
  readonly #events: ServerSentEvents
  readonly #gone = new AbortController()
  /** Runs the generator of events in the context of the request. */
  readonly #inContext = AsyncLocalStorage.snapshot()
  #iterator: AsyncIterator<ServerSentEvent> | undefined
  #timer: NodeJS.Timeout | undefined
  #isAsking = false
  #isOver = false

  constructor(events: ServerSentEvents) {
    super()
    this.#events = events
  }

  /** Ends the stream when the server stops. Clients reconnect after random pauses, so not all at once. */
  stop(): void {
    if (this.#isOver) return
    this.push(`retry: ${1_000 + Math.trunc(Math.random() * 4_000)}\n\n`)
    this.#end()
  }

  override _read(): void {
    if (this.#isAsking || this.#isOver) return
    this.#isAsking = true
    if (!this.#iterator) this.#begin()
    this.#inContext(() => this.#pushNext()).catch(error => this.#fail(error))
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#letGo()
    done(error)
  }

  #begin(): void {
    // Sends the head of the answer before the first event.
    this.push(COMMENT)
    // Bytes that the client has not read yet keep the connection open as well as a comment.
    this.#timer = setInterval(() => this.readableLength === 0 && this.push(COMMENT), KEEP_ALIVE_PAUSE).unref()
    const events = this.#inContext(this.#events, this.#gone.signal)
    this.#iterator = events[Symbol.asyncIterator]()
  }

  async #pushNext(): Promise<void> {
    const next = await this.#iterator?.next()
    this.#isAsking = false
    if (this.#isOver) return
    if (!next || next.done) this.#end()
    else this.push(eventText(next.value))
  }

  /** A generator that awaits the signal may fail when it aborts. */
  #fail(error: Error): void {
    if (!this.#isOver) this.destroy(error)
  }

  #end(): void {
    this.#letGo()
    this.push(null)
  }

  #letGo(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearInterval(this.#timer)
    this.#gone.abort()
    // A generator that awaits something else ends after it.
    this.#iterator?.return?.().catch(() => {})
  }
}
