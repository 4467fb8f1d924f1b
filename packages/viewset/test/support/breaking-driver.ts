import { Database } from 'viewset'
import type { Driver, Result, Statement, TransactionConnection } from '../../src/store/connection/driver.ts'

/** The same database, on which the n-th statement that begins with `verb` fails with an error of this code. */
export function breakingAt(database: Database, verb: string, n: number, code: string): Database {
  let left = n
  const check = ({ text }: Statement) => {
    if (text.startsWith(verb) && --left === 0) throw Object.assign(new Error('secret of the driver'), { code })
  }
  const { driver } = database
  const breaking: Driver = {
    dialect: driver.dialect,
    maxStreams: driver.maxStreams,
    run: async (statement, values) => {
      check(statement)
      return driver.run(statement, values)
    },
    begin: async () => connection(await driver.begin(), check),
    join: transaction => driver.join(transaction),
    stream: (...args) => driver.stream(...args),
    drizzle: (executor, connection) => driver.drizzle(executor, connection),
    close: () => driver.close(),
  }
  return new Database(breaking)
}

function connection(inner: TransactionConnection, check: (statement: Statement) => void): TransactionConnection {
  return {
    run: async (statement, values): Promise<Result> => {
      check(statement)
      return inner.run(statement, values)
    },
    commit: () => inner.commit(),
    rollback: () => inner.rollback(),
  }
}
