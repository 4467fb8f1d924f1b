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
  return typeof data === 'string' ? data : (JSON.stringify(data) ?? 'null')
}

/** @throws TypeError for a line break, or for an id that clients would ignore */
function oneLine(name: string, value: string): string {
  if (/[\r\n\0]/.test(value)) throw new TypeError(`The ${name} of an event cannot be ${JSON.stringify(value)}.`)
  return value
}
