import type {
  DataVersions,
  Driver,
  Executor,
  JoinedConnection,
  ObservedExecutor,
  PrepareBatch,
  RawRow,
  Result,
  Statement,
  TransactionConnection,
} from '../../src/store/connection/driver.ts'

/** Writes down every statement on its way to the database. Drizzle's own on PostgreSQL do not pass here. */
export class CountingDriver implements Driver {
  readonly statements: string[] = []
  readonly versions: DataVersions | undefined
  /** Whether each count reads its rows, so that the statements do not depend on what was counted before. */
  countsAnew = false
  readonly #driver: Driver

  constructor(driver: Driver) {
    this.#driver = driver
    const { versions } = driver
    this.versions = versions && {
      constantSql: versions.constantSql,
      placeholders: versions.placeholders,
      statement: select => versions.statement(select),
      count: (executor, statement, values, known) =>
        versions.count(executor, statement, values, this.countsAnew ? null : known),
      areOrdinary: (executor, read, version) => versions.areOrdinary(executor, read, version),
      isUnsupported: error => versions.isUnsupported(error),
    }
  }

  get dialect() {
    return this.#driver.dialect
  }

  get maxStreams() {
    return this.#driver.maxStreams
  }

  run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    // Sent once after a commit of any database of the server, so other tests would change the number of statements.
    if (statement.name !== 'viewset_ordinary_tables') this.statements.push(statement.text)
    return this.#driver.run(statement, values)
  }

  async begin(): Promise<TransactionConnection> {
    return new CountingConnection(await this.#driver.begin(), this.statements)
  }

  async join(transaction: unknown): Promise<JoinedConnection> {
    return new CountingJoinedConnection(await this.#driver.join(transaction), this.statements)
  }

  stream(
    statement: Statement,
    values: readonly unknown[],
    batch: number,
    prepare?: PrepareBatch,
  ): AsyncIterable<readonly RawRow[]> {
    this.statements.push(statement.text)
    return this.#driver.stream(
      statement,
      values,
      batch,
      prepare && ((rows, executor) => prepare(rows, this.#counting(executor))),
    )
  }

  #counting(executor: Executor): Executor {
    return {
      run: (statement, values) => {
        this.statements.push(statement.text)
        return executor.run(statement, values)
      },
    }
  }

  drizzle(executor: ObservedExecutor, connection: Executor): object {
    return this.#driver.drizzle(executor, connection instanceof Counting ? connection.connection : this.#driver)
  }

  close(): Promise<void> {
    return this.#driver.close()
  }
}

class Counting<C extends Executor> implements Executor {
  readonly connection: C
  readonly #statements: string[]

  constructor(connection: C, statements: string[]) {
    this.connection = connection
    this.#statements = statements
  }

  run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    this.#statements.push(statement.text)
    return this.connection.run(statement, values)
  }
}

class CountingConnection extends Counting<TransactionConnection> implements TransactionConnection {
  commit(): Promise<void> {
    return this.connection.commit()
  }

  rollback(): Promise<void> {
    return this.connection.rollback()
  }
}

class CountingJoinedConnection extends Counting<JoinedConnection> implements JoinedConnection {
  leave(): Promise<void> {
    return this.connection.leave()
  }
}
