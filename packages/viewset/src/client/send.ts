import { ClientError, type Envelope, isEnvelope } from './client-error.ts'
import { noteEtag } from './etags.ts'
import { type CallOptions, type ClientOptions, queryString, type RequestOptions } from './options.ts'

export type Ask = (address: string, init: RequestInit) => Promise<Response>

/** A successful response. */
export interface Answer<T> {
  readonly status: number
  readonly headers: Headers
  /** `undefined` for a 204 and for a file. */
  readonly envelope: Envelope<T> | undefined
  /** The envelope's data. A file is a {@link Download}; for a 204 it is `null`. */
  readonly data: T
}

export class Sender {
  readonly options: ClientOptions
  readonly #base: string

  constructor(options: ClientOptions) {
    this.options = options
    this.#base = options.baseUrl.replace(/\/+$/, '')
  }

  /** Sends JSON to a path behind `baseUrl`. With `isFile`, a response of another media type is a file. */
  async send<T>(method: string, path: string, options: RequestOptions = {}, isFile = false): Promise<Answer<T>> {
    const { body, query } = options
    const isJson = body !== undefined && !(body instanceof FormData)
    const init: RequestInit = body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as FormData) }
    const headers: Record<string, string> = isJson ? { 'content-type': 'application/json' } : {}
    const { fetch: ask = fetch } = this.options
    return this.ask(ask, method, path + queryString(query), { ...init, headers }, options, isFile)
  }

  async ask<T>(
    ask: Ask,
    method: string,
    path: string,
    init: RequestInit,
    { signal, headers, ifMatch, idempotencyKey }: CallOptions,
    isFile = false,
  ): Promise<Answer<T>> {
    const { token, headers: common, retries = RETRIES } = this.options
    const bearer = typeof token === 'function' ? await token() : token
    const address = this.#base + path.replace(/^\/?/, '/')
    const all = new Headers(init.headers)
    if (bearer) all.set('authorization', `Bearer ${bearer}`)
    if (ifMatch !== undefined) all.set('if-match', ifMatch)
    if (idempotencyKey !== undefined) all.set('idempotency-key', idempotencyKey === true ? newKey() : idempotencyKey)
    for (const some of [typeof common === 'function' ? await common() : common, headers]) {
      for (const [name, value] of Object.entries(some ?? {})) all.set(name, value)
    }
    const request = `${method} ${address}`
    // The API never redirects. Following another server's redirect would turn POST into GET and leak headers.
    const sent: RequestInit = { ...init, method, headers: all, redirect: 'error', ...(signal && { signal }) }
    const once = async () => {
      const response = await ask(address, sent).catch(cause => {
        throw unanswered(request, signal, cause)
      })
      return read<T>(response, request, signal, isFile)
    }
    return idempotencyKey === undefined ? once() : repeated(once, retries, signal)
  }
}

const RETRIES = 3
/** Milliseconds before a request is sent again the first time. */
const PAUSE = 200

/** Sends a request again if it may not have arrived, or its answer was lost. */
async function repeated<T>(once: () => Promise<T>, retries: number, signal: AbortSignal | undefined): Promise<T> {
  for (let tried = 0; ; tried++) {
    try {
      return await once()
    } catch (error) {
      if (!(error instanceof ClientError) || !mayRepeat(error) || tried >= retries || signal?.aborted) throw error
      const pause = error.retryAfter === undefined ? PAUSE * 2 ** tried : error.retryAfter * 1_000
      // Clients that failed together do not come back together.
      await new Promise(resolve => setTimeout(resolve, pause * (1 + Math.random())))
    }
  }
}

/** Also while the first request with the key still runs, which the API answers with 409 and a time to wait. */
function mayRepeat({ status, retryAfter }: ClientError): boolean {
  return status === 0 || [502, 503, 504].includes(status) || (status === 409 && retryAfter !== undefined)
}

/** A browser has `randomUUID` on secure pages only. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('')
}

/** @throws ClientError unless the API reports success */
async function read<T>(
  response: Response,
  request: string,
  signal: AbortSignal | undefined,
  isFile: boolean,
): Promise<Answer<T>> {
  const { status, headers, ok } = response
  const answer = { status, headers, envelope: undefined }
  if (status === 204) return { ...answer, data: null as T }
  const type = headers.get('content-type') ?? 'no content type'
  const isAttached = headers.get('content-disposition')?.startsWith('attachment')
  if (ok && (isAttached || (isFile && !/json|html/.test(type))))
    return { ...answer, data: new Download(response, signal) as T }
  const text = await response.text().catch(cause => {
    throw unanswered(request, signal, cause)
  })
  const envelope = parsed(text)
  if (ok && isEnvelope(envelope)) {
    noteEtag(envelope.data, headers.get('etag'))
    return { ...answer, envelope: envelope as Envelope<T>, data: envelope.data as T }
  }
  if (isEnvelope(envelope))
    throw new ClientError(envelope.message, { status, headers, envelope: envelope as Envelope<null> })
  const start = text.replace(/\s+/g, ' ').slice(0, 80)
  throw new ClientError(`${request}: this is no answer of the API, but ${status} with ${type}: ${start}`, {
    status,
    headers,
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unanswered(request: string, signal: AbortSignal | undefined, cause: unknown): ClientError {
  if (signal?.aborted) return new ClientError(`${request} was aborted.`, { cause: signal.reason })
  const reason = cause instanceof Error ? cause.cause : undefined
  const why = cause instanceof Error ? cause.message : String(cause)
  const more = reason instanceof Error ? `: ${reason.message}` : ''
  return new ClientError(`${request} got no answer: ${why}${more}. Is the server running, and the address right?`, {
    cause,
  })
}

/** A file of the API, not read yet. */
export class Download {
  readonly filename: string
  /** Its media type, such as `text/csv; charset=utf-8`. */
  readonly type: string
  /** Values that the file could not show, as a sentence; empty if it shows all. */
  readonly warnings: string
  readonly #response: Response
  readonly #signal: AbortSignal | undefined

  constructor(response: Response, signal?: AbortSignal) {
    const { headers } = response
    const disposition = headers.get('content-disposition') ?? ''
    const [, encoded] = /filename\*=UTF-8''([^;]+)/.exec(disposition) ?? []
    const [, plain = 'download'] = /filename="([^"]*)"/.exec(disposition) ?? []
    this.filename = encoded === undefined ? plain : decodeURIComponent(encoded)
    this.type = headers.get('content-type') ?? ''
    this.warnings = headers.get('x-export-warnings') ?? ''
    this.#response = response
    this.#signal = signal
  }

  /** The bytes as they arrive. */
  get stream(): ReadableStream<Uint8Array> {
    return this.#response.body ?? new Blob([]).stream()
  }

  /** The whole file. @throws ClientError if the connection fails, or the call was aborted */
  async blob(): Promise<Blob> {
    return this.#response.blob().catch(cause => {
      const what = this.#signal?.aborted ? 'The call was aborted' : 'The connection broke off'
      throw new ClientError(`${what} before all of ${this.filename} was there.`, { cause })
    })
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.blob()).arrayBuffer()
  }

  async text(): Promise<string> {
    return (await this.blob()).text()
  }
}
