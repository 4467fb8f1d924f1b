import type { ApiSettings } from '../core/settings.ts'
import { Turns } from '../core/turns.ts'

/**
 * Each file that is read has a thread for its workbook, and an import a connection: of all services, for these are the
 * process's. A preview is not to wait for an import that takes an hour.
 */
const lines = { import: new Turns(), preview: new Turns() }
const PATIENCE = 30_000

/** @throws ServiceUnavailable where many others are at it already */
export async function inTurn<T>(
  line: keyof typeof lines,
  { COMMON }: ApiSettings,
  signal: AbortSignal | undefined,
  fn: () => Promise<T>,
): Promise<T> {
  const release = await lines[line].take({
    limit: COMMON.IMPORT_CONCURRENCY,
    patience: PATIENCE,
    message: 'Other imports are running. Please try again later.',
    signal,
  })
  try {
    return await fn()
  } finally {
    release()
  }
}
