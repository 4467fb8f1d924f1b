import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { errorEnvelope } from '../core/envelope.ts'
import { ApiError, ValidationError } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import { languageHeaders, Wordings } from '../core/messages/wording.ts'
import { requestId } from '../http/http-request.ts'
import { answerClientError, TIME_LIMITS } from '../http/node-server.ts'
import { MAX_PARAM_LENGTH } from '../http/router.ts'
import { JSON_TYPE } from '../viewset/answer/respond.ts'
import { Face } from './face.ts'

const { requestTimeout, ...http } = TIME_LIMITS

/** The languages outside of all APIs. */
const WORDINGS = new Wordings()

/**
 * Options for creating a Fastify server, which plugins cannot set.
 *
 * @example
 * const app = Fastify({ ...serverOptions, logger: true })
 */
export const serverOptions = {
  /** Keeps a valid id of a proxy or client; responses and the log show it as `x-request-id`. */
  genReqId: ({ headers }: IncomingMessage): string => requestId(headers['x-request-id']),
  routerOptions: {
    /** `/cities` and `/cities/` are equal. */
    ignoreTrailingSlash: true,
    maxParamLength: MAX_PARAM_LENGTH,
  },
  /** For uploads. The plugin has its own limits for other bodies, and without this option. */
  requestTimeout,
  http,
  /** Answers errors before a request exists: too large headers, unknown methods, slow clients. */
  clientErrorHandler(
    this: { readonly log: FastifyBaseLogger },
    error: Error & { readonly code?: string },
    socket: Socket,
  ): void {
    this.log.trace({ err: error }, 'client error')
    answerClientError(error, socket)
  },
  /** While the server closes, the plugin answers 503 with an envelope. */
  return503OnClosing: false,
  /** Answers errors before routing, such as a malformed URL, as the API at this address does. */
  frameworkErrors(error: Error & { readonly statusCode?: number }, request: FastifyRequest, reply: FastifyReply) {
    const refusal =
      error.statusCode === undefined || error.statusCode === 400
        ? new ValidationError(message('malformed.url'))
        : new ApiError(error.statusCode, 'bad_request', message('malformed'))
    if (Face.refuse(request, reply, refusal)) return
    const wording = WORDINGS.of(request.headers['accept-language'])
    reply
      .code(refusal.status)
      .headers({ ...JSON_TYPE, ...languageHeaders(wording), 'x-request-id': request.id })
      .send(errorEnvelope(refusal, wording))
  },
}

/**
 * Options for Fastify's logger (pino): removes credentials from all log entries.
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
