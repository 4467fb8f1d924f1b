import type { ApiSettings } from '../core/settings.ts'
import { Turns } from '../core/turns.ts'

/** Each import has a thread for its workbook, and a connection: of all services, for these are the process's. */
const turns = new Turns()
const PATIENCE = 30_000

/** Runs one of the process's imports, or what costs as much. */
export async function inTurn<T>(
  settings: ApiSettings,
  signal: AbortSignal | undefined,
  run: () => Promise<T>,
): Promise<T> {
  const release = await turns.take({
    limit: settings.COMMON.IMPORT_CONCURRENCY,
    patience: PATIENCE,
    message: 'Other imports are running. Please try again later.',
    signal,
  })
  try {
    return await run()
  } finally {
    release()
  }
}
