import type { JoinedConnection, Result, Statement, TransactionConnection } from '../driver.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

/** The one connection of an open transaction. */
class OpenTransaction {
  protected readonly connection: SqliteConnection
  protected isOpen = true

  constructor(connection: SqliteConnection) {
    this.connection = connection
  }

  async run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    if (!this.isOpen) throw new Error('This transaction has ended; its database cannot be used any more.')
    return this.connection.run(statement, values)
  }
}

/** A transaction of our own. However it ends, its connection is given back. */
export class SqliteTransaction extends OpenTransaction implements TransactionConnection {
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
      // SQLite rolls back by itself on some errors (a full disk); a second ROLLBACK would be an error.
      if (this.isOpen && this.connection.inTransaction) await this.run({ text: 'rollback' }, [])
    } catch {
      // Whoever writes next sees to it.
    } finally {
      this.#end()
    }
  }

  #end(): void {
    this.isOpen = false
    this.#release()
  }
}

/** A transaction of the application, which ends it by itself. */
export class JoinedTransaction extends OpenTransaction implements JoinedConnection {
  override async run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    // Without this check, a savepoint would begin a transaction that nobody ends.
    if (!this.connection.inTransaction) throw new Error('The application has ended this transaction before its time.')
    return super.run(statement, values)
  }

  async leave(): Promise<void> {
    this.isOpen = false
  }
}
