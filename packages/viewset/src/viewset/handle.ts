import { Readable } from 'node:stream'
import { isObserved } from '../core/channels.ts'
import { type ErrorLog, reportError, runInContext, type User } from '../core/context.ts'
import { errorEnvelope } from '../core/envelope.ts'
import { ApiError, ValidationError } from '../core/errors.ts'
import { type ApiRequest, checkAddress } from '../core/request.ts'
import type { ApiSettings } from '../core/settings.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Database } from '../store/connection/database.ts'
import type { Session } from '../store/connection/session.ts'
import { settleCallbacks } from '../store/connection/transaction.ts'
import { missingTable, toApiError } from '../store/faults.ts'
import { TabularError } from '../tabular/errors.ts'
import { whyUnsendable } from './check-sendable.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import { observeRequest } from './endpoints/observe-request.ts'
import { EventStream } from './event-stream.ts'
import { withSignIn } from './how-to-sign-in.ts'
import { type ApiResponse, JSON_TYPE, respond } from './respond.ts'

/**
 * Finds out who makes a request: a user, `null` for nobody, or a thrown `NotAuthenticated` for bad credentials. It may
 * ask the API's database (`findRecords`, `currentDb`).
 */
export interface Authenticate {
  (request: ApiRequest): User | null | Promise<User | null>
  /** How a client is told to ask: `WWW-Authenticate` of a 401 that says nothing else. Default `Bearer`. */
  readonly challenge?: string
  /** How clients say who they are, for a description of the API: security schemes by name (OpenAPI 3.1). */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>
}

/** A way to say who one is (OpenAPI 3.1, "Security Scheme Object"). */
export type SecurityScheme = { readonly description?: string } & (
  | { readonly type: 'http'; readonly scheme: string; readonly bearerFormat?: string }
  | { readonly type: 'apiKey'; readonly in: 'header' | 'cookie' | 'query'; readonly name: string }
  | { readonly type: 'openIdConnect'; readonly openIdConnectUrl: string }
  | { readonly type: 'oauth2'; readonly flows: object }
  | { readonly type: 'mutualTLS' }
)

/** What the endpoints of one API share. */
export interface Api {
  readonly database: Database
  readonly authenticate: Authenticate
  readonly settings: ApiSettings
  /** What goes on behind its answers, where there is such a thing. */
  readonly jobs: Jobs | undefined
}

/** Answers a request to an endpoint. Never throws: whatever goes wrong becomes an envelope. */
export function handle(api: Api, endpoint: Endpoint, request: ApiRequest): Promise<ApiResponse> {
  return isObserved()
    ? observeRequest(endpoint, request, fail => answer(api, endpoint, request, fail))
    : answer(api, endpoint, request)
}

/** `failed` is called with what is a fault of ours. */
async function answer(
  api: Api,
  endpoint: Endpoint,
  request: ApiRequest,
  failed?: (error: unknown) => void,
): Promise<ApiResponse> {
  let response: ApiResponse | undefined
  try {
    checkAddress(request.url)
    const { database, settings, jobs } = api
    const reads = endpoint.reads ? database.reads() : undefined
    const session = { database, transaction: null, callbacks: [], reads } satisfies Session
    const act = async (user: User | null): Promise<ApiResponse> => {
      const reply = await endpoint.answer({ database, settings, jobs, request, user })
      // What such an answer tells happens later than all that the request has read so far.
      if (reply.data instanceof EventStream) reads?.leave()
      return respond(reply)
    }
    const actAs = (user: User | null) => (user === null ? act(null) : runInContext({ user }, () => act(user)))
    response = await runInContext<Promise<ApiResponse>>({ user: null, session, settings, log: request }, () => {
      const user = api.authenticate(request)
      return user === null ? act(null) : Promise.resolve(user).then(actAs)
    })
    if (session.callbacks.length > 0) await settleCallbacks(session)
    return response
  } catch (error) {
    // What has begun and is not sent after all gives its connection back.
    if (response?.body instanceof Readable) response.body.destroy()
    // Nobody waits for this answer: that its making was stopped is no error.
    if (request.signal?.aborted && isAbort(error, request.signal)) return ABANDONED
    const refused = errorResponse(api, request, error)
    if (refused.status >= 500) failed?.(error)
    return refused
  }
}

/** Servers give reasons of their own, also such as are no errors. */
function isAbort(thrown: unknown, { reason }: AbortSignal): boolean {
  return thrown === reason || (thrown instanceof Error && thrown.name === 'AbortError')
}

/** For a client that is gone; 499 is what nginx writes in its log for one. */
const ABANDONED: ApiResponse = { status: 499, headers: {}, body: '' }

type ErrorContext = Pick<Api, 'authenticate' | 'database'>

/** The response to anything thrown. What is not meant for a client gets an id, and the log gets the rest. */
export function errorResponse(api: ErrorContext, log: ErrorLog, thrown: unknown): ApiResponse {
  const known = toApiError(api.database.dialect, thrown) ?? oversizeFile(thrown)
  const fault = known && whyUnsendable(known)
  if (fault) return errorResponse(api, log, fault)
  // RFC 9110, 15.5.2: no 401 without a challenge.
  if (known?.status === 401) {
    const { authenticate } = api
    return refusal(withSignIn(known, authenticate), { 'www-authenticate': authenticate.challenge ?? 'Bearer' })
  }
  if (known && known.status < 500) return refusal(known)
  const missing = api.database.dialect.missingTable(thrown)
  const errorId = reportError(thrown, missing === undefined ? 'request failed' : missingTable(missing), log)
  const fixedText = `Something went wrong on our side. Please quote error id ${errorId}.`
  return refusal(known ?? new ApiError(500, 'internal_error', fixedText), { 'x-error-id': errorId })
}

/** The response to an error that is a client's to read; its own headers win. */
export function refusal(error: ApiError, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  return { status: error.status, headers: { ...JSON_TYPE, ...headers, ...error.headers }, body: errorEnvelope(error) }
}

/** A file that cannot be made of so many rows is for the client to change; all else about files is our own affair. */
function oversizeFile(thrown: unknown): ApiError | undefined {
  if (!(thrown instanceof TabularError)) return undefined
  const { code, message } = thrown
  const isTooMuch = code === 'too_many_rows' || code === 'too_large' || code === 'out_of_time'
  return isTooMuch ? new ValidationError(message) : undefined
}
