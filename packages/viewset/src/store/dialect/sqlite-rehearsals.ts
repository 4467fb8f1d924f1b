import Database from 'better-sqlite3'
import type { Result, Statement, TransactionConnection } from '../driver.ts'
import { copyDatabase } from './sqlite-copy.ts'
import type { SqliteReads } from './sqlite-reads.ts'
import type { SqliteSettings } from './sqlite-source.ts'
import { SqliteTransaction } from './sqlite-transaction.ts'
import type { SqliteWriter } from './sqlite-writer.ts'

/** The part of the time for which others wait that a rehearsal may hold the one connection that writes. */
const SHARE = 5

/**
 * Begins transactions that are sure to be rolled back. A short one has the connection that writes, as all have. One that
 * takes longer would have others refused, so it is begun again on a copy of the database, where it is in nobody's way.
 */
export class SqliteRehearsals {
  readonly #path: string
  readonly #settings: SqliteSettings
  readonly #writer: SqliteWriter
  readonly #reads: SqliteReads

  constructor(path: string, settings: SqliteSettings, writer: SqliteWriter, reads: SqliteReads) {
    this.#path = path
    this.#settings = settings
    this.#writer = writer
    this.#reads = reads
  }

  /** `attempt` from 1: the first one ends with a fault of the kind `retry` when it takes too long. */
  async begin(attempt: number): Promise<TransactionConnection> {
    if (attempt === 1) return new TimeLimitedTransaction(await this.#writer.begin(), this.#settings.busyTimeout / SHARE)
    const copy = await copyDatabase(this.#path, this.#settings, file => this.#reads.copyTo(file))
    if (copy) return new SqliteTransaction(copy.connection, copy.remove)
    warnWithoutCopy()
    return this.#writer.begin()
  }
}

/** A transaction that takes no further statement once its time is over. */
class TimeLimitedTransaction implements TransactionConnection {
  readonly #transaction: TransactionConnection
  readonly #end: number
  #isOver = false

  constructor(transaction: TransactionConnection, time: number) {
    this.#transaction = transaction
    this.#end = performance.now() + time
  }

  async run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    if (performance.now() > this.#end) this.#isOver = true
    if (this.#isOver) throw tooLong()
    return this.#transaction.run(statement, values)
  }

  commit(): Promise<void> {
    return this.#transaction.commit()
  }

  async rollback(): Promise<void> {
    await this.#transaction.rollback()
    // A hook may have caught what its statement threw.
    if (this.#isOver) throw tooLong()
  }
}

/** SQLite's own code for a transaction that has to be run again. */
function tooLong(): Error {
  return new Database.SqliteError('This dry run goes on in a copy of the database.', 'SQLITE_BUSY_SNAPSHOT')
}

let isWarned = false

function warnWithoutCopy(): void {
  if (isWarned) return
  isWarned = true
  process.emitWarning(
    'The SQLite database could not be copied: there is no room on the disk, no thread (readerThreads), or no time ' +
      '(statementTimeout). So a dry run keeps others from writing for as long as it takes.',
    { type: 'viewset', code: 'VIEWSET_SQLITE_COPY' },
  )
}
