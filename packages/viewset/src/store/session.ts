import { currentContext, runInContext } from '../core/context.ts'
import type { Database } from './database.ts'
import type { Executor, TransactionConnection } from './driver.ts'

/** The database that running code works on and, inside a write, its open transaction. */
export interface Session {
  readonly database: Database
  readonly transaction: Transaction | null
  /** Of a request: what `onCommit` has begun outside of a transaction, to be waited for before the answer. */
  readonly callbacks?: (() => Promise<unknown>)[]
  /** The savepoints that were made directly in the transaction, or in the savepoint, that running code stands in. */
  readonly savepoints?: SavepointQueue
}

/** Savepoints are a stack: of two at the same time, the second waits for the first. */
export interface SavepointQueue {
  /** Settles when there is none. */
  last: Promise<void>
}

export interface Transaction {
  readonly connection: TransactionConnection
  /** Called once the transaction is committed. */
  readonly afterCommit: (() => unknown)[]
  savepoints: number
  /** The Drizzle database of the transaction, made when first asked for. */
  drizzle: object | undefined
}

export function currentSession(): Session | null {
  return currentContext().session as Session | null
}

export function runInSession<T>(session: Session, fn: () => T): T {
  return runInContext({ session }, fn)
}

/** What runs the statements of `database` right now: the open transaction's connection, else the pool. */
export function executorOf(database: Database): Executor {
  const session = currentSession()
  return session?.database === database && session.transaction ? session.transaction.connection : database.driver
}

/** Whether running code stands in a transaction of `database`. */
export function isInTransaction(database: Database): boolean {
  return executorOf(database) !== database.driver
}
