import { AsyncLocalStorage } from 'node:async_hooks'
import type { Ongoing, RequestEvent } from './channels.ts'
import { type ErrorLog, stderrLog } from './error-log.ts'
import { type ApiSettings, DEFAULT_SETTINGS } from './settings.ts'
import type { User } from './user.ts'

/** What travels with the running code: who asks, the settings, the log, the store's session, and who is told of it. */
export interface Context {
  readonly user: User | null
  readonly settings: ApiSettings
  readonly log: ErrorLog
  /** Opaque here; `store/session.ts` owns its shape. */
  readonly session: object | null
  /** The request as subscribers are told of it, where there are any. */
  readonly request: Ongoing<RequestEvent> | null
  /** How often each statement was sent, where somebody wants to know. */
  readonly sent: Map<string, number> | null
}

const NOTHING: Context = {
  user: null,
  settings: DEFAULT_SETTINGS,
  log: stderrLog,
  session: null,
  request: null,
  sent: null,
}
const storage = new AsyncLocalStorage<Context>()

/** The context of the running code; outside a request there is no user and no session. */
export function currentContext(): Context {
  return storage.getStore() ?? NOTHING
}

/** Runs `fn` with some of the context replaced. */
export function runInContext<T>(changes: Partial<Context>, fn: () => T): T {
  return storage.run({ ...currentContext(), ...changes }, fn)
}

/**
 * The user of the current request, or `null` for an anonymous one and outside a request.
 *
 * @example
 * const author = currentUser()?.id
 */
export function currentUser(): User | null {
  return currentContext().user
}

/**
 * Runs `fn` as `user`, for scripts and jobs: audit fields are filled as in a request of that user.
 *
 * @example
 * await runAs({ id: robot.id }, () => nightlyCleanup())
 */
export function runAs<T>(user: User | null, fn: () => T): T {
  return runInContext({ user }, fn)
}

/**
 * The same items, each made in the context in which this was called: a stream is read by whoever sends it, long after
 * the request's own code has returned.
 */
export function keepContext<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  return readIn(AsyncLocalStorage.snapshot(), items)
}

async function* readIn<T>(run: <R>(fn: () => R) => R, items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = run(() => items[Symbol.asyncIterator]())
  try {
    for (;;) {
      const { done, value } = await run(() => iterator.next())
      if (done) return
      yield value
    }
  } finally {
    await run(() => iterator.return?.())
  }
}
