import { existsSync } from 'node:fs'
import { mkdtemp, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { default as Database } from 'better-sqlite3'
import type { Result, Statement, TransactionConnection } from '../connection/driver.ts'
import { type ConnectionSettings, SqliteConnection } from './sqlite-connection.ts'
import type { SqliteReads } from './sqlite-reads.ts'
import type { SqliteSettings } from './sqlite-source.ts'
import { SqliteTransaction, type SqliteWriter } from './sqlite-writer.ts'

/** A dry run may hold the writing connection for one fifth of the time for which other requests wait. */
const SHARE = 5

/**
 * Begins transactions that will be rolled back. A short one uses the writing connection. A longer one starts again on a
 * copy of the database, where it blocks no other request.
 */
export class SqliteDryRuns {
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

  /** `attempt` starts at 1. The first one fails with a fault of the kind `retry` if it takes too long. */
  async begin(attempt: number): Promise<TransactionConnection> {
    if (attempt === 1) return new TimeLimitedTransaction(await this.#writer.begin(), this.#settings.busyTimeout / SHARE)
    const copy = await copyDatabase(this.#path, this.#settings, file => this.#reads.copyTo(file))
    if (copy) return new SqliteTransaction(copy.connection, copy.remove)
    warnWithoutCopy()
    return this.#writer.begin()
  }
}

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
    // A hook may have caught the error of its statement.
    if (this.#isOver) throw tooLong()
  }
}

/** Has SQLite's code for a transaction that must run again. */
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

/** Free bytes that a copy must leave on the disk. */
const ROOM = 256 * 1024 ** 2

interface DatabaseCopy {
  readonly connection: SqliteConnection
  remove(): Promise<void>
}

/**
 * Copies all committed data of a database while other connections read and write; `null` if there is not enough space
 * or no `copyTo`. Only SQLite may open the files of a database in use: closing another handle would drop the process's
 * locks on the file.
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
    // The copy need not survive a crash.
    const connection = SqliteConnection.open(copy, { ...settings, synchronous: 'off' })
    // An open file needs no name, so a killed process leaves nothing behind. Windows keeps the name.
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
