import { refuseUnknown } from '../core/refuse-unknown.ts'
import type { Database } from './database.ts'
import { newTransaction, runInSession } from './session.ts'
import { runTransaction } from './transaction.ts'

/**
 * An open transaction of the application: Drizzle's `tx` of node-postgres, a client of `pg`, a handle of
 * `better-sqlite3`, or a Drizzle database on such a handle.
 */
export type BegunTransaction =
  | { rollback(): never }
  | { escapeLiteral(text: string): string }
  | { readonly inTransaction: boolean }
  | { readonly $client: { readonly inTransaction: boolean } }

export interface JoinOptions {
  /** Given what `onCommit` was called with in `fn`, once `fn` has succeeded: to be called behind your commit. */
  readonly onCommit?: (callback: () => unknown) => void
}

/** Runs `fn` in a savepoint of a transaction that the application has begun. */
export async function joinTransaction<T>(
  database: Database,
  begun: BegunTransaction,
  fn: () => Promise<T>,
  options: JoinOptions = {},
): Promise<T> {
  refuseUnknown('withTransaction', 'option', Object.keys(options), ['onCommit'])
  const { onCommit } = options
  const connection = await database.driver.join(begun)
  const transaction = newTransaction(connection, onCommit === undefined)
  try {
    const result = await runInSession({ database, transaction }, () => runTransaction(database, fn))
    for (const callback of transaction.afterCommit) onCommit?.(callback)
    return result
  } finally {
    await connection.leave()
  }
}
