import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { eventText, type ServerSentEvent, type ServerSentEvents } from './event-stream.ts'

/** Milliseconds. Proxies give up connections over which nothing comes, the most impatient ones after 30 seconds. */
const QUIET = 15_000

/** A comment, which clients skip. */
const COMMENT = ':\n\n'

/** The bytes of an event stream, while it goes on. */
export class EventBody extends Readable {
  readonly #events: ServerSentEvents
  readonly #gone = new AbortController()
  /** What the action knows of its request is known while its events are made. */
  readonly #inContext = AsyncLocalStorage.snapshot()
  #iterator: AsyncIterator<ServerSentEvent> | undefined
  #timer: NodeJS.Timeout | undefined
  #isAsking = false
  #isOver = false

  constructor(events: ServerSentEvents) {
    super()
    this.#events = events
  }

  /** Ends it while the server stops. All clients come again, but not all at once. */
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
    // At once, so that the head of the answer is sent before there is an event.
    this.push(COMMENT)
    // What nobody has taken yet keeps a connection as well as a comment would.
    this.#timer = setInterval(() => this.readableLength === 0 && this.push(COMMENT), QUIET).unref()
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

  /** What waits for the signal may well fail with it. */
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
    // One that waits for something else than the signal ends when that comes.
    this.#iterator?.return?.().catch(() => {})
  }
}
