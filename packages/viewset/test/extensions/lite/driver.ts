import type { Database as Handle } from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/sqlite-proxy'
import { ConfigError } from 'viewset'
import type {
  Driver,
  Executor,
  JoinedConnection,
  PrepareBatch,
  RawRow,
  Result,
  Statement,
  TransactionConnection,
} from 'viewset/dialect'
import { sqliteFunctions } from 'viewset/dialect'
import { liteDialect } from './dialect.ts'

/** One connection, which a transaction has for itself until it has ended. */
export class LiteDriver implements Driver {
  readonly dialect = liteDialect
  readonly maxStreams = 1
  readonly statements: string[] = []
  readonly #handle: Handle
  #free: Promise<void> = Promise.resolve()

  constructor(handle: Handle) {
    this.#handle = handle
    for (const [name, fn] of Object.entries(sqliteFunctions)) handle.function(name, { deterministic: true }, fn)
  }

  async run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    const release = await this.#take()
    try {
      return this.#execute(statement, values)
    } finally {
      release()
    }
  }

  async begin(): Promise<TransactionConnection> {
    const release = await this.#take()
    // SQLite leaves a transaction open that it cannot commit, as with a foreign key that is checked at the end.
    const undo = () => {
      if (this.#handle.inTransaction) this.#handle.exec('rollback')
    }
    const end = async (last: () => void) => {
      try {
        last()
      } finally {
        undo()
        release()
      }
    }
    try {
      this.#handle.exec('begin immediate')
    } catch (error) {
      release()
      throw error
    }
    return {
      run: async (statement, values) => this.#execute(statement, values),
      commit: () => end(() => this.#handle.exec('commit')),
      rollback: () => end(undo),
    }
  }

  async join(): Promise<JoinedConnection> {
    throw new ConfigError('withTransaction', 'tx', 'is not for Lite')
  }

  async *stream(
    statement: Statement,
    values: readonly unknown[],
    batch: number,
    prepare?: PrepareBatch,
  ): AsyncGenerator<readonly RawRow[]> {
    const { rows } = await this.run(statement, values)
    for (let start = 0; start < rows.length; start += batch) {
      const part = rows.slice(start, start + batch)
      await prepare?.(part, this)
      yield part
    }
  }

  drizzle(executor: Executor): object {
    return drizzle(async (text, values, method) => {
      const { rows } = await executor.run({ text }, values)
      const plain = rows.map(row => row.map(cell => (typeof cell === 'bigint' ? Number(cell) : cell)))
      return { rows: method === 'get' ? (plain[0] ?? []) : plain }
    })
  }

  async close(): Promise<void> {
    this.#handle.close()
  }

  #execute({ text }: Statement, values: readonly unknown[]): Result {
    this.statements.push(text)
    const prepared = this.#handle.prepare(text).safeIntegers()
    const bound = values.map(bindable)
    if (!prepared.reader) return { rows: [], changes: prepared.run(bound).changes }
    const rows = prepared.raw().all(bound) as RawRow[]
    return { rows, changes: rows.length }
  }

  async #take(): Promise<() => void> {
    const before = this.#free
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#free = promise
    await before
    return resolve
  }
}

/** A JavaScript number would be bound as one with a fraction. */
function bindable(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value)
  return Number.isSafeInteger(value) ? BigInt(value as number) : (value ?? null)
}
