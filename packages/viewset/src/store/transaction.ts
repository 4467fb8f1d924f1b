import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type { Database } from './database.ts'
import { currentSession, runInSession, type SavepointQueue, type Session, type Transaction } from './session.ts'

/** Times a transaction is run at most when it keeps losing against others. */
const ATTEMPTS = 4

/**
 * Drizzle's database as portable models see it: typed as PostgreSQL's, since the query builders of both databases
 * share the methods a portable model needs (see {@link ColumnKit}).
 */
export type DrizzleDatabase = PgDatabase<PgQueryResultHKT>

/** Runs `fn` in a transaction of `database`, or in a savepoint of the current one. */
export async function runTransaction<T>(database: Database, fn: () => Promise<T>): Promise<T> {
  const session = currentSession()
  if (session?.database === database && session.transaction) return waitForSavepoint(session, session.transaction, fn)
  for (let attempt = 1; ; attempt++) {
    const afterCommit: (() => unknown)[] = []
    let result: T
    try {
      result = await runOnce(database, afterCommit, fn)
    } catch (error) {
      if (attempt === ATTEMPTS || database.dialect.fault(error)?.kind !== 'retry') throw error
      continue
    }
    // What is committed must not run again, whatever these throw.
    await callAll(afterCommit)
    return result
  }
}

async function runOnce<T>(database: Database, afterCommit: (() => unknown)[], fn: () => Promise<T>): Promise<T> {
  const connection = await database.driver.begin()
  const transaction: Transaction = { connection, afterCommit, savepoints: 0, drizzle: undefined }
  let result: T
  try {
    result = await runInSession({ database, transaction, savepoints: newQueue() }, fn)
  } catch (error) {
    await connection.rollback()
    throw error
  }
  await connection.commit()
  return result
}

/** Calls every one, also behind one that fails, and then throws the first error. */
async function callAll(callbacks: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = []
  for (const callback of callbacks) {
    try {
      await callback()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}

const newQueue = (): SavepointQueue => ({ last: Promise.resolve() })

async function waitForSavepoint<T>(session: Session, transaction: Transaction, fn: () => Promise<T>): Promise<T> {
  const { savepoints = newQueue() } = session
  const before = savepoints.last
  const { promise, resolve } = Promise.withResolvers<void>()
  savepoints.last = promise
  await before
  try {
    return await runInSession({ ...session, savepoints: newQueue() }, () => runSavepoint(transaction, fn))
  } finally {
    resolve()
  }
}

/** A failed statement leaves a PostgreSQL transaction unusable; behind a savepoint it costs only what `fn` did. */
async function runSavepoint<T>(transaction: Transaction, fn: () => Promise<T>): Promise<T> {
  const name = `viewset_${++transaction.savepoints}`
  const { connection, afterCommit } = transaction
  const callbacks = afterCommit.length
  await connection.run({ text: `savepoint ${name}` }, [])
  try {
    const result = await fn()
    await connection.run({ text: `release savepoint ${name}` }, [])
    return result
  } catch (error) {
    afterCommit.length = callbacks
    await connection.run({ text: `rollback to savepoint ${name}` }, [])
    throw error
  }
}

/**
 * Runs `fn` in a transaction of the current database; inside one, in a savepoint. What `fn` throws undoes its writes.
 *
 * @example
 * await transaction(async () => { await order.save(); await stock.save() })
 */
export function transaction<T>(fn: () => Promise<T>): Promise<T> {
  return runTransaction(requireSession().database, fn)
}

/**
 * Calls `fn` once the current transaction is committed, and never when it is rolled back; outside one, at once.
 *
 * @example
 * onCommit(() => mailer.send(welcome))
 */
export function onCommit(fn: () => unknown): void {
  const session = requireSession()
  if (session.transaction) session.transaction.afterCommit.push(fn)
  else if (session.callbacks) session.callbacks.push(begin(fn))
  else fn()
}

/** Calls `fn` and returns how to wait for it. Its failure is for who waits, so until then it is no unhandled one. */
function begin(fn: () => unknown): () => Promise<unknown> {
  const result = (async () => fn())()
  result.catch(() => {})
  return () => result
}

/** Waits for what {@link onCommit} has begun outside of a transaction. @throws the first error of them. */
export function settleCallbacks({ callbacks = [] }: Session): Promise<void> {
  return callAll(callbacks)
}

/**
 * An ordinary Drizzle database on the current transaction (outside one, on the pool). Its own `transaction()` is a
 * savepoint. Kept beyond the end of its transaction, it throws.
 *
 * `D` is for tables that are not a column kit's: `currentDb<SqliteDrizzleDatabase>()` takes plain SQLite tables.
 *
 * @example
 * const rows = await currentDb().select().from(countries)
 */
export function currentDb(): DrizzleDatabase
export function currentDb<D>(): D
export function currentDb(): unknown {
  const { database, transaction } = requireSession()
  if (!transaction) return database.driver.drizzle(database.driver)
  transaction.drizzle ??= database.driver.drizzle(transaction.connection)
  return transaction.drizzle
}

/** The session of the running code. @throws when there is none. */
export function requireSession(): Session {
  const session = currentSession()
  if (!session) {
    throw new Error(
      'There is no current database here. Outside a request, wrap the code in database.use(...) or database.transaction(...).',
    )
  }
  return session
}
