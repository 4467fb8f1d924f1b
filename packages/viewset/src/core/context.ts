import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { Ongoing, RequestEvent } from './channels.ts'
import { ENGLISH, type Language, setLanguageOfRequest } from './messages/message.ts'
import type { EnvelopePlace, EnvelopeReply } from './project-envelope.ts'
import { type ApiSettings, DEFAULT_SETTINGS } from './settings.ts'

/**
 * The user of a request. `authenticate` returns it and permissions read it. Its `id` becomes `created_by` and
 * `updated_by`.
 *
 * Add properties by declaration merging: `declare module 'viewset' { interface User { tenantId: string } }`.
 */
export interface User {
  readonly id: string | number
  readonly roles?: readonly string[]
}

/** The details of an error in the log. */
export interface ErrorDetails {
  /** The event in one sentence. */
  readonly message: string
  /** Identifies this log entry. The client that met the error gets the same id. */
  readonly errorId: string
  /** The request in which the error happened. */
  readonly requestId?: string
}

/** Receives the server's own errors, and warnings for the application's developers. */
export interface ErrorLog {
  logError(error: unknown, details: ErrorDetails): void
  logWarning(message: string): void
}

/** Writes errors to stderr, for scripts and for servers without a logger, so that each error id of an answer can be found. */
export const stderrLog: ErrorLog = {
  logError: (error, { message, errorId }) => console.error(`viewset: ${message} (error id ${errorId})`, error),
  logWarning: message => console.warn(`viewset: ${message}`),
}

/** Who changes records, and why, for their history. */
export interface Change {
  /** The resource's action in snake_case, such as `bulk_update`. */
  readonly source: string | null
  readonly reason: string | null
  readonly requestId: string | null
  /** The job that writes, such as an import. */
  readonly job: string | null
  /** The fixed values of the resource by the names of their columns. */
  readonly fixed?: () => Readonly<Record<string, unknown>>
}

interface Context {
  readonly user: User | null
  /** `null` outside of requests and jobs. */
  readonly change: Change | null
  /** Whether writes get entries in histories. */
  readonly recordsHistory: boolean
  readonly settings: ApiSettings
  readonly log: ErrorLog
  readonly session: object | null
  /** `null` if no channel has subscribers. */
  readonly request: Ongoing<RequestEvent> | null
  readonly sent: Map<string, number> | null
  /** The language of the client's texts. */
  readonly language: Language
  /** Whether other clients get another language. */
  readonly varies: boolean
  /** Whether errors have codes beside their texts. */
  readonly errorCodes: boolean
  /** Makes the JSON of an answer in place of the standard envelope. */
  readonly envelope: ((reply: Omit<EnvelopeReply, keyof EnvelopePlace>) => unknown) | null
}

const NOTHING: Context = {
  user: null,
  change: null,
  recordsHistory: true,
  settings: DEFAULT_SETTINGS,
  log: stderrLog,
  session: null,
  request: null,
  sent: null,
  language: ENGLISH,
  varies: false,
  errorCodes: false,
  envelope: null,
}
const storage = new AsyncLocalStorage<Context>()

export function currentContext(): Context {
  return storage.getStore() ?? NOTHING
}

/** The object of the current request or job, to count what is done in it; `undefined` outside of both. */
export function currentScope(): object | undefined {
  return storage.getStore()
}

setLanguageOfRequest(() => currentContext().language)

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
 * Produces each item in the context of this call. The server reads a stream long after the request's code has returned.
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

/** Logs to the request's log, or else to stderr. Returns the error's id. */
export function reportError(error: unknown, message: string, log: ErrorLog = currentContext().log): string {
  const errorId = randomUUID()
  log.logError(error, { message, errorId })
  return errorId
}
