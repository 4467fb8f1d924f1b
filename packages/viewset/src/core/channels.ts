import type { AsyncLocalStorage } from 'node:async_hooks'
import { type TracingChannelSubscribers, tracingChannel } from 'node:diagnostics_channel'

/** A request to an endpoint, from its arrival until its last byte is sent. */
export interface RequestEvent {
  /** Names the request in the server's log. */
  readonly id: string
  /** The resource's name in the path. `null` for an endpoint of the API itself, such as its root. */
  readonly resource: string | null
  readonly action: string
  readonly method: string
  /** The path behind the API's prefix, with `:id` for an identifier: `/cities/:id/`. */
  readonly route: string
  /** Status of the response: 0 without a response yet, 499 if the client left first. */
  readonly status: number
  /** Statements sent for the request so far, with those of `authenticate`, permissions and hooks. */
  readonly statements: number
  /** Milliseconds; 0 until the end. */
  readonly duration: number
  /** The error of the server, if the request failed. A rejected request is not a failure. */
  readonly error?: unknown
}

/** A transaction or a savepoint. Each retry after a conflict is an event of its own. */
export interface TransactionEvent {
  /** The name of the dialect: `pg`, `sqlite` or your own. */
  readonly database: string
  readonly kind: 'transaction' | 'savepoint'
  /** The surrounding transaction of a savepoint. `null` if the application began it. */
  readonly parent: TransactionEvent | null
  /** 1, and one more for each retry. */
  readonly attempt: number
  readonly request: RequestEvent | null
  /** `null` until the end, and if the commit got no answer. A savepoint commits when it is released. */
  readonly outcome: 'commit' | 'rollback' | null
  /** Milliseconds until it had a connection and had begun. */
  readonly waited: number
  /** Milliseconds since it was requested; 0 until the end. */
  readonly duration: number
  readonly error?: unknown
}

/** A statement for the database. Its values are left out, because they may be personal data. */
export interface StatementEvent {
  /** The name of the dialect: `pg`, `sqlite` or your own. */
  readonly database: string
  /** The name of a prepared statement, the same for the same text. `null` if the statement is not prepared. */
  readonly name: string | null
  /** The SQL, with placeholders. */
  readonly text: string
  /** The rows are read in batches, as fast as the client takes them: `duration` does not measure the database. */
  readonly streamed: boolean
  readonly request: RequestEvent | null
  /** The transaction or savepoint that it runs in. */
  readonly transaction: TransactionEvent | null
  /** Rows that were read, inserted, updated or deleted; 0 until the end. */
  readonly rows: number
  /** Milliseconds, with the wait for a connection outside of a transaction; 0 until the end. */
  readonly duration: number
  /** The database's error code: a SQLSTATE, or SQLite's name. */
  readonly code: string | null
  /** The thrown error. Its text may quote values. */
  readonly error?: unknown
}

/** A `Channel` of Node, with the type of its events. */
export interface EventMoment<E extends object> {
  readonly hasSubscribers: boolean
  subscribe(handler: (event: unknown) => void): void
  unsubscribe(handler: (event: unknown) => void): void
  /** Only for `start`: during the event, `store` holds the result of `transform`. */
  bindStore<S>(store: AsyncLocalStorage<S>, transform: (event: E) => S): void
  unbindStore<S>(store: AsyncLocalStorage<S>): boolean
}

/**
 * A `TracingChannel` of Node, with the type of its events. Declared here because Node's own declarations change their
 * type parameters between versions.
 */
export interface EventChannel<E extends object> {
  readonly hasSubscribers: boolean
  readonly start: EventMoment<E>
  readonly end: EventMoment<E>
  readonly asyncStart: EventMoment<E>
  readonly asyncEnd: EventMoment<E>
  readonly error: EventMoment<E>
  /** Calls the given handlers. An error that they throw is an `uncaughtException` of the process, as in Node. */
  subscribe(handlers: Partial<TracingChannelSubscribers<E>>): void
  unsubscribe(handlers: Partial<TracingChannelSubscribers<E>>): void
  tracePromise<T>(fn: () => Promise<T>, event: E): Promise<T>
}

/**
 * The events of an API as `diagnostics_channel`s of Node: `start` when an operation begins, `asyncEnd` when it ends,
 * `error` if it fails. The channels are `viewset.request`, `viewset.transaction` and `viewset.statement`. Without
 * subscribers they cost nothing.
 *
 * @example
 * channels.statement.subscribe({
 *   asyncEnd: ({ text, rows, duration }) => {
 *     if (duration > 200) console.warn(`${duration} ms, ${rows} rows: ${text}`)
 *   },
 * })
 */
export const channels: {
  readonly request: EventChannel<RequestEvent>
  readonly transaction: EventChannel<TransactionEvent>
  readonly statement: EventChannel<StatementEvent>
} = {
  request: tracingChannel<unknown, RequestEvent>('viewset.request'),
  transaction: tracingChannel<unknown, TransactionEvent>('viewset.transaction'),
  statement: tracingChannel<unknown, StatementEvent>('viewset.statement'),
}

export type Ongoing<E> = { -readonly [K in keyof E]: E[K] }

export function isObserved(): boolean {
  return channels.request.hasSubscribers || channels.statement.hasSubscribers || channels.transaction.hasSubscribers
}

/** Runs `fn` and publishes `event` around it. Subscribers do not get the result, which is data. */
export async function traced<E extends { readonly duration: number }, T>(
  channel: EventChannel<E>,
  event: E & { duration: number },
  fn: () => Promise<T>,
): Promise<T> {
  const results: T[] = []
  const start = performance.now()
  await channel.tracePromise(async () => {
    try {
      results.push(await fn())
    } finally {
      event.duration = performance.now() - start
    }
  }, event)
  return results[0] as T
}
