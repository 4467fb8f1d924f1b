import type { TransactionEvent } from '../../core/channels.ts'
import { currentContext, runInContext } from '../../core/context.ts'
import type { Database } from './database.ts'
import type { Executor, ObservedExecutor } from './driver.ts'
import { MovedRows } from './moved-rows.ts'
import { ObservedConnection } from './observed-connection.ts'
import type { Reads } from './reads.ts'

export interface Session {
  readonly database: Database
  readonly transaction: Transaction | null
  /** In a request: callbacks of `onCommit` outside of a transaction, which the response waits for. */
  readonly callbacks?: Promise<void>[]
  /** In a request that has only read so far: its reads. */
  readonly reads?: Reads | undefined
}

export interface Transaction {
  readonly connection: Executor
  readonly executor: ObservedExecutor
  readonly event: TransactionEvent | null
  /** Called in order after the commit. A successful savepoint passes its callbacks on. */
  readonly afterCommit: (() => unknown)[]
  /** The application ends the transaction without notice, so no callback can follow. */
  readonly endsUnseen: boolean
  /** Settles when no savepoint is open. Savepoints form a stack: a concurrent one waits. */
  lastSavepoint: Promise<void>
  /** A successful savepoint passes them on. */
  readonly moved: MovedRows
  drizzle: object | undefined
  readonly shared: {
    savepoints: number
    /** The reason why a failed savepoint could not be undone. The transaction must then not be committed. */
    notUndone?: unknown
  }
}

interface NewTransaction {
  readonly connection: Executor
  readonly endsUnseen?: boolean
  readonly event?: TransactionEvent | null
}

export function newTransaction(
  { dialect }: Database,
  { connection, endsUnseen = false, event = null }: NewTransaction,
): Transaction {
  const executor = new ObservedConnection(dialect, connection, event)
  const shared = { savepoints: 0 }
  return { connection, executor, event, endsUnseen, shared, moved: new MovedRows(), ...nothingYet() }
}

export function newSavepoint(
  { dialect }: Database,
  transaction: Transaction,
  event: TransactionEvent | null,
): Transaction {
  const executor = new ObservedConnection(dialect, transaction.connection, event)
  return { ...transaction, executor, event, moved: new MovedRows(transaction.moved), ...nothingYet() }
}

function nothingYet() {
  return { afterCommit: [], lastSavepoint: Promise.resolve(), drizzle: undefined }
}

export function currentSession(): Session | null {
  return currentContext().session as Session | null
}

export function runInSession<T>(session: Session, fn: () => T): T {
  return runInContext({ session }, fn)
}

export function executorOf(database: Database): ObservedExecutor {
  const session = currentSession()
  if (session?.database !== database) return database.executor
  return session.transaction?.executor ?? session.reads?.executor ?? database.executor
}

export function readsOf(database: Database): Reads | undefined {
  const session = currentSession()
  return session?.database === database ? session.reads : undefined
}

export function inTransaction<T>(database: Database, fn: () => Promise<T>): Promise<T> {
  return isInTransaction(database) ? fn() : database.transaction(fn)
}

/** Whether reads see the latest commits: outside of transactions and not on a replica. */
export function readsAsAll(database: Database): boolean {
  return executorOf(database) === database.executor
}

export function isInTransaction(database: Database): boolean {
  return transactionOf(database) !== null
}

/** The rows whose version the open transaction has moved; `undefined` outside of one. */
export function movedRows(database: Database): MovedRows | undefined {
  return transactionOf(database)?.moved
}

function transactionOf(database: Database): Transaction | null {
  const session = currentSession()
  return session?.database === database ? session.transaction : null
}
