import { currentContext, runInContext } from '../core/context.ts'
import type { Database } from './database.ts'
import type { Executor } from './driver.ts'

/** The database that running code works on and, inside a write, its open transaction. */
export interface Session {
  readonly database: Database
  readonly transaction: Transaction | null
  /** Of a request: what `onCommit` has begun outside of a transaction, to be waited for before the answer. */
  readonly callbacks?: Promise<void>[]
}

/** The transaction that running code stands in, or the savepoint. */
export interface Transaction {
  readonly connection: Executor
  /** Called in order once the transaction is committed. A savepoint hands its own on when it has succeeded. */
  readonly afterCommit: (() => unknown)[]
  /** The application ends the transaction and does not tell: nothing can be called after it. */
  readonly endsUnseen: boolean
  /** Settles when no savepoint is open in it. They are a stack: of two at the same time, the second waits. */
  lastSavepoint: Promise<void>
  /** What a transaction and its savepoints have in common. */
  readonly shared: {
    savepoints: number
    /** Why a savepoint that failed could not be undone: nothing of the transaction may be stored then. */
    notUndone?: unknown
    /** The Drizzle database of the transaction, made when first asked for. */
    drizzle: object | undefined
  }
}

/** A transaction on `connection` in which nothing has happened yet. */
export function newTransaction(connection: Executor, endsUnseen: boolean): Transaction {
  const shared = { savepoints: 0, drizzle: undefined }
  return { connection, afterCommit: [], endsUnseen, lastSavepoint: Promise.resolve(), shared }
}

/** A savepoint of `transaction`, or of a savepoint of it. */
export function newSavepoint(transaction: Transaction): Transaction {
  return { ...transaction, afterCommit: [], lastSavepoint: Promise.resolve() }
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

/** Runs `fn` in the open transaction of `database`, or in one of its own. */
export function inTransaction<T>(database: Database, fn: () => Promise<T>): Promise<T> {
  return isInTransaction(database) ? fn() : database.transaction(fn)
}

/** Whether running code stands in a transaction of `database`. */
export function isInTransaction(database: Database): boolean {
  return executorOf(database) !== database.driver
}
