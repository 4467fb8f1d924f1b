import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { finished } from 'node:stream'
import { withVary } from '../core/headers/vary.ts'
import { type Handler, type HandlerOptions, startHandler } from '../http/create-api.ts'
import { closeWhenStalled, endWhenLate, resetWhenBroken } from '../http/node-server.ts'
import type { ApiResponse } from '../viewset/answer/respond.ts'
import { NodeRequest } from './node-request.ts'
import { type TrustProxy, trustedProxy } from './prepare-server.ts'

declare module '../core/request.ts' {
  // Declared here so that importing the handler's types includes it.
  interface NativeRequests {
    readonly node: IncomingMessage
  }
}

/** Options of {@link createHandler}. */
export interface NodeHandlerOptions extends HandlerOptions {
  /**
   * The trusted proxies for the host and scheme of links: `true` for all, or addresses and networks. Express uses its
   * own `trust proxy`. Default `false`.
   */
  readonly trustProxy?: TrustProxy
}

/** The `next` of middleware. */
export type Next = (error?: unknown) => void

/** A listener of `node:http`, and middleware of Express, Nest and Connect. */
export interface NodeHandler extends Handler {
  /** With `next`, requests outside of the API's prefix go there; otherwise they get a 404. */
  (request: IncomingMessage, response: ServerResponse, next?: Next): void
  /** Express's error middleware: errors of other middleware under the API's prefix become envelopes. */
  onError(error: unknown, request: IncomingMessage, response: ServerResponse, next: Next): void
}

/**
 * Makes a handler of resources for servers of Node, with envelopes for all responses under the prefix.
 *
 * @throws ConfigError at start for a wrong option or resource.
 * @example
 * const handler = createHandler({ prefix: '/api', database, resources: { countries: CountryViewSet } })
 * createServer(serverOptions, handler).listen(3000)
 */
export function createHandler({ trustProxy = false, ...options }: NodeHandlerOptions): NodeHandler {
  const isTrusted = trustedProxy(trustProxy)
  const { log, ...started } = startHandler(options)
  const { api } = started
  const { BODY_TIMEOUT, STALL_TIMEOUT } = api.settings.COMMON
  const context = { api, log, isTrusted }
  const reply = (request: IncomingMessage, response: ServerResponse, answer: ApiResponse) =>
    send(request, response, answer, STALL_TIMEOUT)

  const handler = (request: IncomingMessage, response: ServerResponse, next?: Next): void => {
    const asked = new NodeRequest(context, request, response)
    if (next && !api.owns(asked)) {
      next()
      return
    }
    started.ready()
    endWhenLate(request, BODY_TIMEOUT, {
      isAnswered: () => response.headersSent,
      isStreaming: () => asked.bodyStream !== null,
    })
    void api.answer(asked).then(answer => reply(request, response, answer))
  }
  const onError = (error: unknown, request: IncomingMessage, response: ServerResponse, next: Next): void => {
    const asked = new NodeRequest(context, request, response)
    if (response.headersSent || !api.owns(asked)) next(error)
    else reply(request, response, api.refuse(error, asked, response.getHeaders()))
  }
  return Object.assign(handler, started, { onError })
}

/** Sends a response. Headers that the application has set stay unless the response sets them. */
function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: ApiResponse,
  stallTimeout: number,
): void {
  const isStream = typeof body === 'object' && 'pipe' in body
  // Other code has answered, or the client is gone: release the body's resources.
  if (response.headersSent || response.destroyed) {
    if (isStream) body.destroy()
    return
  }
  // The length of another response would make the rest look like the next one.
  response.removeHeader('content-length')
  const all = withVary(headers, response.getHeader('vary'))
  for (const [name, value] of Object.entries(all)) response.setHeader(name, value)
  response.statusCode = status
  const watch = () => closeWhenStalled(request, response, stallTimeout, serverTimeout(request.socket))
  if (!isStream) {
    response.end(body)
    watch()
    return
  }
  watch()
  resetWhenBroken(request, body)
  // A disconnected client is not an error of the body.
  finished(response, () => body.destroy())
  // A failing body destroys the connection, so that a client cannot take a part for the whole.
  body.once('close', () => {
    if (!body.readableEnded) response.destroy()
  })
  body.pipe(response)
}

function serverTimeout(socket: Socket | null): number {
  const { server } = (socket ?? {}) as { readonly server?: { readonly timeout?: number } | null }
  return server?.timeout ?? 0
}
