import type { TransactionEvent } from '../../core/channels.ts'
import { currentContext, runInContext } from '../../core/context.ts'
import type { Database } from './database.ts'
import type { Executor, ObservedExecutor } from './driver.ts'
import { ObservedConnection } from './observed-connection.ts'
import type { Reads } from './reads.ts'

/** The database that running code works on and, inside a write, its open transaction. */
export interface Session {
  readonly database: Database
  readonly transaction: Transaction | null
  /** Of a request: what `onCommit` has begun outside of a transaction, to be waited for before the answer. */
  readonly callbacks?: Promise<void>[]
  /** Of a request that only reads: where, as long as that is so. */
  readonly reads?: Reads | undefined
}

/** The transaction that running code stands in, or the savepoint. */
export interface Transaction {
  /** What its driver has begun. */
  readonly connection: Executor
  /** What its statements go through. */
  readonly executor: ObservedExecutor
  /** What subscribers are told of it, where there are any. */
  readonly event: TransactionEvent | null
  /** Called in order once the transaction is committed. A savepoint hands its own on when it has succeeded. */
  readonly afterCommit: (() => unknown)[]
  /** The application ends the transaction and does not tell: nothing can be called after it. */
  readonly endsUnseen: boolean
  /** Settles when no savepoint is open in it. They are a stack: of two at the same time, the second waits. */
  lastSavepoint: Promise<void>
  /** The Drizzle database on it, made when first asked for. */
  drizzle: object | undefined
  /** What a transaction and its savepoints have in common. */
  readonly shared: {
    savepoints: number
    /** Why a savepoint that failed could not be undone: nothing of the transaction may be stored then. */
    notUndone?: unknown
  }
}

interface NewTransaction {
  readonly connection: Executor
  readonly endsUnseen?: boolean
  readonly event?: TransactionEvent | null
}

/** A transaction of `database` in which nothing has happened yet. */
export function newTransaction(
  { dialect }: Database,
  { connection, endsUnseen = false, event = null }: NewTransaction,
): Transaction {
  const executor = new ObservedConnection(dialect, connection, event)
  const shared = { savepoints: 0 }
  return { connection, executor, event, endsUnseen, shared, ...nothingYet() }
}

/** A savepoint of `transaction`, or of a savepoint of it. */
export function newSavepoint(
  { dialect }: Database,
  transaction: Transaction,
  event: TransactionEvent | null,
): Transaction {
  const executor = new ObservedConnection(dialect, transaction.connection, event)
  return { ...transaction, executor, event, ...nothingYet() }
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

/** What runs the statements of `database` right now: the open transaction, else what the request reads, else the pool. */
export function executorOf(database: Database): ObservedExecutor {
  const session = currentSession()
  if (session?.database !== database) return database.executor
  return session.transaction?.executor ?? session.reads?.executor ?? database.executor
}

/** Where running code reads `database` beside it; `undefined` where it does not. */
export function readsOf(database: Database): Reads | undefined {
  const session = currentSession()
  return session?.database === database ? session.reads : undefined
}

/** Runs `fn` in the open transaction of `database`, or in one of its own. */
export function inTransaction<T>(database: Database, fn: () => Promise<T>): Promise<T> {
  return isInTransaction(database) ? fn() : database.transaction(fn)
}

/** Whether running code reads what everybody does, and at once: in no transaction, and from no copy. */
export function readsAsAll(database: Database): boolean {
  return executorOf(database) === database.executor
}

/** Whether running code stands in a transaction of `database`. */
export function isInTransaction(database: Database): boolean {
  return transactionOf(database) !== null
}

function transactionOf(database: Database): Transaction | null {
  const session = currentSession()
  return session?.database === database ? session.transaction : null
}
