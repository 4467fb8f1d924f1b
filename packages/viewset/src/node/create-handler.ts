import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { finished } from 'node:stream'
import { type Handler, type HandlerOptions, startHandler } from '../http/create-api.ts'
import { closeWhenStalled, endWhenLate, resetWhenBroken } from '../http/node-server.ts'
import type { ApiResponse } from '../viewset/respond.ts'
import { NodeRequest } from './node-request.ts'
import { type TrustProxy, trustedProxy } from './prepare-server.ts'

declare module '../core/request.ts' {
  // It stands here because whoever imports the handler's types gets this one along.
  interface NativeRequests {
    readonly node: IncomingMessage
  }
}

/** Options of {@link createHandler}. */
export interface NodeHandlerOptions extends HandlerOptions {
  /**
   * Whose word counts for the host and the scheme of links: `true` for whoever connects, or addresses and networks of
   * proxies. Express decides by its own `trust proxy`. Default `false`.
   */
  readonly trustProxy?: TrustProxy
}

/** What middleware calls to hand a request on, or with an error. */
export type Next = (error?: unknown) => void

/** A listener of `node:http`, and middleware of Express, Nest and Connect. */
export interface NodeHandler extends Handler {
  /** With `next`, it gets what is outside of the API's prefix; without, that is a 404. */
  (request: IncomingMessage, response: ServerResponse, next?: Next): void
  /** Express's middleware for errors: those of other middleware under the API's prefix get its envelope. */
  onError(error: unknown, request: IncomingMessage, response: ServerResponse, next: Next): void
}

/**
 * Makes a handler of resources for servers of Node, with envelopes for everything under the prefix.
 *
 * @throws ConfigError at start, naming the option or the resource that is wrong.
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

/** Sends an answer; headers that the application has set already stay, where ours does not say otherwise. */
function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: ApiResponse,
  stallTimeout: number,
): void {
  const isStream = typeof body === 'object' && 'pipe' in body
  // Somebody else has answered meanwhile, or nobody is there any more: what is read for the answer is let go.
  if (response.headersSent || response.destroyed) {
    if (isStream) body.destroy()
    return
  }
  // The length of another answer: what is sent beyond it would be taken for the next one.
  response.removeHeader('content-length')
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.statusCode = status
  const watch = () => closeWhenStalled(request, response, stallTimeout, serverTimeout(request.socket))
  if (!isStream) {
    response.end(body)
    watch()
    return
  }
  watch()
  resetWhenBroken(request, body)
  // That a client has gone is no failure of the body.
  finished(response, () => body.destroy())
  // One that breaks off destroys the connection, so a client never takes a part for the whole.
  body.once('close', () => {
    if (!body.readableEnded) response.destroy()
  })
  body.pipe(response)
}

/** The limit that the socket's server has for connections on which nothing happens, in milliseconds; 0 for none. */
function serverTimeout(socket: Socket | null): number {
  const { server } = (socket ?? {}) as { readonly server?: { readonly timeout?: number } | null }
  return server?.timeout ?? 0
}
