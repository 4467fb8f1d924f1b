import type {
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

/** Whether what a process was killed at has reached the database. */
export type Moment = 'before' | 'after'

class Killed extends Error {
  override readonly message = 'killed'
}

/**
 * A database as a process sees it that is killed at its n-th step: nothing that it sends after that arrives, and what it
 * had not committed is undone. A step is a statement, a begin or a commit, also of Drizzle.
 */
export class MortalDriver implements Driver {
  /** Since it was born, or born again. */
  steps = 0
  readonly #driver: Driver
  readonly #end: (() => void) | undefined
  readonly #open = new Set<MortalConnection>()
  #last = Number.POSITIVE_INFINITY
  #moment: Moment = 'before'
  #isDead = false
  #hook: { readonly step: number; call(): void } | undefined

  /** @param end ends the process in truth */
  constructor(driver: Driver, end?: () => void) {
    this.#driver = driver
    this.#end = end
  }

  /** From now on it is another process, which is killed at this step. */
  rebear(last = Number.POSITIVE_INFINITY, moment: Moment = 'before'): void {
    this.steps = 0
    this.#isDead = false
    this.#last = last
    this.#moment = moment
    this.#hook = undefined
  }

  get isDead(): boolean {
    return this.#isDead
  }

  /** Has something happen beside a step. */
  beside(step: number, call: () => void): void {
    this.#hook = { step, call }
  }

  get dialect() {
    return this.#driver.dialect
  }

  get maxStreams() {
    return this.#driver.maxStreams
  }

  run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    return this.step(() => this.#driver.run(statement, values))
  }

  async begin(): Promise<TransactionConnection> {
    return this.step(async () => {
      const connection = new MortalConnection(this, await this.#driver.begin())
      this.#open.add(connection)
      return connection
    })
  }

  join(transaction: unknown): Promise<JoinedConnection> {
    return this.#driver.join(transaction)
  }

  async *stream(
    statement: Statement,
    values: readonly unknown[],
    batch: number,
    prepare?: PrepareBatch,
  ): AsyncGenerator<readonly RawRow[]> {
    await this.step(async () => {})
    yield* this.#driver.stream(statement, values, batch, prepare)
  }

  drizzle(executor: ObservedExecutor, connection: Executor): object {
    const inner = connection instanceof MortalConnection ? connection.connection : this.#driver
    const mortal: ObservedExecutor = {
      run: (statement, values) => executor.run(statement, values),
      observe: (statement, send, rowsOf) => executor.observe(statement, () => this.step(send), rowsOf),
    }
    return this.#driver.drizzle(mortal, inner)
  }

  close(): Promise<void> {
    return this.#driver.close()
  }

  /** @internal */
  async step<T>(act: () => Promise<T>): Promise<T> {
    if (this.#isDead) throw new Killed()
    const isLast = ++this.steps === this.#last
    if (this.steps === this.#hook?.step) this.#hook.call()
    if (isLast && this.#moment === 'before') await this.#die()
    const result = await act()
    if (isLast) await this.#die()
    return result
  }

  /** @internal */
  ended(connection: MortalConnection): boolean {
    return this.#open.delete(connection)
  }

  async #die(): Promise<never> {
    this.#isDead = true
    this.#end?.()
    // As a server does when it loses a connection.
    for (const connection of this.#open) await connection.rollback()
    throw new Killed()
  }
}

class MortalConnection implements TransactionConnection {
  readonly connection: TransactionConnection
  readonly #driver: MortalDriver

  constructor(driver: MortalDriver, connection: TransactionConnection) {
    this.#driver = driver
    this.connection = connection
  }

  run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    return this.#driver.step(() => this.connection.run(statement, values))
  }

  commit(): Promise<void> {
    return this.#driver.step(() => {
      this.#driver.ended(this)
      return this.connection.commit()
    })
  }

  async rollback(): Promise<void> {
    if (this.#driver.ended(this)) await this.connection.rollback()
  }
}
