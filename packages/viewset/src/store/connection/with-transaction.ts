import { AsyncLocalStorage } from 'node:async_hooks'
import { checkOptions, setting } from '../../core/setting-rules.ts'
import type { Database } from './database.ts'
import { newTransaction, readsOf, runInSession } from './session.ts'
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

/** Options of a database's `withTransaction`. */
export interface JoinOptions {
  /** Gets each callback passed to `onCommit` in `fn`, once `fn` has succeeded. Call them after your commit. */
  readonly onCommit?: (callback: () => unknown) => void
}

const joined = new AsyncLocalStorage<readonly BegunTransaction[]>()
/** Settles when no code uses a transaction any more. */
const turns = new WeakMap<BegunTransaction, Promise<unknown>>()

/**
 * Runs `fn` in a savepoint of the application's transaction. Savepoints form a stack: a concurrent call waits, unless
 * it is nested.
 */
export async function joinTransaction<T>(
  database: Database,
  begun: BegunTransaction,
  fn: () => Promise<T>,
  options: JoinOptions = {},
): Promise<T> {
  checkOptions('withTransaction', { onCommit: setting.function }, options)
  const outer = joined.getStore() ?? []
  const run = () => joined.run([...outer, begun], () => takePart(database, begun, fn, options))
  const before = turns.get(begun)
  if (outer.includes(begun) || typeof begun !== 'object' || begun === null) return run()
  const turn = before ? before.then(run) : run()
  turns.set(
    begun,
    turn.catch(() => {}),
  )
  return turn
}

async function takePart<T>(
  database: Database,
  begun: BegunTransaction,
  fn: () => Promise<T>,
  { onCommit }: JoinOptions,
): Promise<T> {
  readsOf(database)?.leave()
  const connection = await database.driver.join(begun)
  const transaction = newTransaction(database, { connection, endsUnseen: onCommit === undefined })
  try {
    const result = await runInSession({ database, transaction }, () => runTransaction(database, fn))
    for (const callback of transaction.afterCommit) onCommit?.(callback)
    return result
  } finally {
    await connection.leave()
  }
}
