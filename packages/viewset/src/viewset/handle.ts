import { Readable } from 'node:stream'
import { isObserved } from '../core/channels.ts'
import { type ErrorLog, reportError, runInContext, type User } from '../core/context.ts'
import { errorEnvelope } from '../core/envelope.ts'
import { ApiError, NotAuthenticated, ValidationError } from '../core/errors.ts'
import { withVary } from '../core/headers/vary.ts'
import { inLanguage, Message, message } from '../core/messages/message.ts'
import { languageHeaders, type Wording, type Wordings } from '../core/messages/wording.ts'
import {
  type EnvelopeOptions,
  type EnvelopePlace,
  type EnvelopeReply,
  envelopeError,
  type ProjectEnvelope,
  type RequestBody,
} from '../core/project-envelope.ts'
import { type ApiRequest, checkAddress } from '../core/request.ts'
import type { ApiSettings } from '../core/settings.ts'
import { shorten } from '../core/text.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Database } from '../store/connection/database.ts'
import type { Session } from '../store/connection/session.ts'
import { settleCallbacks } from '../store/connection/transaction.ts'
import { failureOf, toApiError } from '../store/faults.ts'
import { TabularError } from '../tabular/errors.ts'
import type { Reply } from './answer/reply.ts'
import { type ApiResponse, isEventStream, JSON_TYPE, respond, whyUnsendable } from './answer/respond.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import { observeRequest } from './endpoints/observe-request.ts'
import type { KeyStore } from './idempotency/key-store.ts'
import type { MappingStore } from './mappings/mapping-store.ts'

/**
 * Finds the user of a request. Returns `null` for an anonymous request and throws `NotAuthenticated` for bad
 * credentials. It may use the API's database (`findRecords`, `currentDb`).
 */
export interface Authenticate {
  (request: ApiRequest): User | null | Promise<User | null>
  /** `WWW-Authenticate` of a 401 whose error sets none. Default `Bearer`. */
  readonly challenge?: string
  /** Security schemes by name, for the description of the API (OpenAPI 3.1). */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>
}

/** A way to authenticate (OpenAPI 3.1, "Security Scheme Object"). */
export type SecurityScheme = { readonly description?: string } & (
  | { readonly type: 'http'; readonly scheme: string; readonly bearerFormat?: string }
  | { readonly type: 'apiKey'; readonly in: 'header' | 'cookie' | 'query'; readonly name: string }
  | { readonly type: 'openIdConnect'; readonly openIdConnectUrl: string }
  | { readonly type: 'oauth2'; readonly flows: object }
  | { readonly type: 'mutualTLS' }
)

export interface Api {
  readonly database: Database
  readonly authenticate: Authenticate
  readonly settings: ApiSettings
  readonly jobs: Jobs | undefined
  readonly keys: KeyStore | undefined
  readonly mappings: MappingStore | undefined
  /** The languages of its texts. */
  readonly wordings: Wordings
  /** The JSON of the project, where it differs from the standard. */
  readonly own: EnvelopeOptions
}

/** A request whose body the project may change. */
type ReadRequest = ApiRequest & { body: unknown }

/** Answers a request to an endpoint. Never throws: every error becomes an envelope. */
export function handle(api: Api, endpoint: Endpoint, request: ReadRequest): Promise<ApiResponse> {
  return isObserved()
    ? observeRequest(endpoint, request, fail => answer(api, endpoint, request, fail))
    : answer(api, endpoint, request)
}

async function answer(
  api: Api,
  endpoint: Endpoint,
  request: ReadRequest,
  failed?: (error: unknown) => void,
): Promise<ApiResponse> {
  let response: ApiResponse | undefined
  try {
    checkAddress(request.url)
    const { database, settings, jobs, keys, mappings, own } = api
    const place = placeOf(endpoint)
    changeBody(request, own.requestBody, place)
    const envelope = own.envelope ? bound(own.envelope, place) : null
    const wording = wordingOf(api, request)
    const reads = endpoint.reads ? database.reads() : undefined
    const session = { database, transaction: null, callbacks: [], reads } satisfies Session
    const send = (reply: Reply): ApiResponse | Promise<ApiResponse> => {
      // Events are made after the reads of the request.
      if (isEventStream(reply)) reads?.leave()
      return respond(reply)
    }
    const act = (user: User | null): Promise<ApiResponse> =>
      endpoint.answer({ database, settings, jobs, keys, mappings, request, user }).then(send)
    const actAs = (user: User | null) => (user === null ? act(null) : runInContext({ user }, () => act(user)))
    response = await runInContext<Promise<ApiResponse>>(
      { user: null, session, settings, log: request, envelope, ...wording },
      () => {
        const user = api.authenticate(request)
        return user === null ? act(null) : Promise.resolve(user).then(actAs)
      },
    )
    if (session.callbacks.length > 0) await settleCallbacks(session)
    return response
  } catch (error) {
    // An answer that has begun and is not sent must release its database connection.
    if (response?.body instanceof Readable) response.body.destroy()
    // The client has gone, so an aborted answer is no error.
    if (!(error instanceof ApiError) && request.signal?.aborted && isAbort(error, request.signal)) return ABANDONED
    const refused = errorResponse(api, request, error, placeOf(endpoint))
    if (refused.status >= 500) failed?.(error)
    return refused
  }
}

/** @throws TypeError for a promise, which no action could read */
function changeBody(request: ReadRequest, change: RequestBody | undefined, place: EnvelopePlace): void {
  // A file has a stream in place of a body.
  if (!change || request.body === undefined || request.bodyStream) return
  const changed = change(request.body, place)
  if (changed instanceof Promise) throw new TypeError('The option requestBody returned a promise: it cannot wait.')
  request.body = changed
}

/** A server may abort with a reason that is no error. */
function isAbort(thrown: unknown, { reason }: AbortSignal): boolean {
  return thrown === reason || (thrown instanceof Error && thrown.name === 'AbortError')
}

/** The client is gone. nginx logs such requests with 499. */
const ABANDONED: ApiResponse = { status: 499, headers: {}, body: '' }

function bound(
  envelope: ProjectEnvelope,
  place: EnvelopePlace,
): (reply: Omit<EnvelopeReply, keyof EnvelopePlace>) => unknown {
  return reply => envelope({ ...reply, ...place })
}

export function placeOf({ resource, action }: Pick<Endpoint, 'resource' | 'action'>): EnvelopePlace {
  return { resource, action }
}

/** The place of a request that reaches no endpoint. */
const NOWHERE: EnvelopePlace = { resource: undefined, action: undefined }

type ErrorContext = Pick<Api, 'authenticate' | 'database' | 'wordings' | 'own'>

/** What an error needs to know of its request. */
type RefusedRequest = ErrorLog & Pick<ApiRequest, 'headers'>

function wordingOf({ wordings }: Pick<Api, 'wordings'>, { headers }: Pick<ApiRequest, 'headers'>): Wording {
  return wordings.of(headers['accept-language'])
}

export function errorResponse(
  api: ErrorContext,
  request: RefusedRequest,
  thrown: unknown,
  place: EnvelopePlace = NOWHERE,
): ApiResponse {
  const refuse = (error: ApiError, headers?: Readonly<Record<string, string>>) => {
    return refusal(api, request, error, { place, headers })
  }
  const known = toApiError(api.database.dialect, thrown) ?? oversizeFile(thrown)
  const fault = known && whyUnsendable(known)
  if (fault) return errorResponse(api, request, fault, place)
  // RFC 9110, 15.5.2: no 401 without a challenge.
  if (known?.status === 401) {
    const { authenticate } = api
    return refuse(withSignIn(known, authenticate, request), { 'www-authenticate': authenticate.challenge ?? 'Bearer' })
  }
  if (known && known.status < 500) return refuse(known)
  const errorId = reportError(thrown, failureOf(api.database.dialect, thrown, 'request failed'), request)
  const text = message('internal_error', { id: errorId })
  return refuse(known ?? new ApiError(500, 'internal_error', text), { 'x-error-id': errorId })
}

interface RefusalOptions {
  readonly place?: EnvelopePlace
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export function refusal(
  api: Pick<Api, 'wordings' | 'own'>,
  request: RefusedRequest,
  error: ApiError,
  { place = NOWHERE, headers = {} }: RefusalOptions = {},
): ApiResponse {
  const wording = wordingOf(api, request)
  const ofLanguage = languageHeaders(wording)
  const ofError = Object.fromEntries(Object.entries(error.headers).map(([name, value]) => [name.toLowerCase(), value]))
  const { status, body } = errorAnswer(api, request, error, place) ?? {
    status: error.status,
    body: errorEnvelope(error, wording),
  }
  return { status, headers: withVary({ ...JSON_TYPE, ...ofLanguage, ...headers, ...ofError }, ofLanguage.vary), body }
}

/** The answer of the project's own error handler. If it fails, the error gets the standard envelope. */
function errorAnswer(
  { wordings, own: { errorHandler } }: Pick<Api, 'wordings' | 'own'>,
  request: RefusedRequest,
  error: ApiError,
  place: EnvelopePlace,
): { readonly status: number; readonly body: string } | undefined {
  if (!errorHandler) return undefined
  try {
    const { language } = wordingOf({ wordings }, request)
    const answer = inLanguage(language, () => errorHandler(envelopeError(error, place)))
    if (!answer) return undefined
    const { status = error.status, body } = answer
    const text = JSON.stringify(body)
    const fault = whyUnsendable({ status, headers: {} })
    if (fault ?? text === undefined) throw fault ?? new TypeError('errorHandler must return a body that is JSON.')
    return { status, body: text }
  } catch (thrown) {
    reportError(thrown, 'errorHandler failed', request)
    return undefined
  }
}

/** The client can ask for fewer rows. Other errors of files are errors of the server. */
function oversizeFile(thrown: unknown): ApiError | undefined {
  if (!(thrown instanceof TabularError)) return undefined
  const { code, text } = thrown
  const isTooMuch = code === 'too_many_rows' || code === 'too_large' || code === 'out_of_time'
  return isTooMuch ? new ValidationError(text) : undefined
}

const BEARER = '"Authorization: Bearer <token>"'

function withSignIn(
  refused: ApiError,
  { securitySchemes, challenge }: Authenticate,
  { headers: sent }: RefusedRequest,
): ApiError {
  // An error with headers already has its challenge and its message.
  const isStandard = refused.text instanceof Message && refused.text.name === 'not_authenticated'
  if (!isStandard || Object.keys(refused.headers).length > 0) return refused
  const headers = Object.values(securitySchemes ?? {}).flatMap(credentialHeader)
  if (!securitySchemes && challenge?.startsWith('Bearer')) headers.push(BEARER)
  if (headers.length === 0) return refused
  const [scheme] = /^\S+/.exec(String(sent.authorization ?? '')) ?? []
  const expected = ['<key>', `${scheme} `].map(start => `"authorization: ${start}`.toLowerCase())
  const isExpected = headers.some(header => expected.some(start => header.toLowerCase().startsWith(start)))
  if (scheme === undefined || isExpected) return new NotAuthenticated(message('not_authenticated.header', { headers }))
  return new NotAuthenticated(message('not_authenticated.scheme', { scheme: shorten(scheme), headers }))
}

function credentialHeader(scheme: SecurityScheme): readonly string[] {
  if (scheme.type === 'apiKey' && scheme.in === 'header') return [`"${scheme.name}: <key>"`]
  if (scheme.type !== 'http' || scheme.scheme === undefined) return []
  return scheme.scheme.toLowerCase() === 'bearer' ? [BEARER] : [`"Authorization: ${scheme.scheme} <credentials>"`]
}
