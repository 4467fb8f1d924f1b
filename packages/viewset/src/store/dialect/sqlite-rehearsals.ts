import { existsSync } from 'node:fs'
import { mkdtemp, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { default as Database } from 'better-sqlite3'
import type { Result, Statement, TransactionConnection } from '../driver.ts'
import { type ConnectionSettings, SqliteConnection } from './sqlite-connection.ts'
import type { SqliteReads } from './sqlite-reads.ts'
import type { SqliteSettings } from './sqlite-source.ts'
import { SqliteTransaction, type SqliteWriter } from './sqlite-writer.ts'

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

/** Bytes that a copy leaves free beside itself, for what is written to it and to the database. */
const ROOM = 256 * 1024 ** 2

/** A copy of a database, on a connection of its own; `remove` closes it. */
interface DatabaseCopy {
  readonly connection: SqliteConnection
  remove(): Promise<void>
}

/**
 * Copies a database as it is, with all that has been committed, while others read and write; `null` where there is no room
 * for a copy, or no `copyTo`. Only SQLite may open the files of a database in use: whoever else closes one gives up all
 * the locks that the process has on it.
 */
export async function copyDatabase(
  path: string,
  settings: ConnectionSettings,
  copyTo: (file: string) => Promise<boolean>,
): Promise<DatabaseCopy | null> {
  if (!(await hasRoom(path))) return null
  const folder = await mkdtemp(`${path}-dry-run-`)
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  try {
    const copy = join(folder, 'copy.db')
    if (!(await copyTo(copy))) {
      await removeFolder()
      return null
    }
    // It is never looked at again, so the disk need not be waited for.
    const connection = SqliteConnection.open(copy, { ...settings, synchronous: 'off' })
    // An open file needs no name, and so leaves nothing behind if the process is killed; Windows keeps it.
    connection.run({ text: 'begin immediate' }, [])
    await removeFolder().catch(() => {})
    const remove = async () => {
      connection.close()
      await removeFolder()
    }
    return { connection, remove }
  } catch (error) {
    await removeFolder()
    throw error
  }
}

async function hasRoom(path: string): Promise<boolean> {
  const sizeOf = async (file: string) => (existsSync(file) ? (await stat(file)).size : 0)
  const { bavail, bsize } = await statfs(dirname(path))
  return bavail * bsize > (await sizeOf(path)) + (await sizeOf(`${path}-wal`)) + ROOM
}
