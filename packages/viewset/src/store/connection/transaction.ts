import { setTimeout as sleep } from 'node:timers/promises'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { channels, isObserved, type Ongoing, type TransactionEvent, traced } from '../../core/channels.ts'
import { currentContext, reportError, runInContext } from '../../core/context.ts'
import type { Dialect } from '../../model/dialect/dialect.ts'
import { explainedBehind } from '../write/restricted-delete.ts'
import type { Database } from './database.ts'
import {
  currentSession,
  newSavepoint,
  newTransaction,
  readsOf,
  runInSession,
  type Session,
  type Transaction,
} from './session.ts'

const ATTEMPTS = 4
/** Serializable transactions fail more often, also without a deadlock. */
const SERIALIZABLE_ATTEMPTS = 10

/**
 * Drizzle's database for portable models, typed as PostgreSQL's, because both databases share the query methods that
 * these models need (see {@link ColumnKit}).
 */
export type DrizzleDatabase = PgDatabase<PgQueryResultHKT>

/** Options of a database's `transaction`. */
export interface TransactionOptions {
  /** Ends the pause before a retry. */
  readonly signal?: AbortSignal | undefined
  /**
   * Whether the result must be that of transactions one after the other. After a conflict, all of it runs again, up to
   * ten times (PostgreSQL, "Serializable Isolation Level"). It holds against other serializable transactions. A
   * savepoint has the isolation of its transaction. On SQLite, every transaction is serializable.
   */
  readonly isolation?: Isolation | undefined
}

/** How much a transaction may notice of others, if less than usual. */
export type Isolation = 'serializable'

export async function runTransaction<T>(
  database: Database,
  fn: () => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const session = currentSession()
  if (session?.database === database && session.transaction) return waitForSavepoint(session, session.transaction, fn)
  const attempts = options.isolation ? SERIALIZABLE_ATTEMPTS : ATTEMPTS
  for (let attempt = 1; ; attempt++) {
    let committed: Committed<T>
    try {
      committed = await reportTransaction(database.dialect, { kind: 'transaction', attempt }, report =>
        runOnce(database, fn, report, options.isolation),
      )
    } catch (error) {
      if (attempt === attempts || database.dialect.fault(error)?.kind !== 'retry') throw await explainedBehind(error)
      await retryPause(attempt, options.signal)
      continue
    }
    for (const callback of committed.afterCommit) await callBack(callback)
    return committed.result
  }
}

interface Committed<T> {
  readonly result: T
  readonly afterCommit: readonly (() => unknown)[]
}

async function runOnce<T>(
  database: Database,
  fn: () => Promise<T>,
  report: TransactionReport,
  isolation: Isolation | undefined,
): Promise<Committed<T>> {
  readsOf(database)?.leave()
  const connection = await database.driver.begin()
  report.begun()
  const transaction = newTransaction(database, { connection, event: report.event })
  const { beginSerializable } = database.dialect
  let result: T
  try {
    if (isolation && beginSerializable !== null) await connection.run({ text: beginSerializable }, [])
    result = await runInSession({ database, transaction }, fn)
    assertUndone(transaction)
  } catch (error) {
    await connection.rollback()
    report.ended('rollback')
    throw error
  }
  await connection.commit()
  report.ended('commit')
  return { result, afterCommit: transaction.afterCommit }
}

/** Never throws: the data is stored, and an error would make the client send it again. */
async function callBack(callback: () => unknown): Promise<void> {
  try {
    await callback()
  } catch (error) {
    reportError(error, 'a callback of onCommit failed; the data is stored')
  }
}

async function waitForSavepoint<T>(session: Session, transaction: Transaction, fn: () => Promise<T>): Promise<T> {
  const before = transaction.lastSavepoint
  const { promise, resolve } = Promise.withResolvers<void>()
  transaction.lastSavepoint = promise
  await before
  try {
    return await reportTransaction(session.database.dialect, { kind: 'savepoint', parent: transaction.event }, report =>
      runSavepoint(session, transaction, fn, report),
    )
  } finally {
    resolve()
  }
}

/** A failed statement makes a PostgreSQL transaction unusable. With a savepoint, only the writes of `fn` are lost. */
async function runSavepoint<T>(
  session: Session,
  transaction: Transaction,
  fn: () => Promise<T>,
  report: TransactionReport,
): Promise<T> {
  const { shared } = transaction
  const name = `viewset_${++shared.savepoints}`
  const savepoint = newSavepoint(session.database, transaction, report.event)
  await savepoint.executor.run({ text: `savepoint ${name}` }, [])
  report.begun()
  try {
    const result = await runInSession({ ...session, transaction: savepoint }, fn)
    assertUndone(savepoint)
    await savepoint.executor.run({ text: `release savepoint ${name}` }, [])
    report.ended('commit')
    transaction.afterCommit.push(...savepoint.afterCommit)
    savepoint.moved.passOn()
    return result
  } catch (error) {
    try {
      await savepoint.executor.run({ text: `rollback to savepoint ${name}` }, [])
      report.ended('rollback')
    } catch (failure) {
      // Usually the connection is lost, or SQLite has rolled everything back. The original error is more informative.
      shared.notUndone = failure
      throw error
    }
    throw await explainedBehind(error)
  }
}

/** Code may have caught a savepoint's error. Its writes must not be stored. */
function assertUndone({ shared: { notUndone } }: Transaction): void {
  if (notUndone !== undefined) throw notUndone
}

/**
 * Runs `fn` in a transaction of the current database, or in a savepoint of the open one. If `fn` throws, its writes are
 * undone.
 *
 * @example
 * await transaction(async () => { await order.save(); await stock.save() })
 */
export function transaction<T>(fn: () => Promise<T>): Promise<T> {
  return runTransaction(requireSession().database, fn)
}

/**
 * Calls `fn` after the current transaction is committed, and never if it is rolled back; outside of one, at once.
 * Errors are only logged.
 *
 * @example
 * onCommit(() => mailer.send(welcome))
 */
export function onCommit(fn: () => unknown): void {
  const session = requireSession()
  const { transaction } = session
  if (transaction?.endsUnseen) {
    throw new Error(
      'The application ends this transaction: give withTransaction an onCommit that keeps what is to follow.',
    )
  }
  if (transaction) {
    // The commit may run in another context, so the user and the database are kept.
    const context = { ...currentContext(), session: { ...session, transaction: null } }
    transaction.afterCommit.push(() => runInContext(context, fn))
  } else {
    const done = callBack(fn)
    session.callbacks?.push(done)
  }
}

/** Waits for callbacks that {@link onCommit} started outside of a transaction. */
export async function settleCallbacks({ callbacks = [] }: Session): Promise<void> {
  for (const callback of callbacks) await callback
}

/**
 * An ordinary Drizzle database on the current transaction, or on the pool. Its own `transaction()` is a savepoint, or a
 * transaction that covers only its `tx`. After the end of its transaction, it throws.
 *
 * Set `D` for plain Drizzle tables: `currentDb<SqliteDrizzleDatabase>()` takes SQLite tables.
 *
 * @example
 * const rows = await currentDb().select().from(countries)
 */
export function currentDb(): DrizzleDatabase
export function currentDb<D>(): D
export function currentDb(): unknown {
  const { database, transaction, reads } = requireSession()
  const { driver, executor } = database
  if (!transaction) return driver.drizzle(reads?.leaving(executor) ?? executor, driver)
  transaction.drizzle ??= driver.drizzle(transaction.executor, transaction.connection)
  return transaction.drizzle
}

/** The current session. @throws when there is none. */
export function requireSession(): Session {
  const session = currentSession()
  if (!session) {
    throw new Error(
      'There is no current database here. Outside a request, wrap the code in database.use(...) or database.transaction(...).',
    )
  }
  return session
}

interface TransactionReport {
  readonly event: TransactionEvent | null
  begun(): void
  ended(outcome: 'commit' | 'rollback'): void
}

const UNOBSERVED: TransactionReport = { event: null, begun: () => {}, ended: () => {} }

interface Begun {
  readonly kind: TransactionEvent['kind']
  readonly attempt?: number
  readonly parent?: TransactionEvent | null
}

function reportTransaction<T>(
  dialect: Dialect,
  { kind, attempt = 1, parent = null }: Begun,
  run: (report: TransactionReport) => Promise<T>,
): Promise<T> {
  if (!isObserved()) return run(UNOBSERVED)
  const event: Ongoing<TransactionEvent> = {
    database: dialect.name,
    kind,
    parent,
    attempt,
    request: currentContext().request,
    outcome: null,
    waited: 0,
    duration: 0,
  }
  const start = performance.now()
  const report: TransactionReport = {
    event,
    begun: () => {
      event.waited = performance.now() - start
    },
    ended: outcome => {
      event.outcome = outcome
    },
  }
  return traced(channels.transaction, event, () => run(report))
}

const FIRST = 20

/**
 * Waits before a retry, up to twice as long each time. The pause is random, so that two conflicting transactions do not
 * meet again.
 *
 * @throws the signal's `AbortError`.
 */
function retryPause(attempt: number, signal?: AbortSignal): Promise<void> {
  return sleep(pauseOf(attempt, Math.random()), undefined, signal && { signal })
}

/** The pause after an attempt (from 1) in milliseconds. `chance` is from 0 to 1. */
export function pauseOf(attempt: number, chance: number): number {
  return FIRST * 2 ** (attempt - 1) * (0.5 + chance / 2)
}
