import type { Server } from 'node:http'
import { default as proxyAddress } from '@fastify/proxy-addr'
import { ConfigError } from '../core/errors.ts'
import { answerClientError, answerExpectations, TIME_LIMITS } from '../http/node-server.ts'

/**
 * Options of `http.createServer`: time limits for the arrival of requests.
 *
 * @example
 * const server = prepareServer(createServer(serverOptions, handler))
 */
export const serverOptions = TIME_LIMITS

/**
 * Makes a server answer errors before a request exists with envelopes: too large headers, unknown methods, slow
 * clients. It affects the whole server, so the application calls it.
 */
export function prepareServer<S extends Pick<Server, 'on' | 'listenerCount'>>(server: S): S {
  answerExpectations(server)
  server.on('clientError', answerClientError)
  return server
}

/** The trusted sources of `X-Forwarded-Host` and `-Proto`: all, none, or addresses, networks and `loopback`. */
export type TrustProxy = boolean | string | readonly string[]

export type TrustedProxy = (address: string | undefined) => boolean

/** @throws ConfigError for an invalid address */
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
