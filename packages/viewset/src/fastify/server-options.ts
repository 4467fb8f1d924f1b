import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { errorEnvelope } from '../core/envelope.ts'
import { ApiError, ValidationError } from '../core/errors.ts'
import { requestId } from '../http/http-request.ts'
import { answerClientError, TIME_LIMITS } from '../http/node-server.ts'
import { MAX_PARAM_LENGTH } from '../http/router.ts'

const { requestTimeout, ...http } = TIME_LIMITS

type RawReply = {
  writeHead(status: number, headers: Record<string, string>): { end(body: string): void }
}

/**
 * Options that Fastify takes only when a server is made: what stands outside of any plugin's reach.
 *
 * @example
 * const app = Fastify({ ...serverOptions, logger: true })
 */
export const serverOptions = {
  /** A request keeps the id that a proxy or a client gave it, if that is one; `x-request-id` and the log show it. */
  genReqId: ({ headers }: IncomingMessage): string => requestId(headers['x-request-id']),
  routerOptions: {
    /** `/cities` and `/cities/` are the same. */
    ignoreTrailingSlash: true,
    maxParamLength: MAX_PARAM_LENGTH,
  },
  /** For uploads; for other bodies, and where this is not set, the plugin has limits of its own. */
  requestTimeout,
  http,
  /** Answers what never becomes a request: headers that are too large, unknown methods, clients that are too slow. */
  clientErrorHandler(
    this: { readonly log: FastifyBaseLogger },
    error: Error & { readonly code?: string },
    socket: Socket,
  ): void {
    this.log.trace({ err: error }, 'client error')
    answerClientError(error, socket)
  },
  /** While the server is being closed the plugin itself answers 503, with an envelope. */
  return503OnClosing: false,
  /** Answers what fails before there is a route: a malformed URL. */
  frameworkErrors(
    error: Error & { readonly statusCode?: number },
    { id }: { readonly id: string },
    reply: { readonly raw: RawReply },
  ) {
    const refusal =
      error.statusCode === undefined || error.statusCode === 400
        ? new ValidationError('The URL is malformed.')
        : new ApiError(error.statusCode, 'bad_request', 'The request is malformed.')
    const body = errorEnvelope(refusal)
    reply.raw
      .writeHead(refusal.status, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(Buffer.byteLength(body)),
        'x-request-id': id,
      })
      .end(body)
  },
}

/**
 * Options for Fastify's logger (pino): what must never be in a log is taken out, wherever it is logged from.
 *
 * @example
 * const app = Fastify({ ...serverOptions, logger: { ...logOptions, level: 'info' } })
 */
export const logOptions = {
  redact: {
    paths: ['headers', 'req.headers', 'request.headers'].flatMap(headers =>
      ['authorization', 'cookie', 'x-api-key'].map(name => `${headers}["${name}"]`),
    ),
    censor: '[redacted]',
  },
}
