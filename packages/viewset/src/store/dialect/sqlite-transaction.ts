import { setImmediate as pause } from 'node:timers/promises'
import type { JoinedConnection, Result, Statement, TransactionConnection } from '../driver.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

/** Milliseconds after which others have their turn between two statements. */
const STRETCH = 10

/** The one connection of an open transaction. */
abstract class OpenTransaction {
  protected readonly connection: SqliteConnection
  protected isOpen = true
  /** What is thrown when somebody else has ended the transaction. */
  protected abstract readonly endedByOthers: string
  /** SQLite rolls back by itself on some errors: a full disk, `raise(rollback, ...)` in a trigger. */
  #undoneBy: unknown
  #lastPause = performance.now()

  constructor(connection: SqliteConnection) {
    this.connection = connection
  }

  async run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    if (performance.now() - this.#lastPause > STRETCH) {
      // Nothing waits for SQLite: by promises alone, a thousand small writes would have the process for themselves.
      await pause()
      this.#lastPause = performance.now()
    }
    if (!this.isOpen) throw new Error('This transaction has ended; its database cannot be used any more.')
    // Without this check, each statement would be stored by itself, and a savepoint would begin what nobody ends.
    if (!this.connection.inTransaction) throw this.#undoneBy ?? new Error(this.endedByOthers)
    try {
      return this.connection.run(statement, values)
    } catch (error) {
      if (!this.connection.inTransaction) this.#undoneBy = error
      throw error
    }
  }
}

/** A transaction of our own. However it ends, its connection is given back. */
export class SqliteTransaction extends OpenTransaction implements TransactionConnection {
  protected readonly endedByOthers = 'A COMMIT or ROLLBACK inside of this transaction has ended it before its time.'
  readonly #release: () => unknown

  /** `release` is waited for. */
  constructor(connection: SqliteConnection, release: () => unknown) {
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
    await this.#end()
  }

  async rollback(): Promise<void> {
    try {
      // Where SQLite has rolled back by itself, a second ROLLBACK would be an error.
      if (this.isOpen && this.connection.inTransaction) await this.run({ text: 'rollback' }, [])
    } catch {
      // Whoever writes next sees to it.
    } finally {
      await this.#end()
    }
  }

  async #end(): Promise<void> {
    this.isOpen = false
    await this.#release()
  }
}

/** A transaction of the application, which ends it by itself. */
export class JoinedTransaction extends OpenTransaction implements JoinedConnection {
  protected readonly endedByOthers = 'The application has ended this transaction before its time.'

  async leave(): Promise<void> {
    this.isOpen = false
  }
}
