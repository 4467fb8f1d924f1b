import type { DataVersions, Executor, Statement, VersionedCount } from '../connection/driver.ts'
import { type ReadTables, wordsOf } from '../read-tables.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

const VERSION: Statement = { text: 'pragma data_version' }

/** Tables of the file, and search indexes, whose rows are in such tables. */
const ORDINARY: Statement = {
  text: `select count(*) from main.sqlite_schema where name collate nocase in (select value from json_each(?)) and type = 'table'
    and (rootpage > 0 or sql like 'create virtual table % using fts5(%, content='''', %')`,
}

/**
 * The version of a file. It changes with each commit of another connection, also of another process. A database in
 * memory has one connection, which does not notice its own writes.
 */
export class SqliteVersions implements DataVersions {
  readonly constantSql = {
    functions: wordsOf(
      `abs casefold coalesce count ifnull instr json_each json_type length local_date lower max min nullif substr upper`,
    ),
    words: wordsOf('docid key match rowid value'),
  }
  readonly placeholders = 0
  /** It only reads: writes of this connection would not count. */
  readonly #reader: SqliteConnection

  constructor(reader: SqliteConnection) {
    this.#reader = reader
  }

  statement(select: string): string {
    return select
  }

  async count(executor: Executor, statement: Statement, values: readonly unknown[], known: string | null) {
    const version = this.#version()
    if (version !== null && version === known) return { version, count: null } satisfies VersionedCount
    const { rows } = await executor.run(statement, values)
    // A thread may have counted what was committed meanwhile.
    return { version: version === this.#version() ? version : null, count: Number(rows[0]?.[0]) }
  }

  async areOrdinary(_executor: Executor, { tables }: ReadTables, version: string): Promise<boolean> {
    const names = tables.map(name => name.slice(1, -1).replaceAll('""', '"'))
    const { rows } = this.#reader.run(ORDINARY, [JSON.stringify(names)])
    return Number(rows[0]?.[0]) === names.length && version === this.#version()
  }

  isUnsupported(): boolean {
    return false
  }

  /** `null` while SQLite cannot say it: the file is busy or closed. */
  #version(): string | null {
    try {
      return String(this.#reader.run(VERSION, []).rows[0]?.[0])
    } catch {
      return null
    }
  }
}
