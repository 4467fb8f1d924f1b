/** One of the events of an {@link EventStream} (HTML, "Server-sent events"). */
export interface ServerSentEvent {
  /** Text as it is, anything else as JSON. */
  readonly data: unknown
  /** What a client listens to by name. Default: `message`. */
  readonly event?: string
  /** What a client that connects again sends as `Last-Event-ID`. */
  readonly id?: string
  /** Milliseconds after which a client that has lost the connection comes again. */
  readonly retry?: number
}

/** The events of a stream. The signal aborts when nobody is there for them any more, or the server stops. */
export type ServerSentEvents = (signal: AbortSignal) => AsyncIterable<ServerSentEvent>

/**
 * An answer that goes on: events that are sent when they happen, as `EventSource` reads them. It ends when the events do,
 * when the client leaves, and when the server stops: a client comes again by itself and says which event it had last.
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

/** An event as it is sent. */
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
  return typeof data === 'string' ? data : (JSON.stringify(data) ?? 'null')
}

/** @throws TypeError for what would be taken for more lines, or for no id at all. */
function oneLine(name: string, value: string): string {
  if (/[\r\n\0]/.test(value)) throw new TypeError(`The ${name} of an event cannot be ${JSON.stringify(value)}.`)
  return value
}
