import { existsSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { is } from 'drizzle-orm'
import { SQLiteTransaction } from 'drizzle-orm/sqlite-core'
import { ConfigError } from '../../core/errors.ts'
import { checkNumber, refuseUnknown } from '../../core/setting-rules.ts'
import type { ConnectionSettings, SqliteHandle } from './sqlite-connection.ts'

/** An SQLite database: a path, a handle, or Drizzle's database on one. */
export type SqliteSource = string | SqliteHandle | { readonly $client: SqliteHandle }

/** Options of {@link sqlite}. */
export interface SqliteOptions {
  /** Milliseconds to wait for writers of this or another process before the response is 503. Default 5,000. */
  readonly busyTimeout?: number
  /**
   * `full`: acknowledged data survives a power cut. `normal` writes several times as fast on a slow disk; a power cut
   * may undo the last commits but never damages the file. Default `full`.
   */
  readonly synchronous?: 'full' | 'normal'
  /**
   * Threads for statements that visit many rows, so that other requests are answered meanwhile. They start on demand;
   * each takes about 13 MB. 0 runs everything in the main thread. Default 2.
   */
  readonly readerThreads?: number
  /**
   * Milliseconds that a statement in a reader thread may take before the response is 503; in an export, each batch.
   * Default 30,000.
   */
  readonly statementTimeout?: number
}

export interface SqliteSettings extends ConnectionSettings {
  readonly readerThreads: number
  readonly statementTimeout: number
}

/** An address. better-sqlite3 would create a file of that name. */
const ADDRESS = /^(file|sqlite3?|[a-z][a-z0-9+.-]+(?=:\/\/)):(.*)$/is

const LONGEST = 2 ** 31 - 1

export type SqliteLocation = { readonly path: string } | { readonly handle: SqliteHandle }

/** @throws ConfigError for unknown options and wrong values. */
export function settingsOf(options: SqliteOptions): SqliteSettings {
  const { busyTimeout = 5_000, synchronous = 'full', readerThreads = 2, statementTimeout = 30_000 } = options
  const settings = { busyTimeout, synchronous, readerThreads, statementTimeout }
  refuseUnknown('sqlite', 'option', Object.keys(options), Object.keys(settings))
  if (synchronous !== 'full' && synchronous !== 'normal') {
    throw new ConfigError('sqlite', 'synchronous', `must be "full" or "normal", not ${JSON.stringify(synchronous)}`)
  }
  checkNumber('sqlite', 'busyTimeout', busyTimeout, 0, LONGEST)
  checkNumber('sqlite', 'readerThreads', readerThreads, 0, 64)
  checkNumber('sqlite', 'statementTimeout', statementTimeout, 1, LONGEST)
  return settings
}

/** @throws ConfigError for an invalid database, and for a handle that is closed, read-only or without WAL. */
export function locate(source: SqliteSource): SqliteLocation {
  const given = handleIn(source)
  if (typeof given === 'string') return { path: checkedPath(given) }
  if (!isHandle(given)) {
    throw new ConfigError(
      'sqlite',
      'database',
      'must be the path of a file, a handle of "better-sqlite3", or a database of "drizzle-orm/better-sqlite3"',
    )
  }
  checkHandle(given)
  return given.memory ? { handle: given } : { path: given.name }
}

function handleIn(source: unknown): unknown {
  return typeof source === 'object' && source !== null && '$client' in source ? source.$client : source
}

/** Not by class: the application may have its own copy of `better-sqlite3`. */
function isHandle(value: unknown): value is SqliteHandle {
  return typeof value === 'object' && value !== null && 'inTransaction' in value && 'pragma' in value
}

function checkedPath(path: string): string {
  if (path === '' || path === ':memory:') {
    throw new ConfigError(
      'sqlite',
      'path',
      'give the path of a file; a database in memory has one connection only, so pass its handle: sqlite(new Database(":memory:"))',
    )
  }
  const [, scheme, rest] = ADDRESS.exec(path) ?? []
  if (scheme !== undefined) throw new ConfigError('sqlite', 'path', problemOf(scheme.toLowerCase(), rest ?? ''))
  const folder = dirname(path)
  if (!existsSync(folder)) throw new ConfigError('sqlite', 'path', `the folder "${folder}" does not exist`)
  return path
}

function problemOf(scheme: string, rest: string): string {
  if (/^(?:file|sqlite3?)$/.test(scheme)) {
    const path = rest.replace(/^\/\//, '').replace(/\?.*$/, '')
    return `must be the path of a file, without a scheme; write "${path || 'data/shop.db'}"`
  }
  if (/^postgres(?:ql)?$/.test(scheme)) return `"${scheme}:" is PostgreSQL; use postgres(...) of "viewset/pg"`
  return `must be the path of a file, such as "data/shop.db"; "${scheme}:" is another database`
}

function checkHandle(handle: SqliteHandle): void {
  if (!handle.open) throw new ConfigError('sqlite', 'database', 'the handle is closed')
  if (handle.readonly) throw new ConfigError('sqlite', 'database', 'the handle is read-only')
  const journal = handle.memory ? 'wal' : handle.pragma('journal_mode', { simple: true })
  if (journal !== 'wal') {
    throw new ConfigError(
      'sqlite',
      'database',
      `readers and writers need the write-ahead log; run handle.pragma('journal_mode = wal') first, it is "${journal}" now`,
    )
  }
}

/**
 * The handle of a transaction that the application began on the same database.
 *
 * @throws ConfigError for anything else.
 */
export function handleOf(begun: unknown, location: SqliteLocation): SqliteHandle {
  const refusal = (problem: string) => new ConfigError('withTransaction', 'tx', problem)
  if (is(begun, SQLiteTransaction)) {
    throw refusal('transaction() of better-sqlite3 ends before async code does; give a handle behind "begin immediate"')
  }
  const given = handleIn(begun)
  if (!isHandle(given)) throw refusal('must be a handle of "better-sqlite3", or a Drizzle database on one')
  if (!given.inTransaction) throw refusal('no transaction is open on it; run "begin immediate" first')
  if (!isSameDatabase(given, location)) throw refusal(`it is a transaction of another database, "${given.name}"`)
  return given
}

function isSameDatabase(given: SqliteHandle, location: SqliteLocation): boolean {
  if ('handle' in location) return given === location.handle
  return !given.memory && realpathSync(given.name) === realpathSync(location.path)
}
