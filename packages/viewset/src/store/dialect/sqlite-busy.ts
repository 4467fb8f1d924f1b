import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { ServiceUnavailable } from '../../core/errors.ts'

/** Somebody else is at work where only one can be. */
export class Busy extends Error {}

export function busyError(cause?: unknown): ServiceUnavailable {
  return new ServiceUnavailable('The database is busy. Please try again.', 1, cause)
}

/**
 * Waits for others without blocking the event loop, as SQLite's own busy handler would.
 *
 * @throws ServiceUnavailable after `timeout` milliseconds.
 */
export async function retryWhileBusy<T>(timeout: number, attempt: () => T): Promise<T> {
  let deadline = Number.NaN
  for (let delay = 1; ; delay = Math.min(delay * 2, 50)) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (Number.isNaN(deadline)) deadline = performance.now() + timeout
      if (performance.now() > deadline) throw busyError(error)
      await sleep(delay)
    }
  }
}

export function isBusy(error: unknown): boolean {
  if (error instanceof Database.SqliteError) return error.code.startsWith('SQLITE_BUSY')
  // What better-sqlite3 says while the application goes through the rows of a statement on a handle that we share.
  return error instanceof Busy || (error instanceof TypeError && error.message.includes('is busy executing a query'))
}
