import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { errorEnvelope } from '../core/envelope.ts'
import { ApiError, ValidationError } from '../core/errors.ts'
import { answerClientError } from './client-error.ts'

type RawReply = {
  writeHead(status: number, headers: Record<string, string>): { end(body: string): void }
}

const REQUEST_ID = /^[\w.:-]{1,100}$/

/** An id may be as long as a key of text; a longer one is not found, as any other id that does not exist. */
const MAX_PARAM_LENGTH = 20_000

/**
 * Options that Fastify takes only when a server is made: what stands outside of any plugin's reach.
 *
 * @example
 * const app = Fastify({ ...serverOptions, logger: true })
 */
export const serverOptions = {
  /** A request keeps the id that a proxy or a client gave it, if that is one; `x-request-id` and the log show it. */
  genReqId: (request: IncomingMessage): string => {
    const given = request.headers['x-request-id']
    return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
  },
  routerOptions: {
    /** `/cities` and `/cities/` are the same. */
    ignoreTrailingSlash: true,
    maxParamLength: MAX_PARAM_LENGTH,
  },
  /**
   * Milliseconds in which a request must have arrived whole, and its headers before that. It is for all routes, so it is
   * long enough for an upload; for other bodies, and where this is not set, the plugin has limits of its own.
   */
  requestTimeout: 900_000,
  http: { headersTimeout: 15_000, connectionsCheckingInterval: 5_000 },
  /** Answers what never becomes a request: headers that are too large, unknown methods, clients that are too slow. */
  clientErrorHandler: answerClientError,
  /** While the server is being closed the plugin itself answers 503, with an envelope. */
  return503OnClosing: false,
  /** Answers what fails before there is a route: a malformed URL. */
  frameworkErrors(
    error: Error & { readonly statusCode?: number },
    _request: unknown,
    reply: { readonly raw: RawReply },
  ) {
    const refusal =
      error.statusCode === undefined || error.statusCode === 400
        ? new ValidationError('The URL is malformed.')
        : new ApiError(error.statusCode, 'bad_request', 'The request is malformed.')
    reply.raw
      .writeHead(refusal.status, { 'content-type': 'application/json; charset=utf-8' })
      .end(errorEnvelope(refusal))
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
