import type { AsyncLocalStorage } from 'node:async_hooks'
import { type TracingChannelSubscribers, tracingChannel } from 'node:diagnostics_channel'

/** A request to an endpoint, from its arrival until the last byte of its answer was handed over. */
export interface RequestEvent {
  /** Names the request in the server's log. */
  readonly id: string
  /** The resource by its name in the path; `null` for an endpoint of the API itself, such as its root. */
  readonly resource: string | null
  readonly action: string
  readonly method: string
  /** Behind the API's prefix, with `:id` in the place of an identifier: `/cities/:id/`. */
  readonly route: string
  /** Of the answer; 0 until there is one, 499 for a client that did not wait for it. */
  readonly status: number
  /** Statements sent for it until now, also those of `authenticate`, of permissions and of hooks. */
  readonly statements: number
  /** Milliseconds; 0 until the end. */
  readonly duration: number
  /** What has failed on our side. A request that is refused is no failure. */
  readonly error?: unknown
}

/** A transaction or a savepoint. One that is run again, since it has lost against another, is an event each time. */
export interface TransactionEvent {
  /** The name of the dialect: `pg`, `sqlite` or your own. */
  readonly database: string
  readonly kind: 'transaction' | 'savepoint'
  /** Of a savepoint, what it is in; `null` where the application began that. */
  readonly parent: TransactionEvent | null
  /** 1, and more where it is run again. */
  readonly attempt: number
  readonly request: RequestEvent | null
  /** `null` until the end, and where no answer to a commit has come. A savepoint commits when it is released. */
  readonly outcome: 'commit' | 'rollback' | null
  /** Milliseconds until it had a connection and had begun. */
  readonly waited: number
  /** Milliseconds from when it was asked for; 0 until the end. */
  readonly duration: number
  readonly error?: unknown
}

/** A statement on its way to the database. Values are no part of it: they may be anybody's data. */
export interface StatementEvent {
  /** The name of the dialect: `pg`, `sqlite` or your own. */
  readonly database: string
  /** The name under which a server may keep it prepared, the same for the same text; `null` for one that has none. */
  readonly name: string | null
  /** The SQL, with placeholders. */
  readonly text: string
  /** It is read in batches, at the pace of the client that gets them: `duration` says nothing of the database then. */
  readonly streamed: boolean
  readonly request: RequestEvent | null
  /** The transaction that it runs in, or the savepoint. */
  readonly transaction: TransactionEvent | null
  /** Rows that were read, inserted, updated or deleted; 0 until the end. */
  readonly rows: number
  /** Milliseconds, with the wait for a connection outside of a transaction; 0 until the end. */
  readonly duration: number
  /** What the database calls the error: a SQLSTATE, or SQLite's name of it. */
  readonly code: string | null
  /** What was thrown. Its text may quote values, as nothing else here does. */
  readonly error?: unknown
}

/** One of Node's `Channel`s, with the type of its events. */
export interface EventMoment<E extends object> {
  readonly hasSubscribers: boolean
  subscribe(handler: (event: unknown) => void): void
  unsubscribe(handler: (event: unknown) => void): void
  /** Of `start`: for as long as the event goes on, `store` has what `transform` makes of it. */
  bindStore<S>(store: AsyncLocalStorage<S>, transform: (event: E) => S): void
  unbindStore<S>(store: AsyncLocalStorage<S>): boolean
}

/**
 * One of Node's `TracingChannel`s, with the type of its events. It is written out, since the declarations of Node's own
 * have other type parameters from one version to the next.
 */
export interface EventChannel<E extends object> {
  readonly hasSubscribers: boolean
  readonly start: EventMoment<E>
  readonly end: EventMoment<E>
  readonly asyncStart: EventMoment<E>
  readonly asyncEnd: EventMoment<E>
  readonly error: EventMoment<E>
  /** Calls the handlers that are given. What they throw is an `uncaughtException` of the process, as Node has it. */
  subscribe(handlers: Partial<TracingChannelSubscribers<E>>): void
  unsubscribe(handlers: Partial<TracingChannelSubscribers<E>>): void
  tracePromise<T>(fn: () => Promise<T>, event: E): Promise<T>
}

/**
 * What an API tells of its work, as `diagnostics_channel`s of Node: `start` when something begins, `asyncEnd` when it
 * has ended, `error` where it has failed. Their names are `viewset.request`, `viewset.transaction`, `viewset.statement`.
 * Where nobody has subscribed, they cost nothing.
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

/** An event while it goes on. */
export type Ongoing<E> = { -readonly [K in keyof E]: E[K] }

/** Whether anybody has subscribed to any of the channels. */
export function isObserved(): boolean {
  return channels.request.hasSubscribers || channels.statement.hasSubscribers || channels.transaction.hasSubscribers
}

/** Runs `fn` as what `event` tells of. What it returns is data, so no subscriber gets it. */
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
