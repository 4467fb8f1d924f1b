import type { ModelInfo } from '../model/model-info.ts'
import { signals } from '../model/signals.ts'
import type { Database } from '../store/connection/database.ts'
import { inTransaction } from '../store/connection/session.ts'

/** Runs a write and its signals in a transaction. Without a listener the write is a single statement and needs none. */
export function atomic<T>(
  database: Database,
  { table }: ModelInfo,
  names: readonly (keyof typeof signals)[],
  write: () => Promise<T>,
): Promise<T> {
  const isHeard = names.some(name => signals[name].isHeard(table))
  return isHeard ? inTransaction(database, write) : write()
}
