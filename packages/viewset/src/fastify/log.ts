import type { FastifyBaseLogger } from 'fastify'
import { type ErrorLog, stderrLog } from '../core/context.ts'

/** Fastify's log as ours; of a server without a logger, stderr. */
export function ofFastify(log: FastifyBaseLogger): ErrorLog {
  if (isMute(log)) return stderrLog
  return {
    logError: (err, { message, errorId }) => log.error({ err, errorId }, message),
    logWarning: message => log.warn(message),
  }
}

/** Logs what is wrong with the application itself. */
export function logProblem(log: FastifyBaseLogger, message: string): void {
  if (isMute(log)) console.error(`viewset: ${message}`)
  else log.error(message)
}

/** Without a logger, Fastify has one whose methods do nothing. A logger that was told to be silent has a level. */
function isMute(log: Partial<FastifyBaseLogger>): boolean {
  return log.level === undefined && log.error === log.trace
}
