import type { Result, Statement, TransactionConnection } from '../driver.ts'
import { Busy, busyError, retryWhileBusy } from './sqlite-busy.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { SqliteTransaction } from './sqlite-transaction.ts'

/** The one connection that writes, behind a queue: an open transaction never sees another request's statements. */
export class SqliteWriter {
  #connection: SqliteConnection
  readonly #reopen: (() => SqliteConnection) | null
  readonly #busyTimeout: number
  #isFree = true
  /** Whoever waits, in the order of their coming. */
  readonly #waiting: PromiseWithResolvers<void>[] = []
  /** Whether a transaction of ours could not be ended and is still open. */
  #isStuck = false

  /** Without `reopen` the connection is the application's, which may have a transaction of its own open on it. */
  constructor(connection: SqliteConnection, busyTimeout: number, reopen: (() => SqliteConnection) | null) {
    this.#connection = connection
    this.#busyTimeout = busyTimeout
    this.#reopen = reopen
  }

  async run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    const release = await this.#take()
    try {
      return await retryWhileBusy(this.#busyTimeout, () => this.#idle().run(statement, values))
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

  /** Closes the connection once nobody writes any more, however long that takes, unless it is the application's. */
  async close(): Promise<void> {
    const release = await this.#take(null)
    if (this.#reopen) this.#connection.close()
    release()
  }

  /** The connection, with no transaction open. */
  #idle(): SqliteConnection {
    if (!this.#connection.inTransaction) return this.#connection
    if (!this.#isStuck) throw new Busy('The application has a transaction open.')
    try {
      this.#connection.run({ text: 'rollback' }, [])
    } catch (error) {
      if (!this.#reopen) throw error
      // What cannot be rolled back goes when its connection is closed.
      const stuck = this.#connection
      this.#connection = this.#reopen()
      stuck.close()
    }
    return this.#connection
  }

  /** Waits for the connection, and returns what gives it back. @throws ServiceUnavailable after `timeout`. */
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
