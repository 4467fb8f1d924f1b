import { type ErrorLog, stderrLog } from '../core/context.ts'
import { ConfigError } from '../core/errors.ts'

/** Where a face without a logger of its own writes: pino, winston and `console` are such loggers. */
export interface Logger {
  error(details: object, message: string): void
  warn(message: string): void
}

/**
 * A logger as the core writes to it; without one, errors go to stderr.
 *
 * @throws ConfigError for what is no logger
 */
export function errorLogOf(logger: Logger | undefined): ErrorLog {
  if (logger === undefined) return stderrLog
  if (typeof logger?.error !== 'function' || typeof logger.warn !== 'function') {
    throw new ConfigError('api', 'logger', 'must have the methods error and warn, as pino and console have')
  }
  return {
    logError(err, details) {
      const { message, errorId, requestId } = details
      try {
        // The names are those of pino and Fastify.
        logger.error({ err, errorId, reqId: requestId }, message)
      } catch {
        // A request is answered whether it can be logged or not.
        stderrLog.logError(err, details)
      }
    },
    logWarning(message) {
      try {
        logger.warn(message)
      } catch {
        stderrLog.logWarning(message)
      }
    },
  }
}
