import type { Server } from 'node:http'
import { answerClientError } from '../http/node-server/client-error.ts'
import { answerExpectations } from '../http/node-server/expectations.ts'
import { TIME_LIMITS } from '../http/node-server/time-limits.ts'

/**
 * Options of `http.createServer`: in how many milliseconds a request must have arrived.
 *
 * @example
 * const server = prepareServer(createServer(serverOptions, handler))
 */
export const serverOptions = TIME_LIMITS

/**
 * Has a server answer with envelopes what never becomes a request: headers that are too large, methods that HTTP does
 * not know, clients that are too slow. It is for all of the server, so it is the application's to call.
 */
export function prepareServer<S extends Pick<Server, 'on' | 'listenerCount'>>(server: S): S {
  answerExpectations(server)
  server.on('clientError', answerClientError)
  return server
}
