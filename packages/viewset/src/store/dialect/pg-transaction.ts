import type pg from 'pg'
import { ServiceUnavailable } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import type {
  Executor,
  JoinedConnection,
  ObservedExecutor,
  Result,
  Statement,
  TransactionConnection,
} from '../connection/driver.ts'
import { isIdle, observeQuery, type PostgresSession } from './pg-session.ts'

const ignore = () => {}

export class OpenTransaction implements Executor {
  readonly #session: PostgresSession
  #open = true
  /** Settles when the previous statement is answered. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(session: PostgresSession) {
    this.#session = session
  }

  run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    return this.#inTurn(() => this.#session.query(statement, values))
  }

  /** A client for Drizzle that works while the transaction is open. `observer` publishes its queries. */
  guarded(observer: ObservedExecutor): pg.Client {
    return new Proxy(this.#session.client, {
      get: (client, property) => {
        this.assertOpen()
        const value: unknown = Reflect.get(client, property)
        if (typeof value !== 'function') return value
        const call = value.bind(client)
        if (property !== 'query') return call
        return (...args: unknown[]) => observeQuery(observer, args, () => this.#inTurn(() => call(...args)))
      },
    })
  }

  protected async end(): Promise<void> {
    this.#open = false
    await this.#turn
  }

  /** A connection runs one statement at a time. Code may start several at once, as in `Promise.all`. */
  #inTurn<T>(send: () => Promise<T>): Promise<T> {
    this.assertOpen()
    const result = this.#turn.then(send)
    this.#turn = result.catch(ignore)
    return result
  }

  protected assertOpen(): void {
    if (!this.#open) throw new Error('This transaction has ended; its database cannot be used any more.')
  }
}

export class PostgresTransaction extends OpenTransaction implements TransactionConnection {
  readonly #client: pg.Client
  readonly #release: (broken: boolean) => void

  constructor(session: PostgresSession, release: (broken: boolean) => void) {
    super(session)
    this.#client = session.client
    this.#release = release
  }

  async commit(): Promise<void> {
    let broken = true
    try {
      await this.end()
      const { command } = await this.#client.query('commit')
      broken = false
      // COMMIT of a failed transaction answers ROLLBACK without an error.
      if (command !== 'COMMIT') throw new Error('The transaction was rolled back: an error inside it was swallowed.')
    } catch (error) {
      if (!broken) throw error
      // An error from the server, for example a deferred constraint, means that nothing was stored.
      broken = endsConnection(error)
      if (!broken) throw error
      throw new ServiceUnavailable(message('service_unavailable.unknown_outcome'), 1, error)
    } finally {
      this.#release(broken)
    }
  }

  async rollback(): Promise<void> {
    let broken = true
    try {
      await this.end()
      await this.#client.query('rollback')
      broken = false
    } catch {
      // The connection is lost and the server rolls back.
    } finally {
      this.#release(broken)
    }
  }
}

export class JoinedTransaction extends OpenTransaction implements JoinedConnection {
  readonly #client: pg.Client

  constructor(session: PostgresSession) {
    super(session)
    this.#client = session.client
  }

  protected override assertOpen(): void {
    super.assertOpen()
    // Otherwise each statement would be committed by itself.
    if (isIdle(this.#client)) throw new Error('The application has ended this transaction before its time.')
  }

  leave(): Promise<void> {
    return this.end()
  }
}

/**
 * Whether an error makes a connection unusable. Server errors have a severity; FATAL means that the connection ends,
 * which can also happen right after a commit.
 */
export function endsConnection(error: unknown): boolean {
  const { severity } = error as { readonly severity?: unknown }
  return typeof severity !== 'string' || severity === 'FATAL' || severity === 'PANIC'
}
