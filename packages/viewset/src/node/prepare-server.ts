import type { Server } from 'node:http'
import { default as proxyAddress } from '@fastify/proxy-addr'
import { ConfigError } from '../core/errors.ts'
import { answerClientError, answerExpectations, TIME_LIMITS } from '../http/node-server.ts'

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

/** Whose `X-Forwarded-Host` and `-Proto` count: everybody's, nobody's, or those of addresses, networks and `loopback`. */
export type TrustProxy = boolean | string | readonly string[]

/** Whether the machine at an address is a proxy of ours. */
export type TrustedProxy = (address: string | undefined) => boolean

/** @throws ConfigError for what is no address */
export function trustedProxy(trust: TrustProxy): TrustedProxy {
  if (typeof trust === 'boolean') return () => trust
  try {
    const addresses = typeof trust === 'string' ? trust.split(/ *, */) : [...trust]
    const isTrusted = proxyAddress.compile(addresses)
    return address => address !== undefined && isTrusted(address, 0)
  } catch (error) {
    const problem = `must be true, false, or addresses such as "10.0.0.0/8" or "loopback" (${(error as Error).message})`
    throw new ConfigError('api', 'trustProxy', problem)
  }
}
