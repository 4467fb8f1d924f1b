import { message } from '../core/messages/message.ts'
import type { ApiSettings } from '../core/settings.ts'
import { Turns } from '../core/turns.ts'

/**
 * Each open workbook has a thread and each import a connection, so the limit covers all services of the process.
 * Previews have their own queue, because an import can take an hour.
 */
const lines = { import: new Turns(), preview: new Turns() }
const PATIENCE = 30_000

export async function inTurn<T>(
  line: keyof typeof lines,
  { COMMON }: ApiSettings,
  signal: AbortSignal | undefined,
  fn: () => Promise<T>,
): Promise<T> {
  const release = await lines[line].take({
    limit: COMMON.IMPORT_CONCURRENCY,
    patience: PATIENCE,
    message: message('service_unavailable.imports'),
    signal,
  })
  try {
    return await fn()
  } finally {
    release()
  }
}
