import { setImmediate as pause } from 'node:timers/promises'
import type { JoinedConnection, Result, Statement, TransactionConnection } from '../connection/driver.ts'
import { Busy, busyError, isBusy, retryWhileBusy, type SqliteConnection } from './sqlite-connection.ts'

/** The single connection that writes, with a queue: no request sees an open transaction of another one. */
export class SqliteWriter {
  #connection: SqliteConnection
  readonly #reopen: (() => SqliteConnection) | null
  readonly #busyTimeout: number
  #isFree = true
  readonly #waiting: PromiseWithResolvers<void>[] = []
  /** Whether a transaction of Viewset could not be ended and is still open. */
  #isStuck = false

  /** Without `reopen` the connection belongs to the application, which may have its own open transaction. */
  constructor(connection: SqliteConnection, busyTimeout: number, reopen: (() => SqliteConnection) | null) {
    this.#connection = connection
    this.#busyTimeout = busyTimeout
    this.#reopen = reopen
  }

  run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    const attempt = () => this.#idle().run(statement, values)
    try {
      // A free connection runs the statement before any other code: no turn is needed.
      if (this.#isFree) return Promise.resolve(attempt())
    } catch (error) {
      if (!isBusy(error)) return Promise.reject(error)
    }
    return this.#runInTurn(attempt)
  }

  async #runInTurn<T>(attempt: () => T): Promise<T> {
    const release = await this.#take()
    try {
      return await retryWhileBusy(this.#busyTimeout, attempt)
    } finally {
      release()
    }
  }

  async begin(): Promise<TransactionConnection> {
    const release = await this.#take()
    try {
      const connection = await retryWhileBusy(this.#busyTimeout, () => {
        const idle = this.#idle()
        idle.run({ text: 'begin immediate' }, [])
        return idle
      })
      return new SqliteTransaction(connection, () => {
        this.#isStuck = connection.inTransaction
        release()
      })
    } catch (error) {
      release()
      throw error
    }
  }

  async close(): Promise<void> {
    const release = await this.#take(null)
    if (this.#reopen) this.#connection.close()
    release()
  }

  #idle(): SqliteConnection {
    if (!this.#connection.inTransaction) return this.#connection
    if (!this.#isStuck) throw new Busy('The application has a transaction open.')
    try {
      this.#connection.run({ text: 'rollback' }, [])
    } catch (error) {
      if (!this.#reopen) throw error
      // Closing the connection ends a transaction that cannot be rolled back.
      const stuck = this.#connection
      this.#connection = this.#reopen()
      stuck.close()
    }
    return this.#connection
  }

  /** Waits for the connection and returns a function that releases it. @throws ServiceUnavailable after `timeout`. */
  async #take(timeout: number | null = this.#busyTimeout): Promise<() => void> {
    if (!this.#isFree) await this.#wait(timeout)
    this.#isFree = false
    return () => {
      const next = this.#waiting.shift()
      if (next) next.resolve()
      else this.#isFree = true
    }
  }

  async #wait(timeout: number | null): Promise<void> {
    const turn = Promise.withResolvers<void>()
    this.#waiting.push(turn)
    if (timeout === null) return turn.promise
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(turn), 1)
      turn.reject(busyError())
    }, timeout)
    await turn.promise.finally(() => clearTimeout(timer))
  }
}

/** Milliseconds after which other requests get a turn between two statements. */
const TURN_MS = 10

abstract class OpenTransaction {
  protected readonly connection: SqliteConnection
  protected isOpen = true
  protected abstract readonly endedByOthers: string
  /** SQLite rolls back on some errors: a full disk, `raise(rollback, ...)` in a trigger. */
  #undoneBy: unknown
  #lastPause = performance.now()

  constructor(connection: SqliteConnection) {
    this.connection = connection
  }

  async run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    if (performance.now() - this.#lastPause > TURN_MS) {
      // SQLite is synchronous: a thousand small writes would block the process.
      await pause()
      this.#lastPause = performance.now()
    }
    if (!this.isOpen) throw new Error('This transaction has ended; its database cannot be used any more.')
    // Otherwise each statement would be committed by itself, and a savepoint would begin a transaction without an end.
    if (!this.connection.inTransaction) throw this.#undoneBy ?? new Error(this.endedByOthers)
    try {
      return this.connection.run(statement, values)
    } catch (error) {
      if (!this.connection.inTransaction) this.#undoneBy = error
      throw error
    }
  }
}

class SqliteTransaction extends OpenTransaction implements TransactionConnection {
  protected readonly endedByOthers = 'A COMMIT or ROLLBACK inside of this transaction has ended it before its time.'
  readonly #release: () => void

  constructor(connection: SqliteConnection, release: () => void) {
    super(connection)
    this.#release = release
  }

  async commit(): Promise<void> {
    try {
      await this.run({ text: 'commit' }, [])
    } catch (error) {
      await this.rollback()
      throw error
    }
    this.#end()
  }

  async rollback(): Promise<void> {
    try {
      // If SQLite has rolled back, a second ROLLBACK would be an error.
      if (this.isOpen && this.connection.inTransaction) await this.run({ text: 'rollback' }, [])
    } catch {
      // The next writer handles it.
    } finally {
      this.#end()
    }
  }

  #end(): void {
    this.isOpen = false
    this.#release()
  }
}

export class JoinedTransaction extends OpenTransaction implements JoinedConnection {
  protected readonly endedByOthers = 'The application has ended this transaction before its time.'

  async leave(): Promise<void> {
    this.isOpen = false
  }
}
