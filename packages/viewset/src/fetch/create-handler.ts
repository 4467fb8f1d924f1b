import { ConfigError } from '../core/errors.ts'
import type { NativeRequest } from '../core/request.ts'
import { type Handler, type HandlerOptions, startHandler } from '../http/create-api.ts'
import type { ApiResponse } from '../viewset/answer/respond.ts'
import { FetchRequest } from './fetch-request.ts'
import { toResponse } from './to-response.ts'

declare module '../core/request.ts' {
  // Declared here so that importing the handler's types includes it.
  interface NativeRequests {
    readonly fetch: Request
  }
}

/** Options of {@link createHandler}. */
export interface FetchHandlerOptions extends HandlerOptions {
  /**
   * Whether to trust `X-Forwarded-Host` and `-Proto` for links: only for servers that clients cannot reach directly,
   * since a `Request` does not name its sender. Default `false`.
   */
  readonly trustProxy?: boolean
}

/** The framework's data of a request. */
export interface RequestContext {
  /** The `request.native` of views and `authenticate`, such as Hono's context. Default: the `Request`. */
  readonly native?: NativeRequest
}

/** A handler of the Fetch standard, for Hono, Next, Bun, Deno and other callers with a `Request`. */
export interface FetchHandler extends Handler {
  (request: Request): Promise<Response>
  /** The same, with the framework's data. */
  answer(request: Request, context: RequestContext): Promise<Response>
  /** The envelope of an error that other code under the API's prefix threw, for a framework's error hook. */
  refuse(error: unknown, request: Request): Response
}

/**
 * Makes a handler of resources for servers with `Request` and `Response`. All its responses are envelopes.
 *
 * @throws ConfigError at start for a wrong option or resource.
 * @example
 * const handler = createHandler({ prefix: '/api', database, resources: { countries: CountryViewSet } })
 * const response = await handler(new Request('https://api.example.org/api/countries/'))
 */
export function createHandler({ trustProxy = false, ...options }: FetchHandlerOptions): FetchHandler {
  if (typeof trustProxy !== 'boolean') {
    throw new ConfigError('api', 'trustProxy', 'must be true or false: a Request does not show its sender')
  }
  const { log, ...started } = startHandler(options)
  const { api } = started
  const context = { api, log, trustProxy }
  const reply = (request: Request, answer: ApiResponse) =>
    toResponse(answer, request, api.settings.COMMON.STALL_TIMEOUT)

  const answerAs = async (request: Request, native: unknown): Promise<Response> => {
    started.ready()
    const asked = new FetchRequest(context, request, native)
    const answer = await api.answer(asked)
    asked.skipBody()
    return reply(request, answer)
  }
  const handler = (request: Request) => answerAs(request, request)
  const answer = (request: Request, { native = request }: { readonly native?: unknown }) => answerAs(request, native)
  const refuse = (error: unknown, request: Request) =>
    reply(request, api.refuse(error, new FetchRequest(context, request, request)))
  return Object.assign(handler, started, { answer, refuse })
}
