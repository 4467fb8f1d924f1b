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

/** Options of `withTransaction` of a database. */
export interface JoinOptions {
  /** Given what `onCommit` was called with in `fn`, once `fn` has succeeded: to be called behind your commit. */
  readonly onCommit?: (callback: () => unknown) => void
}

/** The transactions of the application that running code takes part in. */
const joined = new AsyncLocalStorage<readonly BegunTransaction[]>()
/** Settles when nobody takes part in a transaction any more. */
const turns = new WeakMap<BegunTransaction, Promise<unknown>>()

/**
 * Runs `fn` in a savepoint of a transaction that the application has begun. Savepoints are a stack: of two calls at the
 * same time, the second waits for the first, unless it is made inside of it.
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
