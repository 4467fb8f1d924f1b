import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { SQLiteProxyTransaction, SQLiteRemoteSession } from 'drizzle-orm/sqlite-proxy/session'
import { sqliteDialect } from '../../model/dialect/sqlite.ts'
import { numberIfSafe } from '../../model/values.ts'
import type { Executor, TransactionConnection } from '../driver.ts'
import { ObservedConnection } from '../observed-connection.ts'

type Schema = Record<string, never>

/** An ordinary Drizzle database on `executor`. Its own `transaction()` is a savepoint. */
export class DrizzleOnConnection extends SQLiteProxyTransaction<Schema, Schema> {
  constructor(executor: Executor) {
    const dialect = new SQLiteAsyncDialect()
    const session = new SQLiteRemoteSession<Schema, Schema>(
      async (text, values, method) => {
        const { rows } = await executor.run({ text }, values)
        const plain = rows.map(row => row.map(numberIfSafe))
        return { rows: method === 'get' ? (plain[0] as unknown[]) : plain }
      },
      dialect,
      undefined,
    )
    super('async', dialect, session, undefined)
  }
}

/** One outside of a transaction: its own `transaction()` is a transaction. */
export class DrizzleOnPool extends DrizzleOnConnection {
  readonly #begin: () => Promise<TransactionConnection>

  constructor(executor: Executor, begin: () => Promise<TransactionConnection>) {
    super(executor)
    this.#begin = begin
  }

  override async transaction<T>(fn: (tx: SQLiteProxyTransaction<Schema, Schema>) => Promise<T>): Promise<T> {
    const connection = await this.#begin()
    let result: T
    try {
      result = await fn(new DrizzleOnConnection(new ObservedConnection(sqliteDialect, connection)))
    } catch (error) {
      await connection.rollback()
      throw error
    }
    await connection.commit()
    return result
  }
}
