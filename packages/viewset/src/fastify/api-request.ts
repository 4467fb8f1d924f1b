import { Readable } from 'node:stream'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorLog, stderrLog } from '../core/context.ts'
import type { ApiRequest } from '../core/request.ts'
import type { HttpApi } from '../http/http-api.ts'
import { HttpRequest } from '../http/http-request.ts'
import { signalOf } from '../http/node-server.ts'

export class FastifyApiRequest extends HttpRequest {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  #signal: AbortSignal | undefined

  constructor({ baseUrl }: HttpApi, request: FastifyRequest, reply: FastifyReply) {
    const { id, method, url: target } = request
    super({ id, method, target, native: request, baseUrl })
    this.#request = request
    this.#reply = reply
    this.params = request.params as ApiRequest['params']
    this.query = request.query as ApiRequest['query']
    this.body = request.body
    if (request.body instanceof Readable) this.bodyStream = request.body
  }

  get headers(): ApiRequest['headers'] {
    return this.#request.headers
  }

  override get rawHeaders(): readonly string[] {
    return this.#request.raw.rawHeaders
  }

  override get hasConnectionHeader(): boolean {
    return this.#request.raw.httpVersionMajor < 2
  }

  get incoming(): Readable {
    return this.#request.raw
  }

  get signal(): AbortSignal {
    this.#signal ??= signalOf(this.#reply.raw)
    return this.#signal
  }

  /** Fastify's `trustProxy` decides about a proxy's headers. */
  protected get address() {
    return this.#request
  }

  protected get log() {
    return ofFastify(this.#request.log)
  }
}

/** Fastify's log; stderr if the server has none. */
export function ofFastify(log: FastifyBaseLogger): ErrorLog {
  if (isMute(log)) return stderrLog
  return {
    logError: (err, { message, errorId }) => log.error({ err, errorId }, message),
    logWarning: message => log.warn(message),
  }
}

export function logProblem(log: FastifyBaseLogger, message: string): void {
  if (isMute(log)) console.error(`viewset: ${message}`)
  else log.error(message)
}

/** Without a logger, Fastify has one with empty methods. A silent logger has a level. */
function isMute(log: Partial<FastifyBaseLogger>): boolean {
  return log.level === undefined && log.error === log.trace
}
