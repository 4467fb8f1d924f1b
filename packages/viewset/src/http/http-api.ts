import { finished, Readable } from 'node:stream'
import { type ErrorLog, runInContext } from '../core/context.ts'
import { ApiError, MethodNotAllowed, NotFound, ServiceUnavailable, ValidationError } from '../core/errors.ts'
import { type Message, message } from '../core/messages/message.ts'
import type { ApiSettings } from '../core/settings.ts'
import type { DescribedApi } from '../describe/described-api.ts'
import type { OpenApiDocument } from '../describe/openapi/options.ts'
import { historyOf } from '../model/history.ts'
import { tableInfo } from '../model/model-info.ts'
import { findMissingTables, missingTable } from '../store/faults.ts'
import { sweepTemporaryFolders } from '../tabular/temporary-folder.ts'
import { endRestingWorkers } from '../tabular/warm-workers.ts'
import { EventBody } from '../viewset/answer/event-stream.ts'
import type { ApiResponse } from '../viewset/answer/respond.ts'
import type { Endpoint } from '../viewset/endpoints/endpoint.ts'
import { type Api, errorResponse, handle, refusal } from '../viewset/handle.ts'
import { historyWarning } from '../viewset/history/unknown-names.ts'
import { tablesOfResource } from '../viewset/resource/tables-of-resource.ts'
import { type HttpRequest, hasTwoHosts, namesUser } from './http-request.ts'
import { hasReadableBody, readBody, reportBrokenBody } from './read-body.ts'
import { refusalOfOthers } from './refusal-of-others.ts'
import { type ApiPath, type Match, Router, withoutEndSlash } from './router.ts'

export interface HttpApiParts extends Api {
  readonly prefix: string
  readonly baseUrl: string | undefined
  readonly bodyLimit: number
  readonly described: DescribedApi
  readonly works: boolean
}

/**
 * An API that answers requests of any server. Every response under its prefix is an envelope. Made by {@link
 * createApi}.
 */
export class HttpApi {
  /** Without a slash at its end. */
  readonly prefix: string
  /** The start of links, if configured; without a slash at its end. */
  readonly baseUrl: string | undefined
  readonly #api: Api
  readonly #bodyLimit: number
  readonly #router: Router
  readonly #described: DescribedApi
  readonly #works: boolean
  #ongoing = 0
  /** Event streams, which end only when their clients leave. */
  readonly #eventBodies = new Set<EventBody>()
  #closing: PromiseWithResolvers<void> | undefined

  /** @internal */
  constructor({ prefix, baseUrl, bodyLimit, described, works, ...api }: HttpApiParts) {
    this.prefix = withoutEndSlash(prefix)
    this.baseUrl = baseUrl === undefined ? undefined : withoutEndSlash(baseUrl)
    this.#api = api
    this.#bodyLimit = bodyLimit
    this.#described = described
    this.#works = works
    const endpoints = described.resources.flatMap(resource => resource.endpoints)
    this.#router = new Router(this.prefix, [...endpoints, ...described.endpoints])
  }

  get settings(): ApiSettings {
    return this.#api.settings
  }

  /** All paths, for a server with its own router. */
  get paths(): readonly ApiPath[] {
    return this.#router.paths
  }

  /** Makes the OpenAPI document, even if no path serves it. */
  document(): Promise<OpenApiDocument> {
    return runInContext({ settings: this.settings }, () => this.#described.document())
  }

  /**
   * Prepares for the first request: removes files that killed processes left, and starts waiting jobs. Errors go to
   * `log`.
   */
  async start(log: ErrorLog): Promise<void> {
    await this.#sweep()
    if (this.#works) await this.#api.jobs?.start(log)
  }

  async #sweep(): Promise<void> {
    const { resources } = this.#described
    if (resources.some(({ endpoints }) => endpoints.some(({ readsBody }) => readsBody))) await sweepTemporaryFolders()
  }

  /**
   * What the database lacks: tables, and names of columns in histories. Empty if it is unavailable, because each request
   * reports that. Call it when the server listens: an application may run its migrations before that.
   */
  async warnings(): Promise<readonly string[]> {
    const { keys, jobs, mappings, database } = this.#api
    const ofResources = this.#described.resources.flatMap(({ resource }) => tablesOfResource(resource.definition))
    const ofApi = [keys, mappings].flatMap(own => (own ? [own.table] : []))
    const infos = [...ofApi, ...Object.values(jobs?.store.tables ?? {})].map(tableInfo)
    const tables = new Map([...ofResources, ...infos].map(info => [info.table, info]))
    const missing = await findMissingTables(database, [...tables.values()]).catch(() => undefined)
    if (!missing) return []
    const warnings = missing.map(missingTable)
    for (const table of tables.keys()) {
      const history = historyOf(table)
      if (!history || missing.includes(history.info)) continue
      // A history with a missing column is a 500 of the first request, with the reason in the log.
      warnings.push((await historyWarning(database, history).catch(() => undefined)) ?? '')
    }
    return warnings.filter(warning => warning !== '')
  }

  /** Whether a path is the prefix or below it. */
  owns(request: HttpRequest): boolean {
    return this.#router.owns(addressOf(request))
  }

  /** Answers a request. Never throws: errors become envelopes. */
  async answer(request: HttpRequest): Promise<ApiResponse> {
    this.#ongoing++
    const routed = await this.#route(request)
    const response = request.method === 'HEAD' ? withoutBody(routed) : withLength(routed)
    if (response.body instanceof Readable) finished(response.body, { writable: false }, () => this.#end())
    else this.#end()
    return response
  }

  /** Answers a request that the server's own router has matched, with the body read. */
  answerAt(endpoint: Endpoint, request: HttpRequest): Promise<ApiResponse> {
    return handle(this.#api, endpoint, request).then(response => this.#complete(request, response))
  }

  /** The envelope of an error of the API, the server or the application. */
  refuse(error: unknown, request: HttpRequest, headers?: Readonly<Record<string, unknown>>): ApiResponse {
    return this.#complete(request, errorResponse(this.#api, request, refusalOfOthers(error, headers) ?? error))
  }

  /** The error of a request, independent of its body. `encoding` is its remaining `Content-Encoding`. */
  refusalOf(target: string, rawHeaders: readonly string[], encoding: string | undefined): ApiError | undefined {
    if (this.#closing) return new ServiceUnavailable(message('service_unavailable.closing'))
    if (namesUser(target)) return new ValidationError(message('malformed.url'))
    if (hasTwoHosts(rawHeaders)) return new ValidationError(message('malformed.hosts'))
    if (encoding === undefined || encoding.toLowerCase() === 'identity') return undefined
    // RFC 9110, 15.5.16: name the accepted encodings.
    const headers = { 'accept-encoding': 'identity' }
    return new ApiError(415, 'unsupported_media_type', message('unsupported_media_type.encoding'), { headers })
  }

  /** The error for a path and method without an endpoint: 405 if the path has other methods, else 404. */
  refusalAt(request: HttpRequest): ApiError {
    return this.#refusalAt(request, this.#match(request))
  }

  /**
   * Answers 503 from now on, and ends event streams. Resolves when all responses of `answer` are sent, and no job runs
   * in this process. Also ends the process's threads without work; another API starts them again.
   */
  async close(): Promise<void> {
    this.#closing ??= Promise.withResolvers<void>()
    for (const body of this.#eventBodies) body.stop()
    if (this.#ongoing === 0) this.#closing.resolve()
    await Promise.all([this.#closing.promise, this.#api.jobs?.stop()])
    await endRestingWorkers()
  }

  #end(): void {
    this.#ongoing--
    if (this.#ongoing === 0) this.#closing?.resolve()
  }

  #route(request: HttpRequest): ApiResponse | Promise<ApiResponse> {
    try {
      const refused = this.refusalOf(request.target, request.rawHeaders, request.header('content-encoding'))
      if (refused) return this.#complete(request, refusal(this.#api, request, refused))
      const match = this.#match(request)
      const { method } = request
      if (match && method === 'OPTIONS') return this.#complete(request, optionsOf(match))
      const asked = method === 'HEAD' ? 'GET' : method
      const endpoint = match?.at.endpoints.find(offered => offered.method === asked)
      if (!match || !endpoint)
        return this.#complete(request, refusal(this.#api, request, this.#refusalAt(request, match)))
      const { mountParams } = request
      request.params = mountParams === undefined ? match.params : { ...mountParams, ...match.params }
      request.query = match.query
      if (!hasReadableBody(request, endpoint)) return this.answerAt(endpoint, request)
      return readBody(request, { limit: this.#bodyLimit, timeout: this.settings.COMMON.BODY_TIMEOUT })
        .then(() => this.answerAt(endpoint, request))
        .catch(error => this.refuse(error, request))
    } catch (error) {
      return this.refuse(error, request)
    }
  }

  #refusalAt(request: HttpRequest, match: Match | undefined): ApiError {
    if (match) return this.notAllowed(request, match.at.path, match.at.allowed)
    const suggestion = this.#suggestion(request)
    const action = suggestion ? undefined : this.#missingAction(request)
    return new NotFound(action ?? nothingAt(suggestion))
  }

  /** The error for a method that a path does not offer. It suggests the path that was probably meant. */
  notAllowed(request: HttpRequest, path: string, allowed: readonly string[]): ApiError {
    const [last = ''] = withoutEndSlash(path).split('/').slice(-1)
    // Only a part that is read as the key of a record may be a slip of the pen.
    if (!last.includes(':')) {
      const bulk = this.#router.bulkPathAt(path, request.method)
      const address = withoutEndSlash(request.path) + (bulk?.slice(path.length - 1) ?? '')
      return new MethodNotAllowed(request.method, allowed, bulk && `${request.method} ${address}`)
    }
    const suggestion = this.#suggestion(request)
    const action = suggestion ? undefined : this.#missingAction(request)
    return new MethodNotAllowed(request.method, allowed, suggestion?.join(' '), action)
  }

  /** The message for an action that other resources of the API have, and this one has not. */
  #missingAction(request: HttpRequest): Message | undefined {
    const address = addressOf(request)
    const action = this.#router.actionAt(address)
    if (action === undefined) return undefined
    const above = withoutEndSlash(address.split('?', 1)[0] ?? '').replace(/[^/]*$/, '')
    const resource = this.#router.match(above)
    return resource && resource.at.path !== '/' ? message('not_found.action', { action }) : undefined
  }

  #suggestion(request: HttpRequest): readonly [method: string, address: string] | undefined {
    const { method, path } = request
    const address = addressOf(request)
    const found = this.#router.nearest(address, method)
    if (found === undefined) return undefined
    // The application may have mounted the API below a path.
    const [asked = ''] = address.split('?', 1)
    const mount = path.endsWith(asked) ? path.slice(0, path.length - asked.length) : ''
    return [method, mount + found]
  }

  #match(request: HttpRequest): Match | undefined {
    return this.#router.match(addressOf(request))
  }

  #complete(request: HttpRequest, response: ApiResponse): ApiResponse {
    const { body } = response
    if (body instanceof Readable) body.once('error', error => reportBrokenBody(error, request))
    if (body instanceof EventBody) this.#keep(body)
    const headers: Record<string, string | string[]> = { ...response.headers, 'x-request-id': request.id }
    if (this.#closing && request.hasConnectionHeader) headers.connection = 'close'
    return { ...response, headers }
  }

  #keep(body: EventBody): void {
    this.#eventBodies.add(body.once('close', () => this.#eventBodies.delete(body)))
    // The stream was requested before the API closed.
    if (this.#closing) body.stop()
  }
}

/** The message of a 404 for an address. */
export function nothingAt(suggestion?: readonly [method: string, address: string]): Message {
  if (!suggestion) return message('not_found.address')
  const [method, address] = suggestion
  return message('not_found.address_like', { method, address })
}

function addressOf({ mountedUrl: url }: HttpRequest): string {
  return url === '' || url.startsWith('?') ? `/${url}` : url
}

function optionsOf({ at }: Match): ApiResponse {
  return { status: 204, headers: { allow: at.allowed.join(', ') }, body: '' }
}

/** The response to HEAD has all headers of GET (RFC 9110, 9.3.2), with the length if it is known. */
function withoutBody(response: ApiResponse): ApiResponse {
  const { body } = response
  if (!(body instanceof Readable)) return { ...withLength(response), body: '' }
  // An error of the discarded body has no reader.
  body.on('error', () => {}).destroy()
  return { ...response, body: '' }
}

/** Some servers need the length. 204 must not have one, and 304 not that of no body (RFC 9110, 8.6). */
function withLength(response: ApiResponse): ApiResponse {
  const { status, headers, body } = response
  if (body instanceof Readable || status === 204 || status === 304) return response
  return { ...response, headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) } }
}
