import { randomUUID } from 'node:crypto'
import { currentContext } from './context.ts'
import type { ErrorLog } from './error-log.ts'

/** Logs an error that is our own fault: in a request, to the server's log, else to stderr. Returns the error's id. */
export function reportError(error: unknown, message: string, log: ErrorLog = currentContext().log): string {
  const errorId = randomUUID()
  log.logError(error, { message, errorId })
  return errorId
}
